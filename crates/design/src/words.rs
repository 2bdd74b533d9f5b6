//! Counts and texts in sentences.

/// Most characters of a value that are shown.
pub(crate) const SHOWN_MAX: usize = 80;

/// Returns the beginning of a text, with dots where it is cut.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a number with a noun, which gets an s where it is needed.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", hashrange_cost::grouped(number))
}

/// Returns a length as a count.
pub(crate) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Returns whether `part` is at least so many per cent of `whole`.
pub(crate) fn is_share(part: usize, whole: usize, per_cent: usize) -> bool {
    part.saturating_mul(100) >= whole.saturating_mul(per_cent)
}

/// Returns a text as a cell of a table in Markdown has it, on one line and without markup.
pub(crate) fn cell_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // Within a word `_` is no markup.
        let is_within =
            before.is_alphanumeric() && characters.peek().is_some_and(|it| it.is_alphanumeric());
        match character {
            '_' if is_within => escaped.push('_'),
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' => {
                escaped.push('\\');
                escaped.push(character);
            }
            other if other.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
        before = character;
    }
    escaped
}
