//! Limits that the service enforces instead of those of its model.
//!
//! The difference becomes a shape of its own, to which the members concerned are pointed.

use super::facts::{Facts, Shape};

/// Members that take a table's name or its ARN have this kind of shape in the facts.
pub const TABLE_REFERENCE: &str = "table reference";

/// The shape the model gives to such members; it knows only the length of an ARN.
const TABLE_ARN: &str = "TableArn";

/// The structures in which data operations name a table.
const DATA_SHAPES: &[&str] = &[
    "GetItemInput",
    "PutItemInput",
    "UpdateItemInput",
    "DeleteItemInput",
    "QueryInput",
    "ScanInput",
    "SearchVectorsInput",
    "Get",
    "Put",
    "Update",
    "Delete",
    "ConditionCheck",
];

/// Changes the facts to the service's limits.
pub fn apply(facts: &mut Facts) {
    // Source: responses of the service, 2026: data operations look a table up by a name of one character, control
    // operations want three, and messages say the same of the keys of a batch's map.
    let data_name = add_table_reference(facts, "TableReference", 1);
    let control_name = add_table_reference(facts, "ControlTableReference", 3);
    let batch_key = add_table_reference(facts, "BatchTableReference", 3);
    for (name, shape) in &mut facts.shapes {
        let is_of_data = DATA_SHAPES.contains(&name.as_str());
        for member in &mut shape.members {
            if member.name == "TableName" && member.shape == TABLE_ARN {
                member.shape.clone_from(if is_of_data { &data_name } else { &control_name });
            }
        }
    }
    for map in ["BatchGetRequestMap", "BatchWriteItemRequestMap"] {
        facts.shape_mut(map).key = Some(batch_key.clone());
    }
    limit_table_keys(facts);
}

fn add_table_reference(facts: &mut Facts, name: &str, min: i64) -> String {
    let shape = Shape { kind: TABLE_REFERENCE.to_owned(), min: Some(min), ..Shape::default() };
    facts.shapes.insert(name.to_owned(), shape);
    name.to_owned()
}

/// A table and a local index have at most two key attributes; the model's list is that of global
/// indexes, which may have eight. A new table needs a key and definitions, which the model leaves
/// open for replicas. Source: CreateTable responses of the service for three key elements, and for
/// none, 2026-10.
fn limit_table_keys(facts: &mut Facts) {
    let model = facts.shape("KeySchema");
    let shape = Shape {
        kind: model.kind.clone(),
        element: model.element.clone(),
        min: model.min,
        max: Some(2),
        ..Shape::default()
    };
    facts.shapes.insert("TableKeySchema".to_owned(), shape);
    for structure in ["CreateTableInput", "LocalSecondaryIndex"] {
        for member in &mut facts.shape_mut(structure).members {
            if member.name == "KeySchema" {
                "TableKeySchema".clone_into(&mut member.shape);
            }
            if structure == "CreateTableInput"
                && ["KeySchema", "AttributeDefinitions"].contains(&member.name.as_str())
            {
                member.required = true;
            }
        }
    }
}
