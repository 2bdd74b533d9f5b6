//! Applies the key templates of a table to an item: sets the attributes that they derive, and
//! refuses items that they do not allow.
//!
//! | attribute | mode | put | update |
//! |---|---|---|---|
//! | a key of an index | fill | set; a client's value is refused if none is derived | the same; a derived value is removed, a client's earlier value stays |
//! | a key of an index | fill and remove | set, or removed if none is derived | the same |
//! | a key of an index | check | must be as derived | the same |
//! | a key of the table | fill | set if it is missing, else must be as derived | must be as derived |
//! | a key of the table | check | must be as derived | must be as derived |
//!
//! A key of the table is derived for every item for which a condition holds: a missing part is then
//! a fault. An update is not refused for an item that differed before and that it cannot mend. A
//! value is the template's if the template, or a former one from which items are still being
//! rewritten, derives it from the item as stored; any other value is a client's. No template uses
//! an attribute that another one derives, so the order of the templates has no effect.

use crate::schema::{DerivedKey, TemplateMode};
use hashrange_expr::Rendered;
use hashrange_model::error::DerivedKeyFault;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{Item, Reason, ValueRef};

/// An item for a put.
pub(super) struct Put {
    /// The item, with its derived attributes.
    pub(super) item: Item,
    /// True if the item brings a key that no template derives: [`settle`] decides on it by the
    /// stored item.
    pub(super) is_unsettled: bool,
}

/// Returns an item for a put with its derived attributes.
pub(super) fn of_put(derived: &[DerivedKey], item: &Item) -> Result<Put, Reason> {
    let (mut changes, mut is_unsettled) = (Vec::new(), false);
    for key in derived {
        match key.decide(item)? {
            Derived::As(None) if key.keeps_others() => is_unsettled |= key.is_given(item),
            Derived::As(wanted) if key.may_set(item) => changes.push((key, wanted)),
            Derived::As(wanted) => key.check(item, wanted)?,
            Derived::Free => {}
        }
    }
    let item = changed(item, &changes);
    if item.size() > ITEM_SIZE_MAX_BYTES {
        return Err(Reason::ItemTooLarge);
    }
    Ok(Put { item, is_unsettled })
}

/// Returns an item for a put that replaces `old`, without keys that a template derived from `old`
/// and none derives any more. Any other key that none derives is a client's: an item may keep it,
/// but not add it.
pub(super) fn settle(
    derived: &[DerivedKey],
    old: Option<&Item>,
    new: &Item,
) -> Result<Item, Reason> {
    let mut changes = Vec::new();
    for key in derived.iter().filter(|key| key.keeps_others() && key.is_given(new)) {
        if let Derived::As(None) = key.decide_after(old, new)? {
            changes.push((key, None));
        }
    }
    Ok(changed(new, &changes))
}

/// Returns `new`, which an update has made of `old`, with its derived attributes. Its size is not
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
        match key.decide_after(old, new)? {
            Derived::As(wanted) if key.mode.fills() => changes.push((key, wanted)),
            Derived::As(wanted) => key.check(new, wanted)?,
            Derived::Free => {}
        }
    }
    Ok(changed(new, &changes))
}

/// Returns a stored item with its derived keys of indexes.
pub(crate) fn of_stored(derived: &[DerivedKey], item: &Item) -> Result<Item, Reason> {
    let mut changes = Vec::new();
    for key in derived.iter().filter(|key| !key.is_primary && key.mode.fills()) {
        if let Derived::As(wanted) = key.decide_after(Some(item), item)? {
            changes.push((key, wanted));
        }
    }
    let item = changed(item, &changes);
    if item.size() > ITEM_SIZE_MAX_BYTES {
        return Err(Reason::UpdatedItemTooLarge);
    }
    Ok(item)
}

/// Returns whether a stored item keeps a key that a client wrote and no template derives.
pub(crate) fn keeps_others(derived: &[DerivedKey], item: &Item) -> bool {
    derived.iter().any(|key| key.keeps_others() && key.has_others(item))
}

/// Refuses a stored item that a new template which only checks would refuse.
pub(crate) fn check_stored(derived: &[DerivedKey], item: &Item) -> Result<(), Reason> {
    let only_checks = |key: &&DerivedKey| key.is_primary || key.mode == TemplateMode::Check;
    let mut checking = derived.iter().filter(|key| key.is_rewriting).filter(only_checks);
    checking.try_for_each(|key| key.check_derived(item))
}

/// Required value of an attribute.
enum Derived {
    /// This text, or no attribute.
    As(Option<String>),
    /// Any value.
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

    /// Returns the required value of the attribute in an item.
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

    /// Returns whether a put sets the attribute; otherwise it checks it.
    fn may_set(&self, item: &Item) -> bool {
        self.mode.fills() && !(self.is_primary && self.is_given(item))
    }

    fn is_given(&self, item: &Item) -> bool {
        item.get(self.template.attribute()).is_some()
    }

    /// Returns whether keys that clients wrote stay if the template derives none.
    fn keeps_others(&self) -> bool {
        !self.is_primary && self.mode == TemplateMode::Fill
    }

    /// Returns the required value of the attribute in the item `new`, whose stored image is `old`.
    fn decide_after(&self, old: Option<&Item>, new: &Item) -> Result<Derived, Reason> {
        let decided = self.decide(new)?;
        let given = new.get(self.template.attribute());
        let (Derived::As(None), Some(given), true) = (&decided, given, self.keeps_others()) else {
            return Ok(decided);
        };
        match old {
            Some(old) if self.has_derived(old, given) => Ok(decided),
            Some(old) if old.get(self.template.attribute()) == Some(given) => Ok(Derived::Free),
            _ => Err(self.refuse(DerivedKeyFault::OfClient)),
        }
    }

    /// Returns whether a stored item has a key that a client wrote and no template derives.
    pub(crate) fn has_others(&self, item: &Item) -> bool {
        let Some(given) = item.get(self.template.attribute()) else { return false };
        matches!(self.decide(item), Ok(Derived::As(None))) && !self.has_derived(item, given)
    }

    /// Returns whether the template, or a former one, derives a value from an item.
    fn has_derived(&self, item: &Item, value: ValueRef<'_>) -> bool {
        let ValueRef::S(value) = value else { return false };
        let mut templates = std::iter::once(&self.template).chain(&self.before);
        templates.any(|template| {
            let rendered = template.render(item, self.limit_bytes);
            rendered.is_ok_and(|rendered| rendered.key() == Some(value))
        })
    }

    /// Refuses an item whose attribute differs from the derived value.
    fn check(&self, item: &Item, derived: Option<String>) -> Result<(), Reason> {
        match item.get(self.template.attribute()) {
            // The service's own check reports the missing key attribute.
            None if self.is_primary => Ok(()),
            given if given == derived.as_deref().map(ValueRef::S) => Ok(()),
            _ => Err(self.refuse(DerivedKeyFault::Differs { derived })),
        }
    }

    /// Derives the attribute of an item and refuses the item if it differs.
    fn check_derived(&self, item: &Item) -> Result<(), Reason> {
        match self.decide(item)? {
            Derived::As(wanted) => self.check(item, wanted),
            Derived::Free => Ok(()),
        }
    }
}
