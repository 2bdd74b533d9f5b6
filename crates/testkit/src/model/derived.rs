//! Attributes that the key templates of the generated table `derived` derive from an item, computed
//! in another way than the engine's.

use super::item::Item;
use super::table::{Fault, Model, Table};
use hashrange_model::{AttributeValue, Number};

/// The attribute that is derived.
const ATTRIBUTE: &str = "it";

/// The templates that the table may have, one at a time.
pub const TEMPLATES: [&str; 2] = [
    r#"owns it = "{is:esc}#{in:pad:4.2:desc}" when attribute_exists(a)"#,
    r#"owns it = "A#{in:pad:6}" when begins_with("is", 'a') else "B#{is}""#,
];

/// Returns an item with the attribute that a template derives from it.
fn with_derived(template: usize, item: &Item) -> Result<Item, Vec<Fault>> {
    let key = if template == 0 { by_text_and_number(item) } else { by_case(item) };
    let mut item = item.clone();
    match key? {
        Some(key) if (1..=1024).contains(&key.len()) => {
            item.insert(ATTRIBUTE.to_owned(), AttributeValue::S(key));
        }
        Some(_) => return Err(vec![Fault::DerivedKey]),
        None => {
            item.remove(ATTRIBUTE);
        }
    }
    Ok(item)
}

fn by_text_and_number(item: &Item) -> Result<Option<String>, Vec<Fault>> {
    let (Some(text), Some(number), Some(_)) = (item.get("is"), item.get("in"), item.get("a"))
    else {
        return Ok(None);
    };
    let hundredths = whole_of(number, 2, 999_999)?;
    let escaped: String = text_of(text)?
        .chars()
        .map(|it| if it <= '$' { format!("${:02X}", it as u32) } else { it.to_string() })
        .collect();
    let (sign, digits) =
        if hundredths < 0 { ("~", -hundredths) } else { ("", 999_999 - hundredths) };
    Ok(Some(format!("{escaped}#{sign}{:04}.{:02}", digits / 100, digits % 100)))
}

fn by_case(item: &Item) -> Result<Option<String>, Vec<Fault>> {
    let Some(text) = item.get("is") else { return Ok(None) };
    if !matches!(text, AttributeValue::S(text) if text.starts_with('a')) {
        return Ok(Some(format!("B#{}", text_of(text)?)));
    }
    let Some(number) = item.get("in") else { return Ok(None) };
    let whole = whole_of(number, 0, 999_999)?;
    let (sign, digits) = if whole < 0 { ("-", 999_999 + whole) } else { ("", whole) };
    Ok(Some(format!("A#{sign}{digits:06}")))
}

fn text_of(value: &AttributeValue) -> Result<&str, Vec<Fault>> {
    value.as_str().ok_or_else(|| vec![Fault::DerivedKey])
}

/// Returns a number times 10^`places`, if that is whole and its magnitude at most `most`.
fn whole_of(value: &AttributeValue, places: i64, most: i64) -> Result<i64, Vec<Fault>> {
    let AttributeValue::N(number) = value else { return Err(vec![Fault::DerivedKey]) };
    let scaled = Number::parse(&format!("{number}e{places}")).ok();
    let scaled = scaled.and_then(|scaled| scaled.to_i64()).filter(|it| it.abs() <= most);
    scaled.ok_or_else(|| vec![Fault::DerivedKey])
}

impl Table {
    /// Returns an item as the table keeps it.
    pub(super) fn derived(&self, item: &Item) -> Result<Item, Vec<Fault>> {
        match self.template {
            Some(template) => with_derived(template, item),
            None => Ok(item.clone()),
        }
    }
}

impl Model {
    /// Declares one of [`TEMPLATES`] and rewrites every item that it accepts. Returns the number of
    /// items that it refuses; none if there is no such table.
    pub fn declare(&mut self, table: &str, template: usize) -> Option<usize> {
        let table = self.tables.get_mut(table)?;
        table.template = Some(template);
        let mut refused = 0;
        for (key, item) in table.items.clone() {
            match with_derived(template, &item) {
                Ok(new) => drop(table.set(key, Some(new), false)),
                Err(_) => refused += 1,
            }
        }
        Some(refused)
    }
}
