//! Converts key conditions into the byte range that holds exactly the matching entries.

use super::component::{escaped, scalar, terminated};
use crate::schema::KeyType;
use hashrange_expr::KeyOperator;
use hashrange_model::Value;
use hashrange_storage::{Key, KeyRange};

/// Builder of a range below one partition key value.
#[derive(Debug)]
pub(crate) struct SortBounds {
    prefix: Key,
    /// True if the sort key ends the byte key (base table); false if it is terminated (indexes).
    is_last: bool,
}

impl SortBounds {
    /// Starts with the bytes up to and including the partition key.
    pub(crate) fn new(partition_prefix: Key, is_last: bool) -> Self {
        Self { prefix: partition_prefix, is_last }
    }

    /// Narrows the range to one value of the next sort key attribute.
    pub(crate) fn push_equal(&mut self, key_type: KeyType, value: &Value) {
        let payload = payload(value);
        if self.is_last {
            self.prefix.extend_from_slice(payload);
        } else {
            terminated(&mut self.prefix, key_type, payload);
        }
    }

    /// Returns the range of all keys that begin with the bytes so far.
    pub(crate) fn all(self) -> KeyRange {
        KeyRange::prefix(&self.prefix)
    }

    /// Returns the range of exactly the sort key that the bytes so far hold.
    pub(crate) fn exact(self) -> KeyRange {
        if !self.is_last {
            return self.all();
        }
        let end = self.after_payload(self.prefix.clone());
        KeyRange { start: self.prefix, end }
    }

    /// Returns the range of the keys that match a condition on the next sort key attribute.
    pub(crate) fn narrowed(mut self, key_type: KeyType, operator: &KeyOperator) -> KeyRange {
        let whole = KeyRange::prefix(&self.prefix);
        match operator {
            KeyOperator::Equal(value) => {
                self.push_equal(key_type, value);
                self.exact()
            }
            KeyOperator::Less(value) => {
                KeyRange { start: whole.start, end: Some(self.at(key_type, value)) }
            }
            KeyOperator::LessOrEqual(value) => {
                KeyRange { start: whole.start, end: self.after(key_type, value) }
            }
            KeyOperator::Greater(value) => match self.after(key_type, value) {
                Some(start) => KeyRange { start, end: whole.end },
                None => KeyRange { start: whole.start.clone(), end: Some(whole.start) },
            },
            KeyOperator::GreaterOrEqual(value) => {
                KeyRange { start: self.at(key_type, value), end: whole.end }
            }
            KeyOperator::Between(lower, upper) => {
                KeyRange { start: self.at(key_type, lower), end: self.after(key_type, upper) }
            }
            KeyOperator::BeginsWith(value) => {
                let payload = payload(value);
                if self.is_last {
                    self.prefix.extend_from_slice(payload);
                } else {
                    escaped(&mut self.prefix, payload);
                }
                self.all()
            }
        }
    }

    /// Returns the first key with this value.
    fn at(&self, key_type: KeyType, value: &Value) -> Key {
        let mut key = self.prefix.clone();
        if self.is_last {
            key.extend_from_slice(payload(value));
        } else {
            terminated(&mut key, key_type, payload(value));
        }
        key
    }

    /// Returns the first key after all keys with this value.
    fn after(&self, key_type: KeyType, value: &Value) -> Option<Key> {
        self.after_payload(self.at(key_type, value))
    }

    fn after_payload(&self, mut key: Key) -> Option<Key> {
        if self.is_last {
            key.push(0);
            return Some(key);
        }
        KeyRange::prefix(&key).end
    }
}

fn payload(value: &Value) -> &[u8] {
    scalar(value.get()).expect("key conditions are checked against the schema's types")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_model::AttributeValue;

    fn value(text: &str) -> Value {
        AttributeValue::from(text).to_value()
    }

    fn contains(range: &KeyRange, key: &[u8]) -> bool {
        range.start.as_slice() <= key && range.end.as_deref().is_none_or(|end| key < end)
    }

    /// Compares a stored value with the operands as strings.
    type Expected = fn(&str, &str, &str) -> bool;

    /// Every operator against every stored value, in both forms, agrees with string comparison.
    #[test]
    fn ranges_hold_exactly_what_the_operators_say() {
        let stored = ["a", "ab", "ab\0", "ab\0c", "abc", "b", "b\u{10FFFF}", "ba", "c"];
        for is_last in [true, false] {
            for low in stored {
                for high in stored {
                    let operators: [(KeyOperator, Expected); 7] = [
                        (KeyOperator::Equal(value(low)), |s, low, _| s == low),
                        (KeyOperator::Less(value(low)), |s, low, _| s < low),
                        (KeyOperator::LessOrEqual(value(low)), |s, low, _| s <= low),
                        (KeyOperator::Greater(value(low)), |s, low, _| s > low),
                        (KeyOperator::GreaterOrEqual(value(low)), |s, low, _| s >= low),
                        (KeyOperator::BeginsWith(value(low)), |s, low, _| s.starts_with(low)),
                        (KeyOperator::Between(value(low), value(high)), |s, low, high| {
                            low <= s && s <= high
                        }),
                    ];
                    for (operator, expected) in operators {
                        check(is_last, &stored, &operator, |text| expected(text, low, high));
                    }
                }
            }
        }
    }

    fn check(
        is_last: bool,
        stored: &[&str],
        operator: &KeyOperator,
        expected: impl Fn(&str) -> bool,
    ) {
        let bounds = || SortBounds::new(b"prefix".to_vec(), is_last);
        let range = bounds().narrowed(KeyType::S, operator);
        for text in stored {
            let mut key = bounds().at(KeyType::S, &value(text));
            if !is_last {
                key.extend_from_slice(b"base key");
            }
            assert_eq!(contains(&range, &key), expected(text), "{operator:?} {text:?} {is_last}");
        }
    }
}
