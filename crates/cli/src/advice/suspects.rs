//! Names in places where the user probably meant text: `country = NL`, and in statements `country =
//! "NL"`.

use crate::shell::token::{Kind, Token};

/// Words that stand for values or begin another part.
const NO_NAMES: [&str; 7] =
    ["TRUE", "FALSE", "NULL", "MISSING", "NOT", "IF_NOT_EXISTS", "LIST_APPEND"];

/// Returns a hint for each name that is compared with something and is not among the known ones.
///
/// In statements double quotes hold names; elsewhere they hold text.
pub fn suspects(tokens: &[Token<'_>], in_statement: bool, known: &[String]) -> Vec<String> {
    let mut hints = Vec::new();
    let mut in_list = false;
    let mut in_function = false;
    for (nth, token) in tokens.iter().enumerate() {
        let before = nth.checked_sub(1).and_then(|nth| tokens.get(nth));
        let follows = |symbols: &[&str]| {
            before.is_some_and(|before| symbols.iter().any(|symbol| before.is_symbol(symbol)))
        };
        let is_operand = before.is_some_and(|it| it.compares() || it.is("BETWEEN"))
            || (in_list && follows(&["(", "[", ","]))
            || (in_function && follows(&[","]));
        if token.is("IN") {
            in_list = true;
        } else if token.is("begins_with") || token.is("contains") {
            in_function = true;
        } else if token.is_symbol(")") || token.is_symbol("]") {
            (in_list, in_function) = (false, false);
        }
        let next = tokens.get(nth + 1);
        let is_more =
            next.is_some_and(|it| ["(", ".", "[", "+", "-"].iter().any(|s| it.is_symbol(s)));
        if !is_operand || is_more || NO_NAMES.iter().any(|word| token.is(word)) {
            continue;
        }
        let hint = match (token.kind, token.name()) {
            (_, Some(name)) if known.contains(&name) => None,
            (Kind::Word, Some(name)) => Some(format!(
                "{name} without quotes is the name of an attribute; text stands in quotes: '{name}'"
            )),
            (Kind::Name, Some(name)) if in_statement && token.text.starts_with('"') => {
                Some(format!(
                    "{} in double quotes is the name of an attribute; text stands in single quotes: '{}'",
                    token.text,
                    name.replace('\'', "''")
                ))
            }
            _ => None,
        };
        hints.extend(hint.filter(|hint| !hints.contains(hint)));
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::token::meaningful;

    #[test]
    fn names_that_are_compared_are_suspects() {
        let cases = [
            ("country = NL", false, "NL"),
            ("country = \"NL\"", false, ""),
            ("country = \"NL\"", true, "\"NL\""),
            ("a = 'NL' AND b = 1 AND c = true", true, ""),
            ("a BETWEEN x AND 2", false, "x"),
            ("a IN (x, 'y', z) AND b = 1", false, "x z"),
            ("a IN [\"x\"] AND (b)", true, "\"x\""),
            ("begins_with(a, x)", false, "x"),
            ("contains(\"a\", \"x\")", true, "\"x\""),
            ("size(a) > size(b)", false, ""),
            ("a = b.c AND d = e[0]", false, ""),
            ("n = n + 1", false, ""),
            ("a = known", false, ""),
            ("a = x OR b = x", false, "x"),
            ("", true, ""),
            ("= = <", true, ""),
        ];
        for (text, in_statement, expected) in cases {
            let hints = suspects(&meaningful(text), in_statement, &["known".to_owned()]);
            let named = hints.iter().filter_map(|hint| hint.split(' ').next());
            assert_eq!(named.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }
}
