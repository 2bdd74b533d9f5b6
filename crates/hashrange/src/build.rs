//! Short ways to write items and table definitions.

use hashrange_wire::{
    AttributeDefinition, BillingMode, CreateTableInput, KeySchemaElement, KeyType,
    ScalarAttributeType,
};

/// Returns an [`Item`](crate::Item) of the attributes given, each value converted into an
/// [`AttributeValue`](crate::AttributeValue).
///
/// ```
/// use hashrange::{AttributeValue, item};
/// let order = item! {
///     "pk": "USER#alex",
///     "sk": "ORDER#0042",
///     "total": 129,
///     "lines": AttributeValue::list(["tea".into(), "cup".into()]),
/// };
/// assert_eq!(order.iter().count(), 4);
/// ```
#[macro_export]
macro_rules! item {
    ($($name:literal : $value:expr),* $(,)?) => {
        $crate::Item::from_attributes([$(($name, $crate::AttributeValue::from($value))),*])
    };
}

/// Returns the definition of an on-demand table with this primary key. Types are `S`, `N` or `B`;
/// indexes and settings can be added to what is returned.
///
/// A type that is none of the three leaves the definition without it, which CreateTable refuses.
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
