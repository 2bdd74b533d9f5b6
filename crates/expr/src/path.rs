//! Document paths: a top-level attribute and the steps into it.

use hashrange_model::{Item, ValueRef};
use std::fmt;
use std::sync::Arc;

/// A name in a path. Shared, because an expression may use an alias of 64 KB a thousand times.
pub(crate) type Name = Arc<str>;

/// One step of a path into a container.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathStep {
    /// An entry of a map.
    Member(Name),
    /// An element of a list, 0-based.
    Element(usize),
}

/// A document path with its placeholders resolved. Prints as the messages do: `[a, b, [0]]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DocumentPath {
    pub(crate) attribute: Name,
    pub(crate) steps: Vec<PathStep>,
}

impl DocumentPath {
    /// Returns the path of a top-level attribute.
    pub(crate) fn top_level(attribute: impl Into<Name>) -> Self {
        Self { attribute: attribute.into(), steps: Vec::new() }
    }

    /// Returns true if the path leads into an attribute.
    pub(crate) fn is_nested(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns the value at the path; a step into the wrong container finds nothing.
    pub(crate) fn find<'i>(&self, item: &'i Item) -> Option<ValueRef<'i>> {
        self.descend(item.get(&self.attribute)?)
    }

    /// Returns the value that the steps lead to from the value of the attribute.
    pub(crate) fn descend<'i>(&self, attribute: ValueRef<'i>) -> Option<ValueRef<'i>> {
        self.steps.iter().try_fold(attribute, |value, step| match (step, value) {
            (PathStep::Member(name), ValueRef::M(entries)) => entries.get(name),
            (PathStep::Element(offset), ValueRef::L(elements)) => elements.get(*offset),
            _ => None,
        })
    }
}

impl fmt::Display for DocumentPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}", self.attribute)?;
        for step in &self.steps {
            match step {
                PathStep::Member(name) => write!(formatter, ", {name}")?,
                PathStep::Element(offset) => write!(formatter, ", [{offset}]")?,
            }
        }
        formatter.write_str("]")
    }
}
