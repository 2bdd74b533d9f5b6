//! Projections: the part of an item that a read returns.
//!
//! Keys are not added: what is not named is not returned.

use crate::parse::Parser;
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use hashrange_model::Item;
use hashrange_model::error::{ExpressionFault, ExpressionKind, Reason};

/// A compiled ProjectionExpression or AttributesToGet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection(PathTree);

/// Compiles a ProjectionExpression.
pub fn projection(text: &str, placeholders: &mut Placeholders<'_>) -> Result<Projection, Reason> {
    compile(text, placeholders)
        .map(Projection)
        .map_err(|fault| Reason::Expression(ExpressionKind::Projection, fault))
}

fn compile(text: &str, placeholders: &mut Placeholders<'_>) -> Result<PathTree, ExpressionFault> {
    let mut parser = Parser::new(ExpressionKind::Projection, text, placeholders)?;
    let mut paths = vec![parser.target()?];
    while parser.eat_comma() {
        paths.push(parser.target()?);
    }
    parser.expect_end()?;
    parser.found.check_reserved()?;
    parser.found.check_defined()?;
    parser.found.check_limits()?;
    PathTree::build(paths.iter())
}

impl Projection {
    /// Returns the projection to top-level attributes, as AttributesToGet and indexes have it.
    pub fn from_attribute_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(PathTree::of_attributes(names))
    }

    /// Returns what the projection names of `item`; of lists, the named elements move together.
    pub fn apply(&self, item: &Item) -> Item {
        self.0.reduce(item)
    }

    /// Returns the top-level attributes that the projection reads, each once.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.0.attribute_names()
    }
}
