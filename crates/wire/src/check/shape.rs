//! Shapes of the model as data, for a walk that works without types.

/// An offset into the table of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeId(pub u16);

/// A shape.
#[derive(Debug)]
pub struct Shape {
    /// The name in the model.
    pub name: &'static str,
    /// Its kind, with limits.
    pub kind: Kind,
}

/// Kind of a shape, with its limits.
#[derive(Debug)]
pub enum Kind {
    /// Members in the order of the model.
    Structure(&'static [Member]),
    /// A list, limited in length.
    List { element: ShapeId, min: Option<i64>, max: Option<i64> },
    /// A map, limited in length.
    Map { key: ShapeId, value: ShapeId, min: Option<i64>, max: Option<i64> },
    /// A string, limited in characters.
    String { min: Option<i64>, max: Option<i64>, pattern: Option<Pattern> },
    /// The name of a table, or its ARN.
    TableReference { min: i64 },
    /// A string of which only some values are known.
    Enum(&'static [&'static str]),
    /// A whole number, limited in value.
    Integer { min: Option<i64>, max: Option<i64> },
    /// An attribute value, which has rules of its own.
    AttributeValue,
    /// A map of attribute values.
    Item,
    /// A scalar without limits.
    Unlimited,
}

/// A member of a structure.
#[derive(Debug)]
pub struct Member {
    /// The name on the wire.
    pub name: &'static str,
    /// Its shape.
    pub shape: ShapeId,
    /// True if a request must have it.
    pub required: bool,
}

/// The pattern of a string.
#[derive(Debug)]
pub struct Pattern {
    /// Text in messages.
    pub text: &'static str,
    /// Returns whether a text matches in full.
    pub matches: fn(&str) -> bool,
}
