//! Many paths looked up in one item.
//!
//! To find one attribute, a reader walks the binary form of an item from its beginning, and so it
//! does with maps and lists. An expression of 4 KB can name hundreds of places in an item of 400
//! KB, and `AttributeUpdates` a hundred thousand; walking for each of them would take seconds. So a
//! reader of more than a few paths decodes each large container once, into a list that it can
//! search.

use crate::path::{DocumentPath, PathStep};
use hashrange_model::{Item, ValueRef};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Fewest paths for which containers are decoded.
const PATHS_MIN: usize = 8;
/// Smallest container that is decoded, in bytes.
const CONTAINER_MIN_BYTES: usize = 512;

/// An item in which paths are looked up.
#[derive(Debug)]
pub(crate) struct Lookup<'i> {
    item: &'i Item,
    /// Large containers decoded so far, by the address of their bytes; `None` if paths are few.
    containers: Option<RefCell<BTreeMap<usize, Container<'i>>>>,
}

/// Content of a container, decoded.
#[derive(Debug)]
enum Container<'i> {
    /// In byte order of the names, as the item has them.
    Entries(Vec<(&'i str, ValueRef<'i>)>),
    Elements(Vec<ValueRef<'i>>),
}

impl<'i> Lookup<'i> {
    /// Prepares to look up about `paths` paths.
    pub(crate) fn new(item: &'i Item, paths: usize) -> Self {
        let containers = (paths >= PATHS_MIN).then(RefCell::default);
        Self { item, containers }
    }

    /// Returns the value at the path; a step into the wrong container finds nothing.
    pub(crate) fn find(&self, path: &DocumentPath) -> Option<ValueRef<'i>> {
        let Some(containers) = &self.containers else { return path.find(self.item) };
        let mut containers = containers.borrow_mut();
        let top = ValueRef::M(self.item.attributes());
        let first = member(&mut containers, top, &path.attribute)?;
        path.steps.iter().try_fold(first, |value, step| match step {
            PathStep::Member(name) => member(&mut containers, value, name),
            PathStep::Element(offset) => element(&mut containers, value, *offset),
        })
    }
}

type Containers<'i> = BTreeMap<usize, Container<'i>>;

fn member<'i>(
    containers: &mut Containers<'i>,
    value: ValueRef<'i>,
    name: &str,
) -> Option<ValueRef<'i>> {
    let ValueRef::M(entries) = value else { return None };
    let bytes = entries.as_bytes();
    if bytes.len() < CONTAINER_MIN_BYTES {
        return entries.get(name);
    }
    let laid_out = containers
        .entry(bytes.as_ptr().addr())
        .or_insert_with(|| Container::Entries(entries.iter().collect()));
    let Container::Entries(entries) = laid_out else { return None };
    let nth = entries.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(entries[nth].1)
}

fn element<'i>(
    containers: &mut Containers<'i>,
    value: ValueRef<'i>,
    offset: usize,
) -> Option<ValueRef<'i>> {
    let ValueRef::L(elements) = value else { return None };
    let bytes = elements.as_bytes();
    if bytes.len() < CONTAINER_MIN_BYTES {
        return elements.get(offset);
    }
    let laid_out = containers
        .entry(bytes.as_ptr().addr())
        .or_insert_with(|| Container::Elements(elements.iter().collect()));
    let Container::Elements(elements) = laid_out else { return None };
    elements.get(offset).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_model::AttributeValue;

    fn large() -> Item {
        let numbers = |count: i32| AttributeValue::list((0..count).map(AttributeValue::from));
        let names: Vec<String> = (0..300).map(|nth| format!("n{nth:03}")).collect();
        let wide = names.iter().map(|name| (name.as_str(), AttributeValue::from(name.as_str())));
        let m = AttributeValue::map(wide.clone().chain([("l", numbers(500))]));
        let lists = AttributeValue::list([numbers(400), AttributeValue::list([numbers(200)])]);
        Item::from_attributes(wide.chain([("m", m), ("lists", lists), ("s", 1.into())]))
    }

    #[test]
    fn each_large_container_is_laid_out_once() {
        let item = large();
        let lookup = Lookup::new(&item, PATHS_MIN);
        for offset in 0..400 {
            let steps = vec![PathStep::Element(0), PathStep::Element(offset)];
            lookup.find(&DocumentPath { attribute: "lists".into(), steps });
            lookup.find(&DocumentPath::top_level(format!("n{offset:03}")));
        }
        let containers = lookup.containers.map(|it| it.into_inner().len());
        assert_eq!(containers, Some(3), "the item, `lists` and its first list");
    }

    #[test]
    fn a_laid_out_item_shows_what_a_walk_finds() {
        let item = large();
        let step = |name: &str| PathStep::Member(name.into());
        let paths = [
            ("s", vec![]),
            ("gone", vec![]),
            ("n299", vec![]),
            ("n299", vec![step("x")]),
            ("m", vec![step("n007")]),
            ("m", vec![step("gone")]),
            ("m", vec![step("l"), PathStep::Element(499)]),
            ("m", vec![step("l"), PathStep::Element(500)]),
            ("m", vec![PathStep::Element(0)]),
            ("lists", vec![PathStep::Element(0), PathStep::Element(399)]),
            ("lists", vec![PathStep::Element(1), PathStep::Element(0), PathStep::Element(7)]),
            ("lists", vec![step("a")]),
        ];
        let (few, many) = (Lookup::new(&item, 1), Lookup::new(&item, PATHS_MIN));
        for (attribute, steps) in paths {
            let path = DocumentPath { attribute: attribute.into(), steps };
            assert_eq!(many.find(&path), few.find(&path), "{path}");
            assert_eq!(many.find(&path), path.find(&item), "{path}");
        }
    }
}
