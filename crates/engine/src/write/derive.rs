//! What the key templates of a table make of an item: the attributes that they derive, and what they
//! refuse.
//!
//! | attribute | mode | put | update |
//! |---|---|---|---|
//! | a key of an index | fill | set, or removed where nothing is derived | the same |
//! | a key of an index | check | must be as derived | the same |
//! | a key of the table | fill | set if it is missing, else must be as derived | must be as derived |
//! | a key of the table | check | must be as derived | must be as derived |
//!
//! A key of the table is derived of every item for which a condition holds: a part that is missing is
//! then a fault. An update whose item differed before, which it cannot mend, is not refused for that.
//! No template uses an attribute that another one derives, so the order of the templates has no effect.

use crate::schema::{DerivedKey, TemplateMode};
use hashrange_expr::Rendered;
use hashrange_model::error::DerivedKeyFault;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{Item, Reason, ValueRef};

/// Returns an item that is put with what is derived from it.
pub(super) fn of_put(derived: &[DerivedKey], item: &Item) -> Result<Item, Reason> {
    let mut changes = Vec::new();
    for key in derived {
        match key.decide(item)? {
            Derived::As(wanted) if key.may_set(item) => changes.push((key, wanted)),
            Derived::As(wanted) => key.check(item, wanted)?,
            Derived::Free => {}
        }
    }
    let item = changed(item, &changes);
    if item.size() > ITEM_SIZE_MAX_BYTES {
        return Err(Reason::ItemTooLarge);
    }
    Ok(item)
}

/// Returns the item `new` that an update makes of `old` with what is derived from it. Its size is not
/// checked.
pub(super) fn of_update(
    derived: &[DerivedKey],
    old: Option<&Item>,
    new: &Item,
) -> Result<Item, Reason> {
    let mut changes = Vec::new();
    for key in derived {
        if key.is_primary {
            let is_as_before = || old.is_some_and(|old| key.check_derived(old).is_err());
            key.check_derived(new)
                .or_else(|fault| if is_as_before() { Ok(()) } else { Err(fault) })?;
            continue;
        }
        match key.decide(new)? {
            Derived::As(wanted) if key.mode == TemplateMode::Fill => changes.push((key, wanted)),
            Derived::As(wanted) => key.check(new, wanted)?,
            Derived::Free => {}
        }
    }
    Ok(changed(new, &changes))
}

/// Returns a stored item with the keys of indexes that are derived from it.
pub(crate) fn of_stored(derived: &[DerivedKey], item: &Item) -> Result<Item, Reason> {
    let mut changes = Vec::new();
    for key in derived.iter().filter(|key| !key.is_primary && key.mode == TemplateMode::Fill) {
        if let Derived::As(wanted) = key.decide(item)? {
            changes.push((key, wanted));
        }
    }
    let item = changed(item, &changes);
    if item.size() > ITEM_SIZE_MAX_BYTES {
        return Err(Reason::UpdatedItemTooLarge);
    }
    Ok(item)
}

/// Refuses a stored item that a new template would refuse which only checks it.
pub(crate) fn check_stored(derived: &[DerivedKey], item: &Item) -> Result<(), Reason> {
    let only_checks = |key: &&DerivedKey| key.is_primary || key.mode == TemplateMode::Check;
    let mut checking = derived.iter().filter(|key| key.is_rewriting).filter(only_checks);
    checking.try_for_each(|key| key.check_derived(item))
}

/// What an attribute is to be.
enum Derived {
    /// This text, or absent.
    As(Option<String>),
    /// Whatever it is.
    Free,
}

fn changed(item: &Item, changes: &[(&DerivedKey, Option<String>)]) -> Item {
    let is_as_wanted = |(key, wanted): &&(&DerivedKey, Option<String>)| {
        item.get(key.template.attribute()) == wanted.as_deref().map(ValueRef::S)
    };
    if changes.iter().all(|change| is_as_wanted(&change)) {
        return item.clone();
    }
    item.with_changes(
        changes
            .iter()
            .map(|(key, wanted)| (key.template.attribute(), wanted.as_deref().map(ValueRef::S))),
    )
}

impl DerivedKey {
    fn refuse(&self, fault: DerivedKeyFault) -> Reason {
        Reason::DerivedKey { attribute: self.template.attribute().to_owned(), fault }
    }

    /// Returns what the attribute of an item is to be.
    fn decide(&self, item: &Item) -> Result<Derived, Reason> {
        let rendered = self.template.render(item, self.limit_bytes);
        match rendered.map_err(|fault| self.refuse(fault))? {
            Rendered::Key(key) => Ok(Derived::As(Some(key))),
            Rendered::NoCase | Rendered::PartMissing(_) if !self.is_primary => {
                Ok(Derived::As(None))
            }
            Rendered::NoCase => Ok(Derived::Free),
            Rendered::PartMissing(part) => Err(self.refuse(DerivedKeyFault::PartMissing { part })),
        }
    }

    /// Returns whether a put sets the attribute, rather than checks it.
    fn may_set(&self, item: &Item) -> bool {
        let is_given = || item.get(self.template.attribute()).is_some();
        self.mode == TemplateMode::Fill && !(self.is_primary && is_given())
    }

    /// Refuses an item whose attribute is not as wanted.
    fn check(&self, item: &Item, derived: Option<String>) -> Result<(), Reason> {
        match item.get(self.template.attribute()) {
            // The service's own fault: a key attribute is missing.
            None if self.is_primary => Ok(()),
            given if given == derived.as_deref().map(ValueRef::S) => Ok(()),
            _ => Err(self.refuse(DerivedKeyFault::Differs { derived })),
        }
    }

    /// Refuses an item whose attribute is not as derived.
    fn check_derived(&self, item: &Item) -> Result<(), Reason> {
        match self.decide(item)? {
            Derived::As(wanted) => self.check(item, wanted),
            Derived::Free => Ok(()),
        }
    }
}
