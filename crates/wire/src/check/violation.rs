//! A violation: path, constraint, and the value that was given.

/// A violated constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path of the value in the request.
    pub path: Path,
    /// Value in the form that messages show; `None` if it is missing.
    pub value: Option<String>,
    /// Constraint that it violates.
    pub constraint: Constraint,
}

/// Constraint on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// A required member, or any element of a collection, must be there.
    NotNull,
    /// Least characters, elements or entries.
    LengthMin(i64),
    /// Most characters, elements or entries.
    LengthMax(i64),
    /// Least value.
    ValueMin(i64),
    /// Greatest value.
    ValueMax(i64),
    /// The pattern as the model writes it.
    Pattern(&'static str),
    /// One of the names of the enum with this name.
    Enum {
        /// The enum's name in the model.
        shape: &'static str,
        /// Its values in the order of the model.
        values: &'static [&'static str],
    },
    /// The keys of a map: all constraints on each.
    MapKeys(Vec<Constraint>),
    /// The values of a map: all constraints on each.
    MapValues(Vec<Constraint>),
}

/// Path of a value in a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Segment>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// To a member of a structure.
    Member(&'static str),
    /// To an element of a list, counted from 1.
    Element(usize),
    /// To the value of a key of a map.
    Key(String),
}

impl Path {
    /// Returns the path of a value below this one.
    pub(super) fn to(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }

    /// Returns the request's own member that the path leads into.
    pub fn top(&self) -> Option<&'static str> {
        match self.0.first() {
            Some(Segment::Member(name)) => Some(name),
            _ => None,
        }
    }

    /// Returns whether the path ends at a value of a map.
    pub(super) fn is_map_value(&self) -> bool {
        matches!(self.0.last(), Some(Segment::Key(_)))
    }

    /// Returns whether the path ends at a member of the request itself.
    pub fn is_top(&self) -> bool {
        self.0.len() == 1
    }
}
