//! Encoders of a part: chosen by name, applied to a value, and read back.

use super::digits::{DIGITS_MAX, Padding, complement};
use super::escape::{escape, lead, unescape};
use super::source::{Generator, shard_digits, shard_of};
use super::time::{Instant, NoInstant, Precision};
use hashrange_model::error::{DerivedKeyFault, TemplateTextFault};
use hashrange_model::{AttributeValue, ValueRef};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Form of a part in the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Encoder {
    /// A text: as it is, or with the conversions that the fields name.
    Text { takes_numbers: bool, letters: Option<Letters>, is_escaped: bool },
    /// A number of a fixed width.
    Padded(Padding),
    /// A time of a fixed width.
    Time { source: TimeSource, precision: Precision, is_descending: bool },
    /// A generated id.
    Id(Generator),
    /// The number of one of so many shards, with leading zeros.
    Shard(u32),
}

/// Case that a text is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    Lower,
    Upper,
}

/// Form of the attribute that holds a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeSource {
    /// A text.
    Text,
    /// A number of 10^-n seconds since 1970.
    Number { places: usize },
}

/// Names of a part's encoders read so far.
#[derive(Debug)]
enum Chain {
    Empty,
    /// `epoch_s` or `epoch_ms`, which must be followed by `iso`.
    Epoch(TimeSource),
    /// `pad`, which must be followed by its width.
    Pad,
    /// `iso`, which may be followed by a precision.
    Time(TimeSource),
    Ends(Encoder),
}

impl Encoder {
    /// A text as it is.
    const PLAIN: Self = Self::Text { takes_numbers: false, letters: None, is_escaped: false };

    /// Returns the encoder that the names after a part's attribute mean, or the number of the wrong
    /// name and its fault.
    pub(super) fn of_names(names: &[&str]) -> Result<Self, (usize, TemplateTextFault)> {
        let mut chain = Chain::Empty;
        for (nth, name) in names.iter().enumerate() {
            chain = chain.with(name).map_err(|fault| (nth, fault))?;
        }
        match chain {
            Chain::Empty => Ok(Self::PLAIN),
            Chain::Ends(encoder) => Ok(encoder),
            Chain::Time(source) => Ok(Self::in_milliseconds(source)),
            Chain::Epoch(_) => Err((names.len() - 1, place(names[names.len() - 1], "before iso"))),
            Chain::Pad => Err((names.len() - 1, PAD_WIDTH)),
        }
    }

    /// Returns the encoder of a time without a named precision.
    fn in_milliseconds(source: TimeSource) -> Self {
        Self::Time { source, precision: Precision::Millisecond, is_descending: false }
    }

    /// Returns whether a key shows the end of the part by its sign and length alone.
    pub(super) fn has_fixed_width(&self) -> bool {
        match self {
            Self::Text { .. } => false,
            Self::Padded(_) | Self::Time { .. } | Self::Id(_) | Self::Shard(_) => true,
        }
    }

    /// Returns the bytes that a part of fixed width with this beginning takes; `None` for other
    /// encoders.
    pub(super) fn width(&self, rest: &str) -> Option<usize> {
        match self {
            Self::Text { .. } => None,
            Self::Padded(padding) => Some(padding.width(rest)),
            Self::Time { precision, .. } => Some(precision.width()),
            Self::Id(generator) => generator.id_chars(),
            Self::Shard(shards) => Some(shard_digits(*shards)),
        }
    }

    /// Returns whether the part is escaped, which needs a delimiter that allows it.
    pub(super) fn is_escaped(&self) -> bool {
        matches!(self, Self::Text { is_escaped: true, .. })
    }

