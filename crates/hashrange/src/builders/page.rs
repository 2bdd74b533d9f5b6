//! A page of items.

use hashrange_model::Item;

/// A page of a Query or a Scan: at most 1 MB of items.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T = Item> {
    items: Vec<T>,
    count: usize,
    examined: usize,
    next: Option<Item>,
    read_units: f64,
}

impl<T> Page<T> {
    pub(super) fn new(
        items: Vec<T>,
        (count, examined): (usize, usize),
        next: Option<Item>,
        read_units: f64,
    ) -> Self {
        Self { items, count, examined, next, read_units }
    }

    /// Returns the items, the numbers found and read, the start of the next page, the read units.
    pub(super) fn into_parts(self) -> (Vec<T>, (usize, usize), Option<Item>, f64) {
        (self.items, (self.count, self.examined), self.next, self.read_units)
    }

    /// Returns the items, in the order of the sort key.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Visits the items, in the order of the sort key.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns the items.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Returns the number of items found.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of items read to find them: more than were found if a filter dropped
    /// some.
    pub fn examined(&self) -> usize {
        self.examined
    }

    /// Returns the start of the next page, to be given to `start`; `None` if this is the last one.
    pub fn next_key(&self) -> Option<&Item> {
        self.next.as_ref()
    }

    /// Returns the read units that the page costs on the service.
    pub fn read_units(&self) -> f64 {
        self.read_units
    }
}

impl<T> IntoIterator for Page<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Page<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
