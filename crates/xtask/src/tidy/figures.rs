//! Figures that pages quote are those of `docs/figures.md`.
//!
//! A row there names a figure, its value, how it is measured, and its quotes: a page and, in quotation marks, the
//! words of the page with `{}` in the place of the value. Wherever a page has the words behind the value, it has
//! the value in front of them.

use std::path::Path;

use super::read;

const FIGURES: &str = "docs/figures.md";

/// Returns each quote that its page lacks, and each unreadable row.
pub fn misquoted() -> Result<Vec<String>, String> {
    complaints(&read(Path::new(FIGURES))?, |page| read(Path::new(page)))
}

fn complaints(
    table: &str,
    read: impl Fn(&str) -> Result<String, String>,
) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, figure, value, _, quotes, _] = cells[..] else {
            complaints.push(format!("{FIGURES}: a row has other columns: {row}"));
            continue;
        };
        for quote in quotes.split("; ") {
            let Some((page, words)) = quote.split_once(" \"") else {
                complaints.push(format!("{FIGURES}: {figure}: no quote: {quote}"));
                continue;
            };
            let words = words.trim_end_matches('"');
            let text = read(page)?.split_whitespace().collect::<Vec<_>>().join(" ");
            if !has_quote(&text, words, value) {
                let words = words.replace("{}", value);
                complaints.push(format!("{page}: {figure} is quoted as \"{words}\""));
            }
        }
    }
    Ok(complaints)
}

/// Returns whether a text has some words, each time with a value in its place in them.
fn has_quote(text: &str, words: &str, value: &str) -> bool {
    let Some((before, behind)) = words.split_once("{}").filter(|(_, behind)| !behind.is_empty())
    else {
        return false;
    };
    let expected = format!("{before}{value}");
    let mut places = text.match_indices(behind).map(|(at, _)| &text[..at]).peekable();
    places.peek().is_some() && places.all(|earlier| earlier.ends_with(&expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_value_of_the_table() {
        let found = |value: &str, words: &str, page: &str| {
            let table = format!(
                "| figure | value | how | quotes |\n|---|---|---|---|\n| size | {value} | `ls` | a.md \"{words}\" |\n"
            );
            complaints(&table, |_| Ok(page.to_owned())).unwrap()
        };
        let page = "It takes 45\nMB for the program, and more.";
        assert_eq!(found("45", "takes {} MB for the program", page), [""; 0]);
        assert_eq!(
            found("51.7", "takes {} MB for the program", page),
            ["a.md: size is quoted as \"takes 51.7 MB for the program\""]
        );
        let twice = format!("{page} 44 MB for the program");
        assert_eq!(found("45", "{} MB for the program", &twice).len(), 1);
        assert_eq!(found("45", "takes {}", page).len(), 1, "nothing tells where it ends");
        assert_eq!(found("45", "{} MB of paper", page).len(), 1);
    }
}
