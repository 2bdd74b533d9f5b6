//! Ranges of sort keys wider than their values suggest: a prefix that ends inside a component, a range with one open
//! end that leaves the prefix of its value.

use super::keys::{last_of, quoted};
use crate::explain::collection::{self, Siblings, delimiter_of};
use crate::explain::explanation::{Advice, AdviceKind, ReadStep};
use crate::explain::plan::ReadPlan;
use hashrange_expr::{KeyOperator, name_text};
use hashrange_model::{ApiResult, ValueRef};
use hashrange_storage::View;

/// `begins_with(place, 'NE#OMAHA')` also matches `NE#OMAHA-HEIGHTS#...`.
pub(super) async fn open_prefix<V: View>(
    view: &V,
    read: &ReadPlan<'_>,
) -> ApiResult<Option<Advice>> {
    let Some([keys]) = read.keys.as_deref() else { return Ok(None) };
    let Some((attribute, KeyOperator::BeginsWith(prefix))) = keys.one_range(read.schema()) else {
        return Ok(None);
    };
    let ValueRef::S(text) = prefix.get() else { return Ok(None) };
    let siblings = collection::siblings(view, read, keys, (attribute, text)).await?;
    let Some(Siblings { delimiter, example }) = siblings else { return Ok(None) };
    let closed = quoted(&format!("{text}{delimiter}"));
    Ok(Some(Advice {
        kind: AdviceKind::OpenPrefix,
        finding: format!(
            "begins_with({}, {}) also matches siblings of what the prefix ends with",
            name_text(attribute),
            quoted(text)
        ),
        evidence: format!("keys go on with {delimiter}, and with more: {}", quoted(&example)),
        remedy: format!("end the prefix with the delimiter: {closed}"),
    }))
}

/// `sk < 'SHIPPED#2026'` also returns everything that sorts before `SHIPPED#`.
pub(super) fn open_range(read: &ReadPlan<'_>, step: &ReadStep) -> Option<Advice> {
    let [keys] = read.keys.as_deref()? else { return None };
    let (attribute, operator) = keys.one_range(read.schema())?;
    let (is_open_below, value) = match operator {
        KeyOperator::Less(value) | KeyOperator::LessOrEqual(value) => (true, value),
        KeyOperator::Greater(value) | KeyOperator::GreaterOrEqual(value) => (false, value),
        KeyOperator::Equal(_) | KeyOperator::Between(..) | KeyOperator::BeginsWith(_) => {
            return None;
        }
    };
    let ValueRef::S(text) = value.get() else { return None };
    let end = text.rfind(delimiter_of(text)?)?;
    let prefix = text.get(..=end)?;
    let collection = step.collection.as_ref()?;
    let met = if is_open_below { &collection.first_in_range } else { &collection.last_in_range };
    let met = met.as_ref().filter(|met| !met.contains(&quoted_beginning(prefix)))?;
    let (side, lower, upper) = if is_open_below {
        ("before", quoted(prefix), quoted(text))
    } else {
        ("after", quoted(text), last_of(read, prefix))
    };
    let name = name_text(attribute);
    Some(Advice {
        kind: AdviceKind::OpenRange,
        finding: format!("the range also holds what sorts {side} {}", quoted(prefix)),
        evidence: format!("it reaches to {met}"),
        remedy: format!(
            "give both ends, which BETWEEN includes: {name} BETWEEN {lower} AND {upper}"
        ),
    })
}

/// Returns the beginning of the text of a value with a prefix.
fn quoted_beginning(prefix: &str) -> String {
    let mut beginning = quoted(prefix);
    beginning.pop();
    beginning
}