    /// Returns whether reading the key gives back the attribute's exact value.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Text { takes_numbers, letters, .. } => !takes_numbers && letters.is_none(),
            Self::Padded(_) => true,
            Self::Time { .. } | Self::Id(_) | Self::Shard(_) => false,
        }
    }

    /// Returns a time of milliseconds since 1970 as the part has it; of other parts none.
    pub(super) fn time(&self, epoch_ms: u64) -> String {
        let Self::Time { precision, is_descending, .. } = self else { return String::new() };
        let printed = precision.print(Instant::of_ms(epoch_ms));
        if *is_descending { complement(&printed) } else { printed }
    }

    /// Returns a default as the part has it; `None` if it is no value of the part.
    pub(super) fn default_text(&self, text: &str, delimiter: Option<char>) -> Option<String> {
        let mut key = String::new();
        let number;
        let value = match self {
            Self::Text { .. } => ValueRef::S(text),
            Self::Padded(_) => {
                number = AttributeValue::N(text.parse().ok()?).to_value();
                number.get()
            }
            Self::Time { precision, is_descending, .. } => {
                let printed = precision.print(Instant::parse(text).ok()?);
                return Some(if *is_descending { complement(&printed) } else { printed });
            }
            Self::Id(_) | Self::Shard(_) => return None,
        };
        self.encode("", value, delimiter, &mut key).ok()?;
        (!key.is_empty()).then_some(key)
    }

    /// Appends a value of the attribute `part`, before a delimiter.
    pub(super) fn encode(
        &self,
        part: &str,
        value: ValueRef<'_>,
        delimiter: Option<char>,
        key: &mut String,
    ) -> Result<(), DerivedKeyFault> {
        let wrong_type = |takes| DerivedKeyFault::PartType {
            part: part.to_owned(),
            takes,
            actual: value.attribute_type(),
        };
        match (self, value) {
            (Self::Text { letters, is_escaped, .. }, ValueRef::S(text)) => {
                encode_text(part, text, *letters, (*is_escaped, delimiter), key)
            }
            (Self::Text { takes_numbers: true, is_escaped, .. }, ValueRef::N(number)) => {
                let text = number.to_number().to_string();
                encode_text(part, &text, None, (*is_escaped, delimiter), key)
            }
            (Self::Text { takes_numbers: true, .. }, _) => Err(wrong_type("a string or a number")),
            (Self::Text { .. }, ValueRef::N(_)) => {
                Err(wrong_type("a string; the encoder pad takes numbers"))
            }
            (Self::Text { .. }, _) => Err(wrong_type("a string")),
            (Self::Padded(padding), ValueRef::N(number)) => {
                padding.encode(part, &number.to_number(), key)
            }
            (Self::Padded(_), _) => Err(wrong_type("a number")),
            (Self::Shard(shards), _) => {
                let takes = || wrong_type("a string, a number or binary");
                let shard = shard_of(value, *shards).ok_or_else(takes)?;
                let width = shard_digits(*shards);
                write!(key, "{shard:0width$}").expect("writing to a string cannot fail");
                Ok(())
            }
            (Self::Id(_), _) => unreachable!("an id is no attribute's value"),
            (Self::Time { source, precision, is_descending }, _) => {
                let instant = match (source, value) {
                    (TimeSource::Text, ValueRef::S(text)) => Instant::parse(text),
                    (TimeSource::Number { places }, ValueRef::N(number)) => {
                        Instant::since_1970(&number.to_number(), *places)
                    }
                    (TimeSource::Text, ValueRef::N(_)) => {
                        return Err(wrong_type(
                            "a string; the encoders epoch_s and epoch_ms take numbers",
                        ));
                    }
                    (TimeSource::Text, _) => return Err(wrong_type("a string")),
                    (TimeSource::Number { .. }, _) => return Err(wrong_type("a number")),
                };
                let printed = precision.print(instant.map_err(|why| no_instant(part, why))?);
                key.push_str(&if *is_descending { complement(&printed) } else { printed });
                Ok(())
            }
        }
    }

    /// Reads the value of a part from the front of `rest`. The key may end with the part, without
    /// its delimiter, if `may_end` says so.
    pub(super) fn read<'k>(
        &self,
        rest: &'k str,
        (delimiter, may_end): (Option<char>, bool),
    ) -> Option<(AttributeValue, &'k str)> {
        match self {
            Self::Text { letters, is_escaped, .. } => {
                let end = match delimiter {
                    None => rest.len(),
                    Some(delimiter) => {
                        rest.find(delimiter).or_else(|| may_end.then_some(rest.len()))?
                    }
                };
                let (text, after) = rest.split_at(end);
                let text = match delimiter.and_then(lead) {
                    Some(lead) if *is_escaped => unescape(text, lead)?,
                    _ => text.to_owned(),
                };
                let is_written = with_letters(&text, *letters) == text;
                is_written.then_some((AttributeValue::S(text), after))
            }
            Self::Padded(padding) => {
                let (number, after) = padding.read(rest)?;
                Some((AttributeValue::N(number), after))
            }
            Self::Time { precision, is_descending, .. } => {
                let (time, after) = precision.read(rest, *is_descending)?;
                Some((AttributeValue::S(time), after))
            }
            Self::Id(generator) => {
                let (id, after) = rest.split_at_checked(generator.id_chars()?)?;
                generator.is_id(id).then(|| (AttributeValue::S(id.to_owned()), after))
            }
            Self::Shard(shards) => {
                let (shard, after) = rest.split_at_checked(shard_digits(*shards))?;
                let is_one = shard.bytes().all(|byte| byte.is_ascii_digit())
                    && shard.parse::<u32>().is_ok_and(|shard| shard < *shards);
                is_one.then(|| Some((AttributeValue::N(shard.parse().ok()?), after)))?
            }
        }
    }
}

fn encode_text(
    part: &str,
    text: &str,
    letters: Option<Letters>,
    (is_escaped, delimiter): (bool, Option<char>),
    key: &mut String,
) -> Result<(), DerivedKeyFault> {
    let text = with_letters(text, letters);
    match delimiter {
        Some(delimiter) if is_escaped => {
            let lead = lead(delimiter).expect("a template with another delimiter is refused");
            escape(&text, lead, key);
        }
        Some(delimiter) if text.contains(delimiter) => {
            return Err(DerivedKeyFault::Delimiter { part: part.to_owned(), delimiter });
        }
        Some(_) | None => key.push_str(&text),
    }
    Ok(())
}

