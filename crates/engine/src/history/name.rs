//! Names of tables of the past: `orders.asof.20261121T100000Z`, `orders.asof.10m` for ten minutes ago,
//! and `orders.history` for all versions.

use crate::schema::Past;
use hashrange_model::error::HistoryFault;
use hashrange_model::moment;

const AS_OF: &str = ".asof.";
const VERSIONS: &str = ".history";

/// Returns the table in a name of the past and the past that it names; `None` for a name of another
/// form.
pub(crate) fn parse_name(name: &str, now_ms: u64) -> Option<(&str, Result<Past, HistoryFault>)> {
    if let Some(table) = name.strip_suffix(VERSIONS) {
        return Some((table, Ok(Past::Versions)));
    }
    let (table, text) = name.rsplit_once(AS_OF)?;
    let ago = moment::ago_ms(text).map(|ago_ms| now_ms.saturating_sub(ago_ms));
    let at = ago.or_else(|| moment::parse(text)).map(Past::At);
    Some((table, at.ok_or_else(|| HistoryFault::NotAMoment(text.to_owned()))))
}

/// Returns the part of a name of the past after the table's name, such as `history`.
pub(crate) fn past_text(past: Past) -> String {
    match past {
        Past::At(at_ms) => format!("{}{}", AS_OF, moment::basic(at_ms)),
        Past::Versions | Past::Ever => VERSIONS.to_owned(),
    }
    .trim_start_matches('.')
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_past_end_with_a_moment_or_history() {
        const NOW_MS: u64 = 1_795_255_200_000;
        let at = |at_ms| Ok(Past::At(at_ms));
        for (name, expected) in [
            ("orders.asof.20261121T100000Z", Some(("orders", at(1_795_255_200_000)))),
            ("orders.asof.20261121T100000.5Z", Some(("orders", at(1_795_255_200_500)))),
            ("a.asof.b.asof.1795255200", Some(("a.asof.b", at(1_795_255_200_000)))),
            ("orders.asof.10m", Some(("orders", at(NOW_MS - 600_000)))),
            ("orders.asof.99999d", Some(("orders", at(0)))),
            ("orders.history", Some(("orders", Ok(Past::Versions)))),
            (
                "orders.asof.today",
                Some(("orders", Err(HistoryFault::NotAMoment("today".to_owned())))),
            ),
            ("orders", None),
            ("orders.asof", None),
            ("orders.histories", None),
        ] {
            assert_eq!(parse_name(name, NOW_MS), expected, "{name}");
            if let Some((table, Ok(past))) = expected {
                let again = format!("{table}.{}", past_text(past));
                assert_eq!(parse_name(&again, 0), expected, "{again}");
            }
        }
    }
}
