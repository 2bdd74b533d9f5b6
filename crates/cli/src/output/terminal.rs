//! Text for a terminal. A text of a server, a file or a user could hold characters that steer a
//! terminal: [`escaped`] makes them visible, and all output passes it.
//!
//! Escapes are those of JSON, so that JSON and items in their form keep their meaning, wherever
//! they go.
//! Styles are no exception: [`styled`] writes marks, which no text has, and only `escaped` makes colours of them.

use super::screen::Style;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// Begins the first style; others follow. It and [`END`] are Unicode's noncharacters.
const FIRST: u32 = 0xfdd0;
/// Ends a style.
const END: char = '\u{fdef}';

/// True if marks are styles: without colours the program writes none.
static HAS_STYLES: AtomicBool = AtomicBool::new(false);

/// Notes that output has colours.
pub fn have_styles() {
    HAS_STYLES.store(true, Ordering::Relaxed);
}

/// Returns a text with marks of a style around it; removes marks from the text itself.
pub fn styled(style: Style, text: &str) -> String {
    have_styles();
    let plain = text.chars().filter(|one| !is_mark(*one));
    [begin(style)].into_iter().chain(plain).chain([END]).collect()
}

/// Returns a text with the characters that steer a terminal escaped, but for ends of lines and
/// tabs.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let has_styles = HAS_STYLES.load(Ordering::Relaxed);
    let is_plain = |one: char| matches!(one, '\n' | '\t') || !is_unsafe(one);
    let Some((first, _)) = text.char_indices().find(|(_, one)| !is_plain(*one)) else {
        return text.into();
    };
    let (before, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(before);
    for one in rest.chars() {
        if is_plain(one) {
            out.push(one);
        } else if has_styles && is_mark(one) {
            out.push_str("\x1b[");
            out.push_str(style_of(one).map_or("0", Style::code));
            out.push('m');
        } else {
            push_escape(&mut out, one);
        }
    }
    out.into()
}

/// Returns true for characters that move the cursor, change colours, turn the direction of writing
/// or end a line for some terminals, and for the marks of styles.
pub fn is_unsafe(one: char) -> bool {
    one.is_control()
        || is_mark(one)
        || matches!(
            one,
            '\u{61c}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// Appends the escape of a character, which JSON has, too.
pub fn push_escape(out: &mut String, one: char) {
    let mut units = [0; 2];
    for unit in one.encode_utf16(&mut units) {
        // Writing to text does not fail.
        let _written = write!(out, "\\u{unit:04x}");
    }
}

fn begin(style: Style) -> char {
    let nth = Style::ALL.iter().position(|known| *known == style);
    let nth = nth.and_then(|nth| u32::try_from(nth).ok()).expect("every style is listed");
    char::from_u32(FIRST + nth).expect("there are thirty noncharacters")
}

fn style_of(mark: char) -> Option<Style> {
    let nth = usize::try_from(u32::from(mark) - FIRST).ok()?;
    Style::ALL.get(nth).copied()
}

fn is_mark(one: char) -> bool {
    (FIRST..=u32::from(END)).contains(&u32::from(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let cases = [
            ("plain\n\ttext \u{e9}\u{1f600}", "plain\n\ttext \u{e9}\u{1f600}"),
            ("\x1b[2J\r\x07", "\\u001b[2J\\u000d\\u0007"),
            ("\u{7f}\u{9b}31m\u{85}", "\\u007f\\u009b31m\\u0085"),
            ("a\u{202e}b\u{2066}c\u{200f}\u{61c}", "a\\u202eb\\u2066c\\u200f\\u061c"),
            ("\u{2028}\u{2029}", "\\u2028\\u2029"),
        ];
        for (text, expected) in cases {
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn styles_become_colours_and_nothing_else_does() {
        let heading = styled(Style::Heading, "a\u{fdd0}\x1b[31mb");
        assert_eq!(escaped(&heading), "\x1b[1ma\\u001b[31mb\x1b[0m");
        for style in Style::ALL {
            assert_eq!(style_of(begin(style)), Some(style));
        }
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let value = serde_json::json!({"a\u{202e}": "\x1b]0;x\u{9c}\u{7f}"});
        let printed = escaped(&value.to_string()).into_owned();
        assert!(printed.is_ascii(), "{printed}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), value);
    }
}
