//! A note on a SELECT that reads a whole table, and on conditions that would avoid that.
//!
//! The database decides how a statement runs; the note appears only where that is certain: no way
//! through the condition names a value of the partition key. See docs/partiql.md for how statements
//! run.

use crate::commands::table_keys::TableKeys;
use crate::shell::statement::{Outline, Verb};
use crate::shell::token::Token;

/// Parentheses inside each other that are examined; deeper ones may hold anything.
const DEPTH_MAX: usize = 32;

/// Returns a note if the statement reads all items of the table or index.
pub fn scan_note(outline: &Outline<'_>, keys: &TableKeys) -> Option<String> {
    let (Verb::Select, Some(table)) = (outline.verb, &outline.table) else { return None };
    let partition = keys.partition_of(outline.index.as_deref())?;
    let condition = outline.condition();
    if may_name(condition, &partition, DEPTH_MAX) {
        return None;
    }
    let of_index = |index: &String| format!("the index {index} of {table}");
    let what = outline.index.as_ref().map_or_else(|| table.clone(), of_index);
    let mut note = format!(
        "this was a Scan: WHERE names no value of {partition}, the partition key, so that all of {what} \
         is read and paid for"
    );
    let better = keys.indexes().into_iter().find(|(name, key)| {
        Some(name) != outline.index.as_ref() && may_name(condition, key, DEPTH_MAX)
    });
    if let Some((name, _)) = better.filter(|_| !condition.is_empty()) {
        note = format!("{note}; FROM \"{table}\".\"{name}\" would be a Query");
    }
    Some(note)
}

/// Returns true unless some way to fulfil the condition leaves the key open.
fn may_name(condition: &[Token<'_>], key: &str, depth: usize) -> bool {
    if depth == 0 {
        return true;
    }
    let ways = split(condition, "OR");
    if ways.len() > 1 {
        return ways.into_iter().all(|way| may_name(way, key, depth - 1));
    }
    let factors = split(condition, "AND");
    if factors.len() > 1 {
        return factors.into_iter().any(|factor| may_name(factor, key, depth - 1));
    }
    match condition {
        [open, inner @ .., close] if open.is_symbol("(") && close.is_symbol(")") => {
            may_name(inner, key, depth - 1)
        }
        [name, operator, value, ..] => {
            let is_key = |token: &Token<'_>| token.name().as_deref() == Some(key);
            let of_key = is_key(name) && (operator.is_symbol("=") || operator.is("IN"));
            of_key || (operator.is_symbol("=") && is_key(value))
        }
        _ => false,
    }
}

/// Returns the parts between occurrences of a word outside of brackets.
fn split<'s, 'a>(tokens: &'s [Token<'a>], word: &str) -> Vec<&'s [Token<'a>]> {
    let mut depth = 0_usize;
    let is_between = |token: &Token<'a>| {
        match token.text {
            "(" | "[" | "{" | "<<" => depth += 1,
            ")" | "]" | "}" | ">>" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.is(word)
    };
    tokens.split(is_between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn keys() -> TableKeys {
        let key = |name| json!([{"AttributeName": name, "KeyType": "HASH"}]);
        TableKeys::described(json!({
            "KeySchema": [{"AttributeName": "country", "KeyType": "HASH"},
                {"AttributeName": "place", "KeyType": "RANGE"}],
            "GlobalSecondaryIndexes": [{"IndexName": "capitals", "KeySchema": key("capital")}],
        }))
    }

    #[test]
    fn a_scan_is_told_where_it_is_certain() {
        let scans = [
            "SELECT * FROM cities",
            "SELECT * FROM cities WHERE place = 'x'",
            "SELECT * FROM cities WHERE country > 'x'",
            "SELECT * FROM cities WHERE country = 'a' OR place = 'b'",
            "SELECT * FROM cities WHERE NOT country = 'a'",
            "SELECT * FROM cities WHERE (place = 'x' AND (b = 1))",
            "SELECT * FROM cities.capitals WHERE country = 'a'",
            "SELECT * FROM cities WHERE begins_with(country, 'a')",
        ];
        for statement in scans {
            let note = scan_note(&Outline::of(statement), &keys());
            assert!(note.is_some_and(|note| note.starts_with("this was a Scan")), "{statement}");
        }
        let queries = [
            "SELECT * FROM cities WHERE country = 'a'",
            "select * from cities where \"country\" = ? and place > 'b' order by place",
            "SELECT * FROM cities WHERE 'a' = country",
            "SELECT * FROM cities WHERE country IN ['a', 'b']",
            "SELECT * FROM cities WHERE (country = 'a' OR country = 'b') AND x = 1",
            "SELECT * FROM cities WHERE place BETWEEN 'a' AND 'b' AND country = 'a'",
            "SELECT * FROM cities.capitals WHERE capital = 'a'",
            "SELECT * FROM cities.unknown",
            "DELETE FROM cities",
        ];
        for statement in queries {
            assert_eq!(scan_note(&Outline::of(statement), &keys()), None, "{statement}");
        }
        let deep = format!("SELECT * FROM cities WHERE {}x{}", "(".repeat(99), ")".repeat(99));
        assert_eq!(scan_note(&Outline::of(&deep), &keys()), None);
    }

    #[test]
    fn an_index_that_fits_is_named() {
        let note = |statement| scan_note(&Outline::of(statement), &keys()).unwrap_or_default();
        let fits = note("SELECT * FROM cities WHERE capital = 'yes'");
        assert!(fits.ends_with("; FROM \"cities\".\"capitals\" would be a Query"), "{fits}");
        assert!(note("SELECT * FROM cities WHERE a = 1").ends_with("paid for"));
    }
}
