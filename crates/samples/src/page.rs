//! Finds the examples of a page of queries.
//!
//! The form of a page, of which this reads the fences only:
//!
//! | in the page | what it is |
//! |---|---|
//! | a heading | what the next examples are about |
//! | a fence `sh` that begins with `aws dynamodb ` | begins an example: a command of the AWS CLI |
//! | a fence `sh` that begins with `hashrange ` | the same with our own command line |
//! | a fence `json` | the answer of both |
//!
//! Any other text and fence is for people.

use std::ops::Range;

/// A question that a page asks the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example<'a> {
    /// The heading it stands under, without its marks.
    pub heading: &'a str,
    /// The command of the AWS CLI, as it stands in the page.
    pub aws: &'a str,
    /// The same for our own command line.
    pub hashrange: Option<&'a str>,
    /// Where the answer stands in the page, in bytes.
    pub answer: Option<Range<usize>>,
}

/// Returns the examples of a page, in order.
pub fn examples(page: &str) -> Vec<Example<'_>> {
    let mut found = Vec::new();
    let mut heading = "";
    let mut lines = lines_with_offsets(page);
    while let Some((_, line)) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let range = fence_body(page, &mut lines);
            note_fence(page, heading, kind.trim(), range, &mut found);
        } else if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim();
        }
    }
    found
}

/// Returns each line without its end, and its offset.
fn lines_with_offsets(page: &str) -> impl Iterator<Item = (usize, &str)> {
    page.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line.trim_end()))
    })
}

/// Returns the range of lines up to the closing fence, or up to the end of a page without one.
fn fence_body<'a>(page: &str, lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Range<usize> {
    let mut start = None;
    for (offset, line) in lines {
        let start = *start.get_or_insert(offset);
        if line == "```" {
            return start..offset;
        }
    }
    start.unwrap_or(page.len())..page.len()
}

fn note_fence<'a>(
    page: &'a str,
    heading: &'a str,
    kind: &str,
    range: Range<usize>,
    found: &mut Vec<Example<'a>>,
) {
    let body = &page[range.clone()];
    if kind == "sh" && body.starts_with("aws dynamodb ") {
        found.push(Example { heading, aws: body, hashrange: None, answer: None });
    } else if let Some(example) = found.last_mut() {
        if kind == "sh" && body.starts_with("hashrange ") {
            example.hashrange = Some(body);
        } else if kind == "json" {
            example.answer = Some(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_among_text() {
        let page = "# T\ntext\n```sh\nls\n```\n## Q\n```sh\naws dynamodb scan\n```\nor\n\
                    ```sh\nhashrange scan t\n```\n```json\n{}\n```\n```sh\naws dynamodb x\n```\n";
        let found = examples(page);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].heading, "Q");
        assert_eq!(found[0].aws, "aws dynamodb scan\n");
        assert_eq!(found[0].hashrange, Some("hashrange scan t\n"));
        assert_eq!(&page[found[0].answer.clone().unwrap()], "{}\n");
        assert_eq!(found[1].answer, None);
    }

    #[test]
    fn unclosed_fences_end_with_the_page() {
        let cases = ["```sh", "```sh\n", "```sh\naws dynamodb scan", "```\n```\n```json"];
        let counts = cases.map(|page| examples(page).len());
        assert_eq!(counts, [0, 0, 1, 0]);
    }
}
