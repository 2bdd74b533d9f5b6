//! Words in keys: how they are written, and what they say of a number behind them.

/// Words before a number that counts or measures something.
const COUNTED: &[&str] = &[
    "v",
    "ver",
    "version",
    "versions",
    "rev",
    "revision",
    "release",
    "step",
    "page",
    "part",
    "chapter",
    "seq",
    "sequence",
    "level",
    "lvl",
    "round",
    "position",
    "pos",
    "rank",
    "score",
    "points",
    "price",
    "amount",
    "total",
    "cost",
    "qty",
    "quantity",
    "count",
    "counter",
    "index",
    "idx",
    "priority",
    "prio",
    "episode",
    "season",
    "verse",
    "week",
    "day",
    "hour",
    "minute",
    "second",
    "age",
    "depth",
    "height",
    "weight",
    "length",
    "distance",
    "temp",
    "temperature",
    "speed",
    "rating",
    "balance",
    "bid",
    "offset",
    "iteration",
    "attempt",
    "try",
    "generation",
    "epoch",
    "block",
    "bytes",
    "stop",
    "turn",
    "move",
    "lesson",
    "lecture",
    "module",
    "slide",
    "frame",
    "chunk",
    "batch",
    "lap",
    "msg",
    "message",
    "reading",
    "odometer",
    "mileage",
    "km",
    "duration",
    "percent",
    "rate",
    "fare",
    "salary",
    "votes",
    "likes",
    "views",
    "stars",
    "stock",
    "capacity",
    "population",
];
/// Words before a number that is the name of something.
const CODED: &[&str] = &[
    "room", "gate", "seat", "platform", "bay", "flight", "route", "bus", "tram", "train", "plate",
    "size", "model", "port", "channel", "table", "zip", "zipcode", "postcode", "postal", "plz",
    "code", "ean", "upc", "gtin", "isbn", "sku", "barcode", "phone", "tel", "mobile", "msisdn",
    "ip", "mac", "asn", "build", "area", "desk", "locker", "bin", "shelf", "aisle", "account",
    "iban", "bic", "dial", "prefix", "country",
];
/// Words before the number of a version of software.
const VERSIONS: &[&str] = &[
    "v", "ver", "version", "versions", "fw", "firmware", "release", "rel", "semver", "sw",
    "software", "app", "tag", "api",
];
/// Words for the newest one.
const NEWEST: &[&str] =
    &["latest", "current", "newest", "head", "live", "active", "last", "now", "published"];
/// Units that are glued to a number.
const UNITS: &[&str] = &[
    "m", "km", "cm", "mm", "ft", "in", "mi", "kg", "g", "mg", "t", "lb", "oz", "l", "ml", "s",
    "ms", "h", "min", "c", "f", "k", "w", "kw", "kwh", "mb", "gb", "kb", "tb", "eur", "usd", "px",
];

/// Words that programs write for a missing value. `None` is a name, too.
const PLACEHOLDERS: &[&str] = &[
    "undefined",
    "null",
    "NULL",
    "nil",
    "NaN",
    "nan",
    "None",
    "<nil>",
    "(null)",
    "%s",
    "%d",
    "Invalid Date",
    "Invalid date",
];

fn is_in(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Returns whether a number behind a word counts or measures something.
pub(crate) fn is_counted(word: &str) -> bool {
    is_in(COUNTED, word)
}

/// Returns whether a number behind a word is a name.
pub(crate) fn is_coded(word: &str) -> bool {
    is_in(CODED, word) && !is_counted(word)
}

/// Returns whether versions of software follow a word.
pub(crate) fn is_of_versions(word: &str) -> bool {
    is_in(VERSIONS, word)
}

/// Returns whether a word names the newest of several versions.
pub(crate) fn is_newest(word: &str) -> bool {
    is_in(NEWEST, word)
}

/// Returns whether a text is what programs write for a missing value.
pub(crate) fn is_placeholder_word(text: &str) -> bool {
    PLACEHOLDERS.contains(&text)
}

/// Returns whether letters behind a number are a unit.
pub(crate) fn is_unit(word: &str) -> bool {
    is_in(UNITS, word)
}

/// Returns the words of a name such as `createdAt`, `GSI1SK` or `by-total`, in small letters.
pub(crate) fn of_name(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        let starts = character.is_uppercase() && was_small;
        if (starts || !character.is_alphabetic())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if character.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// How capitals are used in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Capitals {
    /// `open`
    None,
    /// `OPEN`
    All,
    /// `Open`, `Open Orders`
    First,
    /// `oPeN`, `openOrders`
    Some,
}

/// Returns how capitals are used in a text.
pub(crate) fn capitals(text: &str) -> Capitals {
    let letters = || text.chars().filter(|character| character.is_alphabetic());
    if !letters().any(char::is_uppercase) {
        return Capitals::None;
    }
    if !letters().any(char::is_lowercase) {
        return Capitals::All;
    }
    let words = text.split(|character: char| !character.is_alphanumeric());
    let is_first = |word: &str| word.chars().skip(1).all(|character| !character.is_uppercase());
    if words.into_iter().all(is_first) { Capitals::First } else { Capitals::Some }
}

/// Returns a component as the word that names its value and the value: `unitid_b45`, `level=7`.
pub(crate) fn named_value(text: &str) -> Option<(&str, &str)> {
    let place = text.find(|character: char| !character.is_alphanumeric())?;
    let (name, rest) = text.split_at(place);
    let value = rest.strip_prefix(['_', '=', ':', '-'])?;
    let is_word = name.len() > 1 && name.chars().all(char::is_alphabetic);
    is_word.then_some((name, value))
}

/// Returns the letters and digits of a text, in small letters.
pub(crate) fn folded(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
