//! A set of document paths merged into a tree: finds overlaps and conflicts among the paths, and
//! reduces values to the parts that the paths name.

use crate::path::{DocumentPath, Name, PathStep};
use hashrange_model::encode::Encoder;
use hashrange_model::error::ExpressionFault;
use hashrange_model::{Item, ValueRef};
use std::collections::BTreeMap;

/// Paths merged by their common beginnings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PathTree {
    attributes: BTreeMap<Name, Branch>,
}

/// Named part of a value: all of it if a path ends here, else the parts of the children.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Branch {
    members: BTreeMap<Name, Branch>,
    elements: BTreeMap<usize, Branch>,
    /// Offset of the first path that came here.
    first_path: usize,
    /// A path ends here; then there are no children.
    is_end: bool,
}

impl Branch {
    fn child(&mut self, step: &PathStep, nth_path: usize) -> &mut Self {
        let new = || Self { first_path: nth_path, ..Self::default() };
        match step {
            PathStep::Member(name) => self.members.entry(name.clone()).or_insert_with(new),
            PathStep::Element(offset) => self.elements.entry(*offset).or_insert_with(new),
        }
    }

    /// Returns the path that uses this place as the other kind of container than `step` does.
    fn conflicting(&self, step: &PathStep) -> Option<usize> {
        match step {
            PathStep::Member(_) => self.elements.values().map(|branch| branch.first_path).min(),
            PathStep::Element(_) => self.members.values().map(|branch| branch.first_path).min(),
        }
    }
}

impl PathTree {
    /// Merges `paths`. Refuses two of which one contains the other, then two that use one place as
    /// list and as map.
    pub(crate) fn build<'p>(
        paths: impl Iterator<Item = &'p DocumentPath> + Clone,
    ) -> Result<Self, ExpressionFault> {
        let mut tree = Self::default();
        let mut conflict = None;
        for (nth, path) in paths.clone().enumerate() {
            if let Some(earlier) = tree.insert(path, nth, &mut conflict) {
                let (one, two) = nth_texts(paths, earlier, nth);
                return Err(ExpressionFault::Overlap(one, two));
            }
        }
        match conflict {
            Some((earlier, nth)) => {
                let (one, two) = nth_texts(paths, earlier, nth);
                Err(ExpressionFault::Conflict(one, two))
            }
            None => Ok(tree),
        }
    }

    /// Returns the tree of top-level attributes.
    pub(crate) fn of_attributes<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let whole = Branch { is_end: true, ..Branch::default() };
        let attributes = names.into_iter().map(|name| (name.into(), whole.clone())).collect();
        Self { attributes }
    }

    /// Adds a path; returns the earlier path that overlaps it.
    fn insert(
        &mut self,
        path: &DocumentPath,
        nth: usize,
        conflict: &mut Option<(usize, usize)>,
    ) -> Option<usize> {
        let mut is_new = false;
        let mut branch = self.attributes.entry(path.attribute.clone()).or_insert_with(|| {
            is_new = true;
            Branch { first_path: nth, ..Branch::default() }
        });
        for step in &path.steps {
            if !is_new && branch.is_end {
                return Some(branch.first_path);
            }
            if let Some(earlier) = branch.conflicting(step) {
                conflict.get_or_insert((earlier, nth));
            }
            branch = branch.child(step, nth);
            is_new = branch.first_path == nth;
        }
        branch.is_end = true;
        (!is_new).then_some(branch.first_path)
    }

    /// Returns the paths, in the order of their names.
    pub(crate) fn paths(&self) -> Vec<DocumentPath> {
        let mut paths = Vec::new();
        for (name, branch) in &self.attributes {
            branch.collect_paths(DocumentPath::top_level(name.clone()), &mut paths);
        }
        paths
    }

    /// Returns the names of the top-level attributes.
    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.keys().map(AsRef::as_ref)
    }

    /// Returns the names of the top-level attributes that paths lead into.
    pub(crate) fn names_looked_into(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(|(_, branch)| !branch.is_end).map(|(name, _)| name.as_ref())
    }

    /// Returns the item reduced to the parts that the paths name.
    pub(crate) fn reduce(&self, item: &Item) -> Item {
        if self.attributes.values().all(|branch| branch.is_end) {
            return item.retain(|name| self.attributes.contains_key(name));
        }
        let mut encoder = Encoder::new();
        let mark = encoder.begin_item();
        for (name, value) in item.iter() {
            if let Some(branch) = self.attributes.get(name)
                && branch.finds_in(value)
            {
                encoder.map_entry(name);
                branch.write(value, &mut encoder);
            }
        }
        encoder.end_item(mark)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an iterator is taken as iterators are")]
fn nth_texts<'p>(
    paths: impl Iterator<Item = &'p DocumentPath> + Clone,
    one: usize,
    two: usize,
) -> (String, String) {
    let text = |nth| paths.clone().nth(nth).map(ToString::to_string).unwrap_or_default();
    (text(one), text(two))
}

impl Branch {
    /// Adds the paths that end below `path`.
    fn collect_paths(&self, path: DocumentPath, paths: &mut Vec<DocumentPath>) {
        let members = self.members.iter().map(|(name, it)| (PathStep::Member(name.clone()), it));
        let elements = self.elements.iter().map(|(offset, it)| (PathStep::Element(*offset), it));
        for (step, branch) in members.chain(elements) {
            let mut longer = path.clone();
            longer.steps.push(step);
            branch.collect_paths(longer, paths);
        }
        if self.is_end {
            paths.push(path);
        }
    }

    /// Returns true if `value` has any part that the branch names.
    fn finds_in(&self, value: ValueRef<'_>) -> bool {
        if self.is_end {
            return true;
        }
        match value {
            ValueRef::M(entries) => self
                .members
                .iter()
                .any(|(name, branch)| entries.get(name).is_some_and(|it| branch.finds_in(it))),
            ValueRef::L(elements) => elements.iter().enumerate().any(|(offset, element)| {
                self.elements.get(&offset).is_some_and(|branch| branch.finds_in(element))
            }),
            _ => false,
        }
    }

    /// Writes the parts that the branch names; lists are compacted in the order of their elements.
    fn write(&self, value: ValueRef<'_>, encoder: &mut Encoder) {
        match value {
            ValueRef::M(entries) if !self.is_end => {
                let mark = encoder.begin_map();
                for (name, entry) in entries.iter() {
                    if let Some(branch) = self.members.get(name)
                        && branch.finds_in(entry)
                    {
                        encoder.map_entry(name);
                        branch.write(entry, encoder);
                    }
                }
                encoder.end_map(mark);
            }
            ValueRef::L(elements) if !self.is_end => {
                let mark = encoder.begin_list();
                for (offset, element) in elements.iter().enumerate() {
                    if let Some(branch) = self.elements.get(&offset)
                        && branch.finds_in(element)
                    {
                        branch.write(element, encoder);
                    }
                }
                encoder.end_list(mark);
            }
            whole => encoder.value_ref(&whole),
        }
    }
}