fn with_letters(text: &str, letters: Option<Letters>) -> Cow<'_, str> {
    match letters {
        None => Cow::Borrowed(text),
        Some(Letters::Lower) => Cow::Owned(text.to_lowercase()),
        Some(Letters::Upper) => Cow::Owned(text.to_uppercase()),
    }
}

fn no_instant(part: &str, why: NoInstant) -> DerivedKeyFault {
    let part = part.to_owned();
    match why {
        NoInstant::Malformed => DerivedKeyFault::NotATime { part },
        NoInstant::OutOfRange => DerivedKeyFault::TimeOutOfRange { part },
    }
}

const PAD_WIDTH: TemplateTextFault = TemplateTextFault::EncoderArgument {
    encoder: "pad",
    takes: "its digits before the point, and maybe those after it: pad:8 or pad:8.2, 38 at most of each",
};

fn place(encoder: &str, belongs: &'static str) -> TemplateTextFault {
    TemplateTextFault::EncoderPlace { encoder: encoder.to_owned(), belongs }
}

impl Chain {
    /// Adds the next name.
    fn with(self, name: &str) -> Result<Self, TemplateTextFault> {
        let text = |takes_numbers, letters| {
            Ok(Self::Ends(Encoder::Text { takes_numbers, letters, is_escaped: false }))
        };
        match (self, name) {
            (Self::Pad, width) => padding(width).map(|it| Self::Ends(Encoder::Padded(it))),
            (Self::Epoch(source), "iso") => Ok(Self::Time(source)),
            (Self::Epoch(_), other) => {
                Err(place(other, "elsewhere: iso follows epoch_s and epoch_ms"))
            }
            (Self::Empty, "pad") => Ok(Self::Pad),
            (Self::Empty, "epoch_s") => Ok(Self::Epoch(TimeSource::Number { places: 0 })),
            (Self::Empty, "epoch_ms") => Ok(Self::Epoch(TimeSource::Number { places: 3 })),
            (Self::Empty, "iso") => Ok(Self::Time(TimeSource::Text)),
            (Self::Empty, "text") => text(true, None),
            (Self::Empty, "lower") => text(false, Some(Letters::Lower)),
            (Self::Empty, "upper") => text(false, Some(Letters::Upper)),
            (Self::Empty, "esc") => Self::Ends(Encoder::PLAIN).with("esc"),
            (Self::Empty, "desc") => Err(place("desc", "after pad or iso")),
            (Self::Time(source), name) => match Precision::named(name) {
                Some(precision) => {
                    Ok(Self::Ends(Encoder::Time { source, precision, is_descending: false }))
                }
                None => Encoder::in_milliseconds(source).with(name).map(Self::Ends),
            },
            (Self::Ends(encoder), name) => encoder.with(name).map(Self::Ends),
            (Self::Empty, name) => Err(TemplateTextFault::UnknownEncoder(name.to_owned())),
        }
    }
}

impl Encoder {
    /// Adds the next name to an encoder that could end.
    fn with(self, name: &str) -> Result<Self, TemplateTextFault> {
        match (self, name) {
            (Self::Text { takes_numbers, letters, is_escaped: false }, "esc") => {
                Ok(Self::Text { takes_numbers, letters, is_escaped: true })
            }
            (Self::Padded(Padding { is_descending: false, whole, fraction }), "desc") => {
                Ok(Self::Padded(Padding { is_descending: true, whole, fraction }))
            }
            (Self::Time { source, precision, is_descending: false }, "desc") => {
                Ok(Self::Time { source, precision, is_descending: true })
            }
            (_, "desc") => Err(place("desc", "once, after pad or iso")),
            (_, "esc") => Err(place("esc", "once, last, after a text")),
            (_, "pad" | "iso" | "epoch_s" | "epoch_ms" | "lower" | "upper" | "text") => {
                Err(place(name, "first"))
            }
            (Self::Time { .. }, _) => Err(TemplateTextFault::EncoderArgument {
                encoder: "iso",
                takes: "year, month, week, day, hour, minute, s, ms, us or ns",
            }),
            (Self::Text { .. } | Self::Padded(_) | Self::Id(_) | Self::Shard(_), name) => {
                Err(TemplateTextFault::UnknownEncoder(name.to_owned()))
            }
        }
    }
}

/// Returns the padding of a width such as `8` or `8.2`.
fn padding(width: &str) -> Result<Padding, TemplateTextFault> {
    let digits = |text: &str| {
        let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
        text.parse().ok().filter(|digits| is_short && (1..=DIGITS_MAX).contains(digits))
    };
    let (whole, fraction) = match width.split_once('.') {
        None => (digits(width), Some(0)),
        Some((whole, fraction)) => (digits(whole), digits(fraction)),
    };
    let (whole, fraction) = whole.zip(fraction).ok_or(PAD_WIDTH)?;
    Ok(Padding { whole, fraction, is_descending: false })
}
