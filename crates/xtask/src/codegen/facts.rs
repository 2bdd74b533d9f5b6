//! The facts of the service model: names, types, enum values and limits; none of its prose.
//!
//! Members keep the order of the model, because constraint messages are listed in that order.
//! Two services that share a shape name must agree on the shape.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All facts of the generator.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The services, in the order their models were given.
    pub services: Vec<Service>,
    /// The shapes of all services by name.
    pub shapes: BTreeMap<String, Shape>,
}

/// One service and its operations.
#[derive(Debug, Serialize, Deserialize)]
pub struct Service {
    /// The service's identifier, for example `DynamoDB Streams`.
    pub id: String,
    /// Text before the dot in `X-Amz-Target`.
    pub target_prefix: String,
    /// The operations in the order of the model.
    pub operations: Vec<Operation>,
}

/// One operation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Operation {
    /// The operation's name, for example `PutItem`.
    pub name: String,
    /// The shape of the request.
    pub input: String,
    /// The shape of the response; absent when the answer has no body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The exceptions the operation declares.
    pub errors: Vec<String>,
}

/// One shape.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shape {
    /// The kind of shape: structure, list, map or a scalar type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether a structure is an error.
    #[serde(skip_serializing_if = "is_false")]
    pub exception: bool,
    /// The members of a structure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// The shape of a list's elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// The shape of a map's keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The shape of a map's values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The values of an enum, in the order of the model.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The least length or value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// The greatest length or value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// The pattern of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// One member of a structure.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The name on the wire.
    pub name: String,
    /// The member's shape.
    pub shape: String,
    /// Whether a request must carry the member.
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Operation {
    /// Returns the name of the response type, which exists even for an answer without a body.
    pub fn output_name(&self) -> String {
        self.output.clone().unwrap_or_else(|| format!("{}Output", self.name))
    }
}

impl Facts {
    /// Reads the facts file.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("parse facts: {error}"))
    }

    /// Returns the facts file: one line for each operation and each shape.
    pub fn to_json(&self) -> Result<String, String> {
        let mut text = String::from("{\"services\": [");
        for (nth, service) in self.services.iter().enumerate() {
            text.push_str(if nth == 0 { "\n" } else { ",\n" });
            append_service(&mut text, service)?;
        }
        text.push_str("\n], \"shapes\": {");
        for (nth, (name, shape)) in self.shapes.iter().enumerate() {
            text.push_str(if nth == 0 { "\n" } else { ",\n" });
            append(&mut text, format_args!("{}: {}", to_json(name)?, to_json(shape)?));
        }
        text.push_str("\n}}\n");
        Ok(text)
    }

    /// Adds the facts of a service model, the JSON file of an AWS SDK.
    pub fn add_service_model(&mut self, text: &str) -> Result<(), String> {
        let model: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for (name, shape) in object(&model, "shapes")? {
            let shape = read_shape(shape).map_err(|error| format!("shape {name}: {error}"))?;
            if let Some(known) = self.shapes.get(name)
                && *known != shape
            {
                return Err(format!("shape {name} differs from another service's"));
            }
            self.shapes.insert(name.clone(), shape);
        }
        let metadata = &model["metadata"];
        let operations = object(&model, "operations")?;
        self.services.push(Service {
            id: text_of(metadata, "serviceId")?,
            target_prefix: text_of(metadata, "targetPrefix")?,
            operations: operations.values().map(read_operation).collect::<Result<_, _>>()?,
        });
        Ok(())
    }

    /// Returns the shape of a name that the model refers to.
    pub fn shape(&self, name: &str) -> &Shape {
        self.shapes.get(name).unwrap_or_else(|| panic!("the model has no shape {name}"))
    }

    /// Returns the shape of a name that the model refers to, to be changed.
    pub fn shape_mut(&mut self, name: &str) -> &mut Shape {
        self.shapes.get_mut(name).unwrap_or_else(|| panic!("the model has no shape {name}"))
    }

    /// Returns every operation of every service.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.services.iter().flat_map(|service| &service.operations)
    }
}

fn append_service(text: &mut String, service: &Service) -> Result<(), String> {
    let (id, prefix) = (to_json(&service.id)?, to_json(&service.target_prefix)?);
    append(text, format_args!("{{\"id\": {id}, \"target_prefix\": {prefix}, \"operations\": ["));
    for (nth, operation) in service.operations.iter().enumerate() {
        text.push_str(if nth == 0 { "\n" } else { ",\n" });
        text.push_str(&to_json(operation)?);
    }
    text.push_str("\n]}");
    Ok(())
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a String takes any text");
}

fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

fn read_operation(operation: &Value) -> Result<Operation, String> {
    let name = text_of(operation, "name")?;
    let errors = operation["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Operation {
        input: text_of(&operation["input"], "shape").map_err(|error| format!("{name}: {error}"))?,
        output: operation.get("output").map(|output| text_of(output, "shape")).transpose()?,
        errors: errors.iter().map(|error| text_of(error, "shape")).collect::<Result<_, _>>()?,
        name,
    })
}

fn read_shape(shape: &Value) -> Result<Shape, String> {
    Ok(Shape {
        kind: text_of(shape, "type")?,
        exception: shape["exception"].as_bool().unwrap_or_default(),
        members: read_members(shape)?,
        element: reference(shape, "member")?,
        key: reference(shape, "key")?,
        value: reference(shape, "value")?,
        values: strings(&shape["enum"])?,
        min: shape["min"].as_i64(),
        max: shape["max"].as_i64(),
        pattern: shape["pattern"].as_str().map(str::to_owned),
    })
}

fn read_members(shape: &Value) -> Result<Vec<Member>, String> {
    let required = strings(&shape["required"])?;
    let Some(members) = shape["members"].as_object() else { return Ok(Vec::new()) };
    members
        .iter()
        .map(|(name, member)| {
            let shape = text_of(member, "shape")?;
            Ok(Member { name: name.clone(), shape, required: required.contains(name) })
        })
        .collect()
}

fn reference(shape: &Value, name: &str) -> Result<Option<String>, String> {
    shape.get(name).map(|target| text_of(target, "shape")).transpose()
}

fn strings(value: &Value) -> Result<Vec<String>, String> {
    let values = value.as_array().map(Vec::as_slice).unwrap_or_default();
    values
        .iter()
        .map(|value| value.as_str().map(str::to_owned).ok_or_else(|| "not a string".to_owned()))
        .collect()
}

fn object<'a>(value: &'a Value, name: &str) -> Result<&'a serde_json::Map<String, Value>, String> {
    value[name].as_object().ok_or_else(|| format!("no object `{name}`"))
}

fn text_of(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("no text `{name}`"))
}
