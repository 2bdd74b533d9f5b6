//! Projections: the part of an item that a read returns.
//!
//! Keys are not added: a read returns only what the projection names.

use crate::parse::Parser;
use crate::path::{DocumentPath, Name, PathStep};
use crate::path_tree::PathTree;
use crate::placeholders::Placeholders;
use hashrange_model::Item;
use hashrange_model::encode::Encoder;
use hashrange_model::error::{ExpressionFault, ExpressionKind, Reason};

/// A compiled `ProjectionExpression` or `AttributesToGet`, or the columns of a SELECT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// The item, reduced to the parts that the paths name.
    Tree(PathTree),
    /// The values at the paths as attributes, each with the name of its column; and the tree, if
    /// every path is a whole attribute, because it gives the same result faster.
    Columns(Vec<(Name, DocumentPath)>, Option<PathTree>),
}

/// Compiles a `ProjectionExpression`.
pub fn projection(text: &str, placeholders: &mut Placeholders<'_>) -> Result<Projection, Reason> {
    compile(text, placeholders)
        .map(|tree| Projection(Form::Tree(tree)))
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
    /// Returns the projection to top-level attributes, as `AttributesToGet` and indexes have it.
    pub fn from_attribute_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(Form::Tree(PathTree::of_attributes(names)))
    }

    /// Returns the projection of a SELECT. A path gives a column with its last name and the list
    /// indexes after that. Source: attribute names that programs read after `SELECT l[0], m.n[0]`:
    /// `l[0]`, `n[0]`.
    pub(crate) fn from_columns(paths: Vec<DocumentPath>) -> Self {
        let is_nested = paths.iter().any(DocumentPath::is_nested);
        let tree = (!is_nested)
            .then(|| PathTree::of_attributes(paths.iter().map(|path| &*path.attribute)));
        let named = |path: DocumentPath| (column_name(&path), path);
        Self(Form::Columns(paths.into_iter().map(named).collect(), tree))
    }

    /// Returns the paths: those of a SELECT in its order, others in the order of their names.
    pub(crate) fn paths(&self) -> Vec<DocumentPath> {
        match &self.0 {
            Form::Tree(tree) => tree.paths(),
            Form::Columns(columns, _) => columns.iter().map(|(_, path)| path.clone()).collect(),
        }
    }

    /// Returns the parts of `item` that the projection names; named elements of lists move
    /// together.
    pub fn apply(&self, item: &Item) -> Item {
        match &self.0 {
            Form::Tree(tree) | Form::Columns(_, Some(tree)) => tree.reduce(item),
            Form::Columns(columns, None) => select(columns, item),
        }
    }

    /// Returns the top-level attributes that the projection looks into; none for a SELECT.
    pub fn names_looked_into(&self) -> impl Iterator<Item = &str> {
        let tree = match &self.0 {
            Form::Tree(tree) => Some(tree),
            Form::Columns(..) => None,
        };
        tree.into_iter().flat_map(PathTree::names_looked_into)
    }

    /// Returns the top-level attributes that the projection reads, each once; those of a SELECT in
    /// its order.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        let (tree, columns) = match &self.0 {
            Form::Tree(tree) => (Some(tree), &[][..]),
            Form::Columns(columns, _) => (None, &columns[..]),
        };
        let columns = columns.iter().enumerate().filter(|(nth, (_, path))| {
            columns[..*nth].iter().all(|(_, earlier)| earlier.attribute != path.attribute)
        });
        tree.into_iter()
            .flat_map(PathTree::attribute_names)
            .chain(columns.map(|(_, (_, path))| &*path.attribute))
    }
}

/// Returns the last name of a path, with the list indexes that follow it: `n[0]` of `m.n[0]`.
fn column_name(path: &DocumentPath) -> Name {
    let mut column = path.attribute.to_string();
    for step in &path.steps {
        match step {
            PathStep::Member(name) => column = name.to_string(),
            PathStep::Element(offset) => column.extend(["[", &offset.to_string(), "]"]),
        }
    }
    column.into()
}

fn select(columns: &[(Name, DocumentPath)], item: &Item) -> Item {
    let mut encoder = Encoder::new();
    let mark = encoder.begin_item();
    for (name, path) in columns {
        if let Some(value) = path.find(item) {
            encoder.map_entry(name);
            encoder.value_ref(&value);
        }
    }
    encoder.end_item(mark)
}
