//! Product code of a Rust source file: its text without comments, quoted text, and items that only tests have.
//!
//! Knows no more of Rust's grammar than that needs: quotation marks, brackets, attributes.

/// Words with which an item begins that ends at its braces or at a semicolon, never at a comma.
const ITEMS: [&str; 16] = [
    "pub",
    "fn",
    "mod",
    "use",
    "const",
    "static",
    "struct",
    "enum",
    "union",
    "impl",
    "trait",
    "type",
    "unsafe",
    "async",
    "extern",
    "macro_rules",
];

/// Returns the product code of a text.
pub fn product_code(text: &str) -> String {
    without_tests(&without_quotes(text))
}

/// Returns the name that a text begins with, empty if none.
pub fn word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Returns a text without comments, and with nothing between quotation marks. Line breaks stay.
pub fn without_quotes(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (length, kept) = match quote_at(rest, code.ends_with(is_part)) {
            Some(quote) => quote,
            None => (letter.len_utf8(), &rest[..letter.len_utf8()]),
        };
        let (taken, behind) = rest.split_at(length);
        code.push_str(kept);
        if kept != taken {
            code.extend(taken.chars().filter(|letter| *letter == '\n'));
        }
        rest = behind;
    }
    code
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the length of the comment or the literal that a text begins with, and the code that stands for it.
fn quote_at(text: &str, is_within_name: bool) -> Option<(usize, &'static str)> {
    if text.starts_with("//") {
        return Some((text.find('\n').unwrap_or(text.len()), ""));
    }
    if text.starts_with("/*") {
        return Some((comment_length(text), " "));
    }
    if let Some(inside) = text.strip_prefix('"') {
        return Some((1 + closed_by(inside, '"'), "\"\""));
    }
    if text.starts_with('\'') {
        return Some(character_length(text).map_or((1, "'"), |length| (length, "' '")));
    }
    let raw = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    let raw = raw.filter(|_| !is_within_name)?;
    let marks = raw.len() - raw.trim_start_matches('#').len();
    let inside = raw[marks..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(marks));
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some((text.len() - inside.len() + length, "\"\""))
}

/// Returns the length of a comment in stars, with those inside it.
fn comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let step = match rest {
            _ if rest.starts_with("/*") => 1,
            _ if rest.starts_with("*/") => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { rest.chars().next().map_or(1, char::len_utf8) } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length up to and with a closing mark; a backslash takes the next letter with it.
fn closed_by(text: &str, mark: char) -> usize {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == mark {
            return at + 1;
        }
    }
    text.len()
}

/// Returns the length of a character in its marks, `None` for a lifetime.
fn character_length(text: &str) -> Option<usize> {
    let mut letters = text[1..].chars();
    let first = letters.next()?;
    let is_character = first == '\\' || letters.next() == Some('\'');
    is_character.then(|| 1 + closed_by(&text[1..], '\''))
}

/// Returns a code without the items that only a build of tests has.
fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(") {
        let (before, attribute) = rest.split_at(at);
        kept.push_str(before);
        let (predicate, item) = attribute.split_at(bracketed(attribute));
        let is_of_tests =
            ["#[cfg(test)", "#[cfg(all(test,"].iter().any(|start| predicate.starts_with(start));
        if is_of_tests {
            rest = &item[item_length(item)..];
        } else {
            kept.push_str(predicate);
            rest = item;
        }
    }
    kept.push_str(rest);
    kept
}

/// Returns the length up to the end of the first bracket of a text.
fn bracketed(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        depth += step(letter);
        if depth == 0 && matches!(letter, ')' | ']' | '}') {
            return at + 1;
        }
    }
    text.len()
}

fn step(letter: char) -> i32 {
    match letter {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    }
}

/// Returns the length of an item with its further attributes.
fn item_length(text: &str) -> usize {
    let mut start = text.len() - text.trim_start().len();
    while text[start..].starts_with("#[") {
        start += bracketed(&text[start..]);
        start += text[start..].len() - text[start..].trim_start().len();
    }
    let ends_at_comma = !ITEMS.contains(&word(&text[start..]));
    let mut depth = 0;
    for (at, letter) in text[start..].char_indices() {
        depth += step(letter);
        let at = start + at;
        match letter {
            _ if depth < 0 => return at,
            '}' | ';' if depth == 0 => return at + 1,
            ',' if depth == 0 && ends_at_comma => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_what_is_quoted_are_no_code() {
        for (text, code) in [
            ("a // b\nc", "a \nc"),
            ("a /* b /* c */\n d */ e", "a  \n e"),
            ("f(\"// {\", 'x', '\\'', '{', b\"}\")", "f(\"\", ' ', ' ', ' ', b\"\")"),
            ("r\"\\\" + r#\"a\"b\"# + br\"c\"", "\"\" + \"\" + \"\""),
            ("fn f<'a>(x: &'a str) -> r#type", "fn f<'a>(x: &'a str) -> r#type"),
            ("\"a\\\"b\nc\" d", "\"\"\n d"),
            ("'\u{e4}' for\"x\"", "' ' for\"\""),
        ] {
            assert_eq!(without_quotes(text), code, "{text}");
        }
    }

    #[test]
    fn only_the_items_of_tests_are_cut_out() {
        for (text, code) in [
            ("#[cfg(test)]\nmod tests;\nuse a;", "\nuse a;"),
            ("a;\n#[cfg(test)]\nmod tests {\n    fn f() { '}' }\n}\nb;", "a;\n\nb;"),
            ("#[cfg(test)]\n#[expect(x, reason = \"{\")]\npub fn f(a: A, b: B) {}\nc", "\nc"),
            ("#[cfg(all(test, feature = \"x\"))]\nconst A: [u8; 4] = [1; 4];\nc", "\nc"),
            ("struct S {\n#[cfg(test)]\na: u8,\nb: u8 }", "struct S {\n\nb: u8 }"),
            ("match a {\n#[cfg(test)]\nA => b(1, 2)\n}", "match a {\n}"),
            ("#[cfg(any(test, unix))]\nfn f() {}", "#[cfg(any(test, unix))]\nfn f() {}"),
            ("// #[cfg(test)]\nmod a;", "\nmod a;"),
        ] {
            assert_eq!(product_code(text), code, "{text}");
        }
    }
}
