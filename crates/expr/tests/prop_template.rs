//! Keys of a template compare as the tuples of their parts do, are read back into these, and no text or
//! item makes anything panic.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_expr::{Generated, KeyTemplate, Rendered};
use hashrange_model::calendar::date_from_days;
use hashrange_model::{AttributeValue, Item, Number};
use proptest::prelude::*;
use std::cmp::Ordering;

const DAY_S: i64 = 86_400;
const DAYS: std::ops::Range<i64> = -719_528..2_932_897;

/// A part of a key, as a template has it.
#[derive(Debug, Clone)]
enum Kind {
    Plain,
    Escaped,
    Lower,
    Padded { whole: usize, fraction: usize, descending: bool },
    TimeText { unit: usize, descending: bool },
    TimeNumber { is_ms: bool, unit: usize, descending: bool },
}

/// Names of precisions and how many nanoseconds each has.
const UNITS: [(&str, i128); 7] = [
    ("day", 86_400_000_000_000),
    ("hour", 3_600_000_000_000),
    ("minute", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// A part's value: as it is in an item, and as it compares.
#[derive(Debug, Clone)]
struct Typed {
    value: AttributeValue,
    order: Order,
    descending: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Text(String),
    Number(Number),
    Units(i128),
}

impl Kind {
    fn text(&self, name: &str) -> String {
        let turned = |descending: &bool| if *descending { ":desc" } else { "" };
        match self {
            Self::Plain => format!("{{{name}}}"),
            Self::Escaped => format!("{{{name}:esc}}"),
            Self::Lower => format!("{{{name}:lower:esc}}"),
            Self::Padded { whole, fraction: 0, descending } => {
                format!("{{{name}:pad:{whole}{}}}", turned(descending))
            }
            Self::Padded { whole, fraction, descending } => {
                format!("{{{name}:pad:{whole}.{fraction}{}}}", turned(descending))
            }
            Self::TimeText { unit, descending } => {
                format!("{{{name}:iso:{}{}}}", UNITS[*unit].0, turned(descending))
            }
            Self::TimeNumber { is_ms, unit, descending } => {
                let source = if *is_ms { "epoch_ms" } else { "epoch_s" };
                format!("{{{name}:{source}:iso:{}{}}}", UNITS[*unit].0, turned(descending))
            }
        }
    }

    fn values(&self) -> BoxedStrategy<Typed> {
        let text = |text: String| Typed {
            value: text.as_str().into(),
            order: Order::Text(text),
            descending: false,
        };
        match self.clone() {
            // Plain texts keep the order without characters up to the delimiter.
            Self::Plain => "[$%A~é😀]{0,3}".prop_map(text).boxed(),
            Self::Escaped => "[\u{0} !#$%A~é😀]{0,3}".prop_map(text).boxed(),
            Self::Lower => "[ #$aAbBÉ]{0,3}"
                .prop_map(move |it: String| Typed {
                    value: it.as_str().into(),
                    ..text(it.to_lowercase())
                })
                .boxed(),
            Self::Padded { whole, fraction, descending } => {
                numbers(whole, fraction, descending).boxed()
            }
            Self::TimeText { unit, descending } => (instants(), -1439_i64..1440)
                .prop_map(move |(nanos, offset)| Typed {
                    value: time_text(nanos, offset).into(),
                    order: Order::Units(nanos.div_euclid(UNITS[unit].1)),
                    descending,
                })
                .boxed(),
            Self::TimeNumber { is_ms, unit, descending } => instants()
                .prop_map(move |nanos| Typed {
                    value: AttributeValue::N(since_1970(nanos, if is_ms { 6 } else { 9 })),
                    order: Order::Units(nanos.div_euclid(UNITS[unit].1)),
                    descending,
                })
                .boxed(),
        }
    }
}

fn numbers(whole: usize, fraction: usize, descending: bool) -> impl Strategy<Value = Typed> {
    let digits = format!("-?[0-9]{{1,{whole}}}(\\.[0-9]{{0,{fraction}}})?");
    let small = format!("-?[0-2](\\.[0-2]{{0,{fraction}}})?");
    prop_oneof![
        proptest::string::string_regex(&digits).unwrap(),
        proptest::string::string_regex(&small).unwrap()
    ]
    .prop_map(move |text| {
        let number = Number::parse(&text).unwrap();
        Typed { value: AttributeValue::N(number), order: Order::Number(number), descending }
    })
}

/// Nanoseconds since 1970, of all years and close together.
fn instants() -> impl Strategy<Value = i128> {
    let far = (DAYS.start + 2..DAYS.end - 2, 0..DAY_S, 0..1_000_000_000_i64);
    let far = far.prop_map(|(day, second, nanos)| {
        i128::from(day * DAY_S + second) * 1_000_000_000 + i128::from(nanos)
    });
    prop_oneof![far, -3_000_000_000_i128..3_000_000_000]
}

/// Returns an instant as a text with an offset in minutes.
fn time_text(nanos: i128, offset: i64) -> String {
    let (seconds, nanos) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    let local = i64::try_from(seconds).unwrap() + offset * 60;
    let (year, month, day) = date_from_days(local.div_euclid(DAY_S));
    let second = local.rem_euclid(DAY_S);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let sign = if offset < 0 { '-' } else { '+' };
    let offset = offset.abs();
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}{sign}{:02}:{:02}",
        offset / 60,
        offset % 60
    )
}

