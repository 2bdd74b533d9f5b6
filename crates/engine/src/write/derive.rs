//! Applies the key templates of a table to an item: sets the attributes that they derive, and
//! refuses items that they do not allow.
//!
//! | attribute | mode | put | update |
//! |---|---|---|---|
//! | any but a key of the table | fill | set; the template's earlier value is replaced or removed; a client's value stays | the same |
//! | any but a key of the table | fill, owns | set, or removed if none is derived | the same |
//! | any but a key of the table | check | must be as derived; if none is derived, only a client's value may stand there, and none with owns | the same |
//! | a key of the table | fill | set if it is missing, else must be as derived | must be as derived |
//! | a key of the table | check | must be as derived | must be as derived |
//!
//! A value is the template's if the template, or a former one from which items are still being
//! rewritten, derives it from the item as stored; any other value is a client's. A part that is
//! generated is drawn when the attribute is first made; later writes keep it.
//!
//! A key of the table is derived for every item for which a condition holds: a missing part is then
//! a fault. An update is not refused for an item that differed before and that it cannot mend. No
//! template uses an attribute that another one derives, so the order of the templates has no effect.

use crate::schema::{DerivedKey, TemplateMode};
use hashrange_expr::{Draw, Generated, KeyTemplate, Rendered};
use hashrange_model::error::DerivedKeyFault;
use hashrange_model::limits::ITEM_SIZE_MAX_BYTES;
use hashrange_model::{Item, Reason, ValueRef};

/// An item for a put.
pub(super) struct Put {
    /// The item, with its derived attributes as far as they are settled.
    pub(super) item: Item,
    /// True if [`settle`] decides by the stored item: the item brings a value that the template
    /// does not derive, or a part is generated.
    pub(super) is_unsettled: bool,
}

/// Returns an item for a put with its derived attributes.
pub(super) fn of_put(derived: &[DerivedKey], item: &Item) -> Result<Put, Reason> {
    let (mut changes, mut is_unsettled) = (Vec::new(), false);
    for key in derived {
        let is_alone = !key.is_given(item) || key.template.is_owner() && !key.is_primary;
        if !key.is_primary && (!is_alone || key.template.generates()) {
            is_unsettled = true;
            continue;
        }
        match key.decide(item, &Generated::default())? {
            Derived::As(wanted) if key.mode.fills() && is_alone => changes.push((key, wanted)),
            Derived::As(wanted) => key.check(item, wanted)?,
            Derived::Free => {}
        }
    }
    let item = fitting(changed(item, &changes), Reason::ItemTooLarge)?;
    Ok(Put { item, is_unsettled })
}

/// Returns an item for a put that replaces `old`, with its derived attributes.
pub(super) fn settle(
    derived: &[DerivedKey],
    old: Option<&Item>,
    new: &Item,
    draw: Option<Draw>,
) -> Result<Item, Reason> {
    fitting(derived_after(derived, old, new, draw)?, Reason::ItemTooLarge)
}

/// Returns `new`, which an update has made of `old`, with its derived attributes. Its size is not
/// checked.
pub(super) fn of_update(
    derived: &[DerivedKey],
    old: Option<&Item>,
    new: &Item,
    draw: Option<Draw>,
) -> Result<Item, Reason> {
    for key in derived.iter().filter(|key| key.is_primary) {
        let is_as_before = || old.is_some_and(|old| key.check_derived(old).is_err());
        key.check_derived(new).or_else(|fault| if is_as_before() { Ok(()) } else { Err(fault) })?;
    }
    derived_after(derived, old, new, draw)
}

/// Returns a copy of an item under another key, with its derived attributes: those that the templates derive from the
/// item are derived from the copy, all others stay.
pub(super) fn of_copy(
    derived: &[DerivedKey],
    item: &Item,
    copy: &Item,
    draw: Option<Draw>,
) -> Result<Item, Reason> {
    // A template that only checks says what clients may write.
    let changes =
        changes_after(derived.iter().filter(|key| key.mode.fills()), Some(item), copy, draw)?;
    Ok(changed(copy, &changes))
}

/// Returns a stored item with the attributes of the templates by which items are being rewritten.
pub(crate) fn of_stored(
    derived: &[DerivedKey],
    item: &Item,
    draw: Option<Draw>,
) -> Result<Item, Reason> {
    let mut changes = Vec::new();
    let rewriting = derived.iter().filter(|key| key.is_rewriting && !key.is_primary);
    for key in rewriting.filter(|key| key.mode.fills()) {
        if let Derived::As(wanted) = key.decide_after(Some(item), item, draw)? {
            changes.push((key, wanted));
        }
    }
    fitting(changed(item, &changes), Reason::UpdatedItemTooLarge)
}

/// Returns an item with the attributes that templates derive from it, but for keys of the table.
fn derived_after(
    derived: &[DerivedKey],
    old: Option<&Item>,
    new: &Item,
    draw: Option<Draw>,
) -> Result<Item, Reason> {
    let changes = changes_after(derived.iter(), old, new, draw)?;
    Ok(changed(new, &changes))
}

/// Returns the derived attributes that an item has to get.
fn changes_after<'d>(
    derived: impl Iterator<Item = &'d DerivedKey>,
    old: Option<&Item>,
    new: &Item,
    draw: Option<Draw>,
) -> Result<Vec<(&'d DerivedKey, Option<String>)>, Reason> {
    let mut changes = Vec::new();
    for key in derived.filter(|key| !key.is_primary) {
        match key.decide_after(old, new, draw)? {
            Derived::As(wanted) if key.mode.fills() => changes.push((key, wanted)),
            Derived::As(wanted) => key.check(new, wanted)?,
            Derived::Free => {}
        }
    }
    Ok(changes)
}

