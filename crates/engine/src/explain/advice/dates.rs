//! Dates in sort key conditions: forms that do not sort, and an upper end that leaves out the rest of its day.

use super::keys::{first, last_of, quoted};
use crate::explain::collection::delimiter_of;
use crate::explain::explanation::{Advice, AdviceKind};
use crate::explain::plan::ReadPlan;
use hashrange_expr::{KeyOperator, name_text};
use hashrange_model::ApiResult;
use hashrange_storage::{KeyRange, View};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const AS_DATES: &str = "dates in keys and bounds as YYYY-MM-DD";
const AS_QUARTERS: &str = "quarters in keys and bounds as YYYY-Q1";
const AS_WEEKS: &str = "weeks in keys and bounds as YYYY-W01";

/// `at BETWEEN '01.03.2026' AND '31.03.2026'` is no month.
pub(super) fn date_form(read: &ReadPlan<'_>) -> Option<Advice> {
    let [keys] = read.keys.as_deref()? else { return None };
    let (attribute, operator) = keys.one_range(read.schema())?;
    if matches!(operator, KeyOperator::BeginsWith(_)) {
        return None;
    }
    let mut texts = operator.values().filter_map(|value| value.get().as_str());
    let (text, (why, form)) = texts.find_map(|text| {
        let last = delimiter_of(text).and_then(|delimiter| text.rsplit(delimiter).next());
        let mut parts = [Some(text), last].into_iter().flatten();
        parts.find_map(misordered).map(|why| (text, why))
    })?;
    Some(Advice {
        kind: AdviceKind::DateForm,
        finding: format!("the range of {} is not one of time", name_text(attribute)),
        evidence: format!("{} {why}, and texts are compared from the left", quoted(text)),
        remedy: format!("write {form}"),
    })
}

/// Returns why a date does not sort, and a form that does, if the text begins with such a date.
fn misordered(text: &str) -> Option<(&'static str, &'static str)> {
    let date = text.split(['T', ' ']).next()?;
    let fields: Vec<&str> = date.split(['.', '/', '-']).collect();
    match fields[..] {
        [first, second] => misordered_period(first, second),
        [_, _, _] => misordered_day(&fields).map(|why| (why, AS_DATES)),
        _ => None,
    }
}

fn is_number(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|it| it.is_ascii_digit())
}

fn is_year(field: &str) -> bool {
    field.len() == 4 && is_number(field)
}

/// Returns why a quarter or week, such as `Q1-2026`, does not sort.
fn misordered_period(first: &str, second: &str) -> Option<(&'static str, &'static str)> {
    let of = |field: &str, letters: [char; 2], digits: usize| {
        field.strip_prefix(letters).is_some_and(|it| it.len() <= digits && is_number(it))
    };
    if is_year(second) && of(first, ['Q', 'q'], 1) {
        return Some(("begins with the quarter", AS_QUARTERS));
    }
    if is_year(second) && of(first, ['W', 'w'], 2) {
        return Some(("begins with the week", AS_WEEKS));
    }
    let is_short = is_year(first) && of(second, ['W', 'w'], 1);
    is_short.then_some(("has a week of one digit", AS_WEEKS))
}

/// Returns why a day does not sort.
fn misordered_day(fields: &[&str]) -> Option<&'static str> {
    let [first, second, third] = fields[..] else { return None };
    let is_month = |field: &str| {
        let name = field.get(..3).unwrap_or_default().to_ascii_lowercase();
        MONTHS.contains(&name.as_str()) && field.chars().all(char::is_alphabetic)
    };
    if [first, second, third].into_iter().any(is_month) {
        return Some("names the month");
    }
    if !fields.iter().all(|field| is_number(field)) {
        return None;
    }
    if is_year(third) && first.len() <= 2 && second.len() <= 2 {
        return Some("begins with the day or the month");
    }
    let is_short = second.len() == 1 || third.len() == 1;
    (is_year(first) && is_short).then_some("has a month or day of one digit")
}

/// `at BETWEEN '2026-11-01' AND '2026-11-25'` leaves out `2026-11-25T08:00`.
pub(super) async fn day_end<V: View>(view: &V, read: &ReadPlan<'_>) -> ApiResult<Option<Advice>> {
    let Some([keys]) = read.keys.as_deref() else { return Ok(None) };
    let Some((attribute, operator)) = keys.one_range(read.schema()) else { return Ok(None) };
    let (KeyOperator::Between(_, upper) | KeyOperator::LessOrEqual(upper)) = operator else {
        return Ok(None);
    };
    let Some(upper) = upper.get().as_str() else { return Ok(None) };
    let Some(period) = last_period(upper) else { return Ok(None) };
    let behind = KeyRange {
        start: [&keys.narrowed(read, KeyOperator::Equal, upper).start[..], &[0]].concat(),
        end: keys.narrowed(read, KeyOperator::BeginsWith, upper).end,
    };
    let left_out = first(view, read, behind, attribute).await?;
    let goes_on = |key: &String| {
        let next = key.strip_prefix(upper).and_then(|rest| rest.chars().next());
        next.is_some_and(|next| !next.is_ascii_digit())
    };
    let Some(left_out) = left_out.filter(goes_on) else { return Ok(None) };
    Ok(Some(Advice {
        kind: AdviceKind::UpperEnd,
        finding: format!("{} leaves out the rest of its {period}", quoted(upper)),
        evidence: format!("{} sorts behind it", quoted(&left_out)),
        remedy: format!("end the range with {}", last_of(read, upper)),
    }))
}

/// Returns `day` or `month` if a text ends with one in the form of 2026-11-25 or 2026-11.
fn last_period(text: &str) -> Option<&'static str> {
    let is_date = |date: &str, widths: &[usize]| {
        let fields = date.split('-');
        fields.clone().count() == widths.len()
            && fields.zip(widths).all(|(it, width)| it.len() == *width && is_number(it))
    };
    let ends_with = |length: usize, widths: &[usize]| {
        let start = text.len().checked_sub(length)?;
        let (before, date) = text.split_at_checked(start)?;
        let is_apart = !before.ends_with(|it: char| it.is_alphanumeric() || it == '-');
        (is_apart && is_date(date, widths)).then_some(())
    };
    let day = ends_with(10, &[4, 2, 2]).map(|()| "day");
    day.or_else(|| ends_with(7, &[4, 2]).map(|()| "month"))
}