/// Returns an instant as an exact number of 10^(9 - `places`) nanoseconds.
fn since_1970(nanos: i128, places: usize) -> Number {
    let digits = format!("{:0>width$}", nanos.abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if nanos < 0 { "-" } else { "" };
    Number::parse(&format!("{sign}{whole}.{fraction}")).unwrap()
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Plain),
        Just(Kind::Escaped),
        Just(Kind::Lower),
        (1..4_usize, 0..3_usize, any::<bool>())
            .prop_map(|(whole, fraction, descending)| Kind::Padded { whole, fraction, descending }),
        (20..39_usize, any::<bool>()).prop_map(|(whole, descending)| Kind::Padded {
            whole,
            fraction: 0,
            descending
        }),
        (0..7_usize, any::<bool>())
            .prop_map(|(unit, descending)| Kind::TimeText { unit, descending }),
        (any::<bool>(), 0..7_usize, any::<bool>())
            .prop_map(|(is_ms, unit, descending)| Kind::TimeNumber { is_ms, unit, descending }),
    ]
}

/// The parts of a template with two values each; equal ones are not rare.
fn tuples() -> impl Strategy<Value = Vec<(Kind, Typed, Typed)>> {
    let part = kinds().prop_flat_map(|kind| {
        let (one, other) = (kind.values(), kind.values());
        (Just(kind), one, other, 0..3_u8).prop_map(|(kind, one, other, equal)| {
            let other = if equal == 0 { one.clone() } else { other };
            (kind, one, other)
        })
    });
    prop::collection::vec(part, 1..4)
}

fn item<'t>(values: impl Iterator<Item = &'t Typed>) -> Item {
    let names = ["a0", "a1", "a2"];
    Item::from_attributes(names.into_iter().zip(values.map(|typed| typed.value.clone())))
}

