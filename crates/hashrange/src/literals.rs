//! Short ways to write items, values and table definitions.

use hashrange_model::{AttributeValue, Number};
use hashrange_wire::{
    AttributeDefinition, BillingMode, CreateTableInput, KeySchemaElement, KeyType,
    ScalarAttributeType,
};

/// Returns an [`Item`](crate::Item) of attributes.
///
/// A name is a literal, an identifier, or any expression in parentheses. A value is `null`, a list
/// in `[]`, a map in `{}`, or any expression that converts into an
/// [`AttributeValue`](crate::AttributeValue).
///
/// ```
/// use hashrange::{AttributeValue, item};
/// const PK: &str = "pk";
/// let (number, lines) = (42, vec!["tea", "cup"]);
/// let order = item! {
///     PK: "USER#alex",
///     "sk": format!("ORDER#{number:04}"),
///     (format!("line{}s", "")): lines,
///     "total": 12.90,
///     "note": null,
///     "address": { "city": "Omaha", "lines": ["Main St 1", { "floor": 2 }] },
///     "tags": AttributeValue::string_set(["new", "paid"]),
/// };
/// assert_eq!(order.get_as::<f64>("total")?, 12.9);
/// assert_eq!(order.iter().count(), 7);
/// # Ok::<(), hashrange::Error>(())
/// ```
///
/// A float literal, like `12.90`, stands for exactly these digits. A computed float may be no
/// number that can be stored, so the program converts it first, with
/// [`AttributeValue::try_from`](crate::AttributeValue):
///
/// ```
/// # use hashrange::{AttributeValue, NumberFault, item};
/// let price = 12.9 * 1.19;
/// let order = item! { "price": AttributeValue::try_from(price)? };
/// # assert_eq!(order.iter().count(), 1);
/// # Ok::<(), NumberFault>(())
/// ```
///
/// ```compile_fail
/// # use hashrange::item;
/// let price = 12.9 * 1.19;
/// let order = item! { "price": price };
/// ```
///
/// # Panics
/// A float literal is out of the range of [`Number`](crate::Number), like `1e200`.
#[macro_export]
macro_rules! item {
    ($($entries:tt)*) => {{
        let entries = $crate::entries!([] $($entries)*);
        $crate::Item::from_attributes(
            entries.iter().map(|(name, value): &(::std::string::String, $crate::AttributeValue)| {
                (name.as_str(), ::std::clone::Clone::clone(value))
            }),
        )
    }};
}

/// Returns values with their names, for parameters of expressions; written as in [`item!`].
///
/// ```
/// use hashrange::{Database, values};
/// # let database = Database::memory().blocking();
/// # database.create("orders", "country:S").run()?;
/// let found = database
///     .query("orders")
///     .key("country = :country")
///     .filter("total > :least and not vip = :vip")
///     .values(values! { ":country": "NL", ":least": 100, ":vip": true })
///     .run()?;
/// assert_eq!(found.items().len(), 0);
/// # Ok::<(), hashrange::Error>(())
/// ```
#[macro_export]
macro_rules! values {
    ($($entries:tt)*) => { $crate::entries!([] $($entries)*) };
}

/// Collects entries, `name: value, ...`, into a vector.
#[doc(hidden)]
#[macro_export]
macro_rules! entries {
    ([$($done:expr,)*]) => {
        {
            let entries: ::std::vec::Vec<(::std::string::String, $crate::AttributeValue)> =
                ::std::vec![$($done),*];
            entries
        }
    };
    ([$($done:expr,)*] $name:tt : null $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::AttributeValue::Null),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : [$($list:tt)*] $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::elements!([] $($list)*)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : {$($map:tt)*} $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!(
            $name, $crate::AttributeValue::map($crate::entries!([] $($map)*))
        ),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : $value:ident $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::AttributeValue::from($value)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : ($($value:tt)*) $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::AttributeValue::from(($($value)*))),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : $value:tt $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::literal!($value)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : - $value:ident $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::AttributeValue::from(-$value)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : - ($($value:tt)*) $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::AttributeValue::from(-($($value)*))),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : - $value:tt $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::literal!(-$value)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $name:tt : $value:expr $(, $($rest:tt)*)?) => {
        $crate::entries!([$($done,)* $crate::entry!($name, $crate::AttributeValue::from($value)),] $($($rest)*)?)
    };
}

