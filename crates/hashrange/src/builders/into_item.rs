//! Types that the short calls accept as an item or a key.

use crate::{Result, to_item};
use hashrange_model::{AttributeValue, Item};
use serde::Serialize;

/// An item or a key: an [`Item`] (see [`item!`](crate::item)), a reference to a type with serde's
/// `Serialize`, or attributes as an array or a vector of pairs.
///
/// ```
/// # use hashrange::{Database, item};
/// # let db = Database::memory().blocking();
/// # db.create("songs", "artist:S").run()?;
/// #[derive(serde::Serialize)]
/// struct Song { artist: String, title: String }
///
/// db.put("songs", &Song { artist: "Nina Simone".into(), title: "Sinnerman".into() }).run()?;
/// db.put("songs", item! { "artist": "Bill Evans", "title": "Peri's Scope" }).run()?;
/// assert!(db.get("songs", [("artist", "Bill Evans")]).run()?.is_some());
/// # Ok::<(), hashrange::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no item or key",
    label = "give a reference: `&...`",
    note = "an item is an `Item`, a reference to a type with serde's `Serialize`, or attributes as an array or \
            a vector of pairs: `&song`, `item! {{ \"artist\": \"Nina Simone\" }}`, `[(\"artist\", \"Nina Simone\")]`"
)]
pub trait IntoItem {
    /// Returns the item.
    ///
    /// # Errors
    /// Something in the value has no attribute value.
    fn into_item(self) -> Result<Item>;
}

impl IntoItem for Item {
    fn into_item(self) -> Result<Item> {
        Ok(self)
    }
}

impl<T: Serialize> IntoItem for &T {
    fn into_item(self) -> Result<Item> {
        Ok(to_item(self)?)
    }
}

impl<K: AsRef<str>, V: Into<AttributeValue>, const N: usize> IntoItem for [(K, V); N] {
    fn into_item(self) -> Result<Item> {
        self.into_iter().collect::<Vec<_>>().into_item()
    }
}

impl<K: AsRef<str>, V: Into<AttributeValue>> IntoItem for Vec<(K, V)> {
    fn into_item(self) -> Result<Item> {
        let attributes: Vec<(K, AttributeValue)> =
            self.into_iter().map(|(name, value)| (name, value.into())).collect();
        let attributes = attributes.iter().map(|(name, value)| (name.as_ref(), value.clone()));
        Ok(Item::from_attributes(attributes))
    }
}