fn key(template: &KeyTemplate, item: &Item) -> String {
    match template.render(item, &Generated::default(), 2048).unwrap() {
        Rendered::Key(key) => key,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn keys_compare_as_the_tuples_of_their_parts(parts in tuples()) {
        let texts = parts.iter().enumerate().map(|(nth, (kind, ..))| kind.text(&format!("a{nth}")));
        let text = format!("k = 'K#{}'", texts.collect::<Vec<_>>().join("#"));
        let template = KeyTemplate::parse(&text).unwrap();
        let one = key(&template, &item(parts.iter().map(|(_, one, _)| one)));
        let other = key(&template, &item(parts.iter().map(|(_, _, other)| other)));
        let expected = parts.iter().map(|(_, one, other)| {
            let order = one.order.cmp(&other.order);
            if one.descending { order.reverse() } else { order }
        });
        let expected = expected.fold(Ordering::Equal, Ordering::then);
        prop_assert_eq!(one.cmp(&other), expected, "{} {} {}", text, one, other);
    }

    #[test]
    fn keys_are_read_back_in_one_way(parts in tuples()) {
        let texts = parts.iter().enumerate().map(|(nth, (kind, ..))| kind.text(&format!("a{nth}")));
        let text = format!("k = '{}'", texts.collect::<Vec<_>>().join("#"));
        let template = KeyTemplate::parse(&text).unwrap();
        let given = item(parts.iter().map(|(_, one, _)| one));
        let Ok(Rendered::Key(key)) = template.render(&given, &Generated::default(), 2048) else { return Ok(()) };
        let readings = template.read(&key);
        prop_assert_eq!(readings.len(), 1, "{} {}", text, key);
        for (part, (_, one, _)) in readings[0].parts.iter().zip(&parts) {
            if part.is_exact {
                prop_assert_eq!(&part.value, &one.value, "{} {}", text, key);
            }
        }
    }

    #[test]
    fn a_key_that_is_read_is_rendered_again(
        parts in prop::collection::vec(kinds(), 1..4),
        key in "[-~]?[0-9#$a~T:.Z-]{0,30}",
    ) {
        let texts = parts.iter().enumerate().map(|(nth, kind)| match kind {
            // What is read of these is a time, not the number it came from.
            Kind::TimeNumber { unit, descending, .. } => {
                Kind::TimeText { unit: *unit, descending: *descending }.text(&format!("a{nth}"))
            }
            kind => kind.text(&format!("a{nth}")),
        });
        let text = format!("k = '{}'", texts.collect::<Vec<_>>().join("#"));
        let template = KeyTemplate::parse(&text).unwrap();
        for reading in template.read(&key) {
            // Of an hour no time is read, which has minutes.
            if parts.iter().any(|kind| matches!(kind, Kind::TimeText { unit: 1, .. } | Kind::TimeNumber { unit: 1, .. })) {
                continue;
            }
            let read = Item::from_attributes(
                reading.parts.iter().map(|part| (part.name.as_str(), part.value.clone())),
            );
            let again = template.render(&read, &Generated::default(), 2048).unwrap();
            prop_assert_eq!(again.key(), Some(key.as_str()));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(
        text in "(k = |owns k = )?['\"]?([{}:a#'\"é.]|pad:|iso:|esc|epoch_s:|\\?|\\||ulid\\(\\)|now:iso|shard:hash\\(a\\):|week|when |else |in |[0-9]|[\\[\\]()=<,]){0,20}['\"]?( when .{0,10})?",
        any in ".{0,40}",
        key in ".{0,20}",
    ) {
        for text in [text, format!("k = '{any}'"), any] {
            if let Ok(template) = KeyTemplate::parse(&text) {
                let given = Item::from_attributes([("a", key.as_str().into())]);
                drop(template.render(&given, &Generated::default(), 1024));
                template.read(&key);
                template.names();
            }
        }
    }
}

/// Texts that are keys of some template below in part, in whole or not at all.
fn near_keys() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "ORDER#",
        "ORD",
        "USER#",
        "2026-11-25",
        "2026-11-2",
        "0042",
        "-0042",
        "7",
        "#",
        "|",
        ":",
        "x",
        "$23",
        "é",
        "VIP",
    ]);
    prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_level_ends_at_a_place_whatever_follows_it(key in near_keys()) {
        for text in [
            r#"sk = "ORDER#{day:iso:day}#{id}""#,
            r#"sk = "ORDER#{day:iso:day:desc}|{number:pad:4}:{id}""#,
            r#"sk = "{number:pad:4}{day:iso:day}#x""#,
            r#"sk = "{name:esc}#{number:pad:4}" when a = 'x' else "USER#{name:upper}|{id}" when a = 'y'"#,
        ] {
            let template = KeyTemplate::parse(text).unwrap();
            let ends = template.level_ends(&key, "#");
            for (end, _) in key.char_indices().chain([(key.len(), ' ')]) {
                let known: Vec<usize> = ends.iter().copied().filter(|it| *it <= end).collect();
                prop_assert_eq!(template.level_ends(&key[..end], "#"), known, "{} of {}", end, key);
            }
        }
    }

    #[test]
    fn the_parts_of_a_beginning_are_those_of_the_key(
        id in "[a-z]{0,4}",
        number in 0_u32..10_000,
        end in 0_usize..40,
    ) {
        let template =
            KeyTemplate::parse(r#"sk = "ORDER#{day:iso:day}#{number:pad:4}|{id}""#).unwrap();
        let key = format!("ORDER#2026-11-25#{number:04}|{id}");
        let [whole] = &template.read(&key)[..] else { panic!("{key} is a key") };
        let beginning = &key[..end.min(key.len())];
        let [begun] = &template.read_beginning(beginning)[..] else { panic!("{beginning} begins one") };
        prop_assert_eq!(&begun.parts[..], &whole.parts[..begun.parts.len()]);
        let known = [16, 21].iter().filter(|it| **it <= beginning.len()).count();
        prop_assert_eq!(begun.parts.len(), known);
    }
}