/// Collects elements of a list into a value.
#[doc(hidden)]
#[macro_export]
macro_rules! elements {
    ([$($done:expr,)*]) => {
        {
            let elements: ::std::vec::Vec<$crate::AttributeValue> = ::std::vec![$($done),*];
            $crate::AttributeValue::L(elements)
        }
    };
    ([$($done:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::Null,] $($($rest)*)?)
    };
    ([$($done:expr,)*] [$($list:tt)*] $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::elements!([] $($list)*),] $($($rest)*)?)
    };
    ([$($done:expr,)*] {$($map:tt)*} $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::map($crate::entries!([] $($map)*)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $value:ident $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::from($value),] $($($rest)*)?)
    };
    ([$($done:expr,)*] ($($value:tt)*) $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::from(($($value)*)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $value:tt $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::literal!($value),] $($($rest)*)?)
    };
    ([$($done:expr,)*] - $value:ident $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::from(-$value),] $($($rest)*)?)
    };
    ([$($done:expr,)*] - ($($value:tt)*) $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::from(-($($value)*)),] $($($rest)*)?)
    };
    ([$($done:expr,)*] - $value:tt $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::literal!(-$value),] $($($rest)*)?)
    };
    ([$($done:expr,)*] $value:expr $(, $($rest:tt)*)?) => {
        $crate::elements!([$($done,)* $crate::AttributeValue::from($value),] $($($rest)*)?)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! entry {
    ($name:tt, $value:expr) => {
        (::std::string::String::from($name), $value)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! literal {
    ($($value:tt)*) => {
        $crate::macro_parts::Written::value($($value)*, ::std::stringify!($($value)*))
    };
}

/// A literal in a program.
#[doc(hidden)]
pub trait Written {
    /// Returns the value of a literal that is written as `text`.
    fn value(self, text: &str) -> AttributeValue;
}

macro_rules! written_into {
    ($($literal:ty),*) => {$(
        impl Written for $literal {
            fn value(self, _: &str) -> AttributeValue {
                self.into()
            }
        }
    )*};
}
written_into!(&str, char, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl<const N: usize> Written for &[u8; N] {
    fn value(self, _: &str) -> AttributeValue {
        self.into()
    }
}

macro_rules! written_exactly {
    ($($literal:ty: $suffix:literal),*) => {$(
        impl Written for $literal {
            fn value(self, text: &str) -> AttributeValue {
                let digits: String = text.split([' ', '_']).collect();
                let digits = digits.strip_suffix($suffix).unwrap_or(&digits);
                match Number::parse(digits) {
                    Ok(number) => AttributeValue::N(number),
                    Err(fault) => panic!("{text}: {fault}"),
                }
            }
        }
    )*};
}
written_exactly!(f32: "f32", f64: "f64", i128: "i128", u128: "u128");

/// Returns the definition of an on-demand table with this primary key. Types are `S`, `N` or `B`;
/// the caller can add indexes and settings.
///
/// For any other type the definition has no attribute definition, and CreateTable refuses it.
pub fn create_table<'a>(
    name: &'a str,
    partition_key: (&str, &str),
    sort_key: Option<(&str, &str)>,
) -> CreateTableInput<'a> {
    let keys = [Some((partition_key, KeyType::Hash)), sort_key.map(|key| (key, KeyType::Range))];
    let keys: Vec<_> = keys.into_iter().flatten().collect();
    CreateTableInput {
        table_name: Some(name.into()),
        attribute_definitions: Some(
            keys.iter()
                .map(|((name, key_type), _)| AttributeDefinition {
                    attribute_name: Some((*name).to_owned()),
                    attribute_type: ScalarAttributeType::from_wire(key_type),
                })
                .collect(),
        ),
        key_schema: Some(
            keys.iter()
                .map(|((name, _), role)| KeySchemaElement {
                    attribute_name: Some((*name).to_owned()),
                    key_type: Some(*role),
                })
                .collect(),
        ),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableInput::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::{AttributeValue, Item, Number};

    #[test]
    fn items_are_written_as_json_with_expressions() {
        const PK: &str = "pk";
        let (price, list, deep) = (3, vec![1, 2], AttributeValue::Null);
        let written = item! {
            PK: "a",
            ("n".to_owned() + "1"): price + 1,
            "n2": -price,
            "n3": -(price),
            "n4": -1.50,
            "n5": 1_000.25_f32,
            "n6": -0.1,
            "n7": 7_i128,
            "b": b"xy",
            "t": true,
            "z": null,
            "l": [1, "a", null, [], {}, price, (price * 2), -price, -2.5, list.len(), { "x": [deep] }],
            "v": list.clone(),
            "m": { "a": { "b": [true,], }, },
            "call": "x".repeat(3),
            "if": if price > 2 { "more" } else { "less" },
        };
        let number = |text: &str| AttributeValue::N(Number::parse(text).unwrap());
        let map = |name, value| AttributeValue::map([(name, value)]);
        let null = || AttributeValue::Null;
        let elements = vec![
            1.into(),
            "a".into(),
            null(),
            AttributeValue::L(vec![]),
            AttributeValue::M(std::collections::BTreeMap::default()),
            3.into(),
            6.into(),
            number("-3"),
            number("-2.5"),
            2.into(),
            map("x", AttributeValue::L(vec![null()])),
        ];
        let expected = Item::from_attributes([
            ("pk", "a".into()),
            ("n1", 4.into()),
            ("n2", number("-3")),
            ("n3", number("-3")),
            ("n4", number("-1.5")),
            ("n5", number("1000.25")),
            ("n6", number("-0.1")),
            ("n7", 7.into()),
            ("b", AttributeValue::from(b"xy")),
            ("t", true.into()),
            ("z", null()),
            ("l", AttributeValue::L(elements)),
            ("v", vec![1, 2].into()),
            ("m", map("a", map("b", AttributeValue::L(vec![true.into()])))),
            ("call", "xxx".into()),
            ("if", "more".into()),
        ]);
        assert_eq!(written, expected);
        assert_eq!(values! { ":a": 1 }, [(":a".to_owned(), AttributeValue::from(1))]);
        assert_eq!((item! {}, values! {}), (Item::empty(), vec![]));
    }

    #[test]
    #[should_panic(expected = "1e200: the number is 1E126 or more")]
    fn a_literal_that_is_no_number_of_the_service_is_a_mistake_of_the_program() {
        drop(item! { "n": 1e200 });
    }
}