fn fitting(item: Item, too_large: Reason) -> Result<Item, Reason> {
    if item.size() > ITEM_SIZE_MAX_BYTES { Err(too_large) } else { Ok(item) }
}

/// Returns whether a stored item keeps a value that a client wrote.
pub(crate) fn keeps_others(derived: &[DerivedKey], item: &Item) -> bool {
    derived.iter().any(|key| key.is_rewriting && key.keeps_other(item))
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

/// Effect of a template on a stored item.
pub(super) enum Outcome {
    /// The attribute stays as it is, or absent.
    Stays,
    /// The attribute is set.
    Set(String),
    /// The attribute gets another value.
    Changed(String),
    /// The attribute keeps a client's value.
    Kept,
    /// The attribute is removed.
    Removed,
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
    fn decide(&self, item: &Item, generated: &Generated) -> Result<Derived, Reason> {
        let rendered = self.template.render(item, generated, self.limit_bytes);
        match rendered.map_err(|fault| self.refuse(fault))? {
            Rendered::Key(key) => Ok(Derived::As(Some(key))),
            Rendered::NoCase | Rendered::PartMissing(_) if !self.is_primary => {
                Ok(Derived::As(None))
            }
            Rendered::NoCase => Ok(Derived::Free),
            Rendered::PartMissing(part) => Err(self.refuse(DerivedKeyFault::PartMissing { part })),
        }
    }

    fn is_given(&self, item: &Item) -> bool {
        item.get(self.template.attribute()).is_some()
    }

    /// Returns the required value of the attribute in the item `new`, whose stored image is `old`.
    fn decide_after(
        &self,
        old: Option<&Item>,
        new: &Item,
        draw: Option<Draw>,
    ) -> Result<Derived, Reason> {
        let decided = self.decide(new, &Generated { draw, kept: self.generated_before(old) });
        let Some(given) = new.get(self.template.attribute()) else { return decided };
        if self.template.is_owner() {
            return decided;
        }
        let is_checked = |wanted: &Option<String>| !self.mode.fills() && wanted.is_some();
        match &decided {
            Ok(Derived::As(Some(wanted))) if given == ValueRef::S(wanted) => decided,
            Ok(Derived::As(wanted)) if is_checked(wanted) => decided,
            _ if old.is_some_and(|old| self.has_derived(old, given)) => decided,
            _ => Ok(Derived::Free),
        }
    }

    /// Returns what the template does to a stored item, or the reason for which it refuses it.
    pub(super) fn outcome(&self, item: &Item, draw: Draw) -> Result<Outcome, Reason> {
        if self.is_primary || !self.mode.fills() {
            return self.check_derived(item).map(|()| Outcome::Stays);
        }
        let given = item.get(self.template.attribute());
        Ok(match (self.decide_after(Some(item), item, Some(draw))?, given) {
            (Derived::Free, _) => Outcome::Kept,
            (Derived::As(None), Some(_)) => Outcome::Removed,
            (Derived::As(Some(wanted)), given) if given != Some(ValueRef::S(&wanted)) => {
                let new = changed(item, &[(self, Some(wanted.clone()))]);
                fitting(new, Reason::UpdatedItemTooLarge)?;
                if given.is_none() { Outcome::Set(wanted) } else { Outcome::Changed(wanted) }
            }
            (Derived::As(_), _) => Outcome::Stays,
        })
    }

    /// Returns whether a stored item has a value that a client wrote, and keeps it.
    pub(super) fn keeps_other(&self, item: &Item) -> bool {
        let is_decided = !self.is_primary && self.mode.fills() && self.is_given(item);
        is_decided && matches!(self.decide_after(Some(item), item, None), Ok(Derived::Free))
    }

    /// Returns the template, and the former ones from which items are still being rewritten.
    fn templates(&self) -> impl Iterator<Item = &KeyTemplate> {
        std::iter::once(&self.template).chain(&self.before)
    }

    /// Returns the generated parts of the attribute in a stored item.
    fn generated_before(&self, old: Option<&Item>) -> Vec<(String, String)> {
        let value = old.and_then(|old| old.get(self.template.attribute()));
        let (Some(ValueRef::S(value)), true) = (value, self.template.generates()) else {
            return Vec::new();
        };
        let found = self.templates().map(|template| template.generated_in(value));
        found.into_iter().find(|kept| !kept.is_empty()).unwrap_or_default()
    }

    /// Returns whether the template derives a value from a stored item, or a former one has derived
    /// the value that the item has. What is generated is known from the stored value alone.
    fn has_derived(&self, item: &Item, value: ValueRef<'_>) -> bool {
        let ValueRef::S(text) = value else { return false };
        let is_stored = item.get(self.template.attribute()) == Some(value);
        let renders = |template: &KeyTemplate| {
            let kept = if template.generates() { template.generated_in(text) } else { Vec::new() };
            let rendered = template.render(item, &Generated { draw: None, kept }, self.limit_bytes);
            rendered.is_ok_and(|rendered| rendered.key() == Some(text))
        };
        let is_own = is_stored || !self.template.generates();
        is_own && renders(&self.template) || is_stored && self.before.iter().any(renders)
    }

    /// Returns whether the template, or a former one, has derived the value that a stored item has.
    pub(super) fn was_derived(&self, item: &Item) -> bool {
        let value = item.get(self.template.attribute());
        value.is_some_and(|value| self.has_derived(item, value))
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

    /// Derives the attribute of a stored item and refuses the item if it differs.
    fn check_derived(&self, item: &Item) -> Result<(), Reason> {
        let decided = if self.is_primary {
            self.decide(item, &Generated::default())?
        } else {
            self.decide_after(Some(item), item, None)?
        };
        match decided {
            Derived::As(wanted) => self.check(item, wanted),
            Derived::Free => Ok(()),
        }
    }
}
