//! Finds the examples of a page of queries.
//!
//! The form of a page, of which this reads the fences only:
//!
//! | in the page | meaning |
//! |---|---|
//! | a heading | subject of the next examples |
//! | a fence `sh` that begins with `aws dynamodb ` | begins an example: a command of the AWS CLI |
//! | a fence `sh` that begins with `hashrange ` | the same with our own command line |
//! | a fence `text` | the output of our own command line |
//! | a fence `json` | the answer, in DynamoDB's JSON |
//! | a fence `sql` | on the page of PartiQL, a statement; a fence `text` is its output |
//!
//! Any other text and fence is for people. Commands use only shell syntax that can be read without
//! a shell, see [`words`].

use std::ops::Range;

/// A question that a page asks the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example<'a> {
    /// Heading above it, without its marks.
    pub heading: &'a str,
    /// The command of the AWS CLI, as it stands in the page.
    pub aws: &'a str,
    /// The same for our own command line.
    pub hashrange: Option<&'a str>,
    /// Position in the page of the answer in DynamoDB's JSON, in bytes.
    pub answer: Option<Range<usize>>,
    /// Position in the page of our own command line's output, in bytes.
    pub printed: Option<Range<usize>>,
}

/// A command or statement that a page runs with our own command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRun<'a> {
    /// The command or statement.
    pub run: Run<'a>,
    /// Position in the page of its output, in bytes.
    pub printed: Range<usize>,
}

/// A command or statement of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run<'a> {
    /// A command.
    Command(&'a str),
    /// A statement in PartiQL.
    Statement(&'a str),
}

/// A block of a page between two lines of three backquotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence<'a> {
    /// Heading above it, without its marks.
    pub heading: &'a str,
    /// Text after the opening backquotes.
    pub kind: &'a str,
    /// Content.
    pub body: &'a str,
    /// Position of the content in the page, in bytes.
    pub range: Range<usize>,
}

impl Fence<'_> {
    fn is_command_of(&self, program: &str) -> bool {
        self.kind == "sh" && self.body.starts_with(program)
    }
}

/// Returns the fences of a page, in order. An unclosed one ends with the page.
pub fn fences(page: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut heading = "";
    let mut lines = lines_with_offsets(page);
    while let Some((_, line)) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let range = fence_body(page, &mut lines);
            found.push(Fence { heading, kind: kind.trim(), body: &page[range.clone()], range });
        } else if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim();
        }
    }
    found
}

/// Returns the texts between two single backquotes in a line of a page, in order, except in fences.
pub fn code_spans(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut lines = lines_with_offsets(page);
    while let Some((_, line)) = lines.next() {
        if line.starts_with("```") {
            fence_body(page, &mut lines);
        } else {
            found.extend(line.split('`').skip(1).step_by(2).filter(|span| !span.is_empty()));
        }
    }
    found
}

/// Returns the commands and statements of a page with their output, in order: each fence `sql`, and
/// each fence `sh` that begins with `hashrange `, with the fence `text` that follows.
pub fn shown(page: &str) -> Vec<ShownRun<'_>> {
    let mut found = Vec::new();
    let mut last = None;
    for fence in fences(page) {
        match fence.kind {
            "sql" => last = Some(Run::Statement(fence.body)),
            _ if fence.is_command_of("hashrange ") => last = Some(Run::Command(fence.body)),
            "text" => found.extend(last.take().map(|run| ShownRun { run, printed: fence.range })),
            _ => {}
        }
    }
    found
}

/// Returns the commands of our own command line on a page, in order: each fence `sh` that begins
/// with `hashrange `, and the position of its output if a fence `text` is the next one.
pub fn commands(page: &str) -> Vec<(&str, Option<Range<usize>>)> {
    let mut found: Vec<(&str, Option<Range<usize>>)> = Vec::new();
    let mut is_next = false;
    for fence in fences(page) {
        let is_command = fence.is_command_of("hashrange ");
        if is_command {
            found.push((fence.body, None));
        } else if let Some((_, printed)) = found.last_mut()
            && is_next
            && fence.kind == "text"
        {
            *printed = Some(fence.range);
        }
        is_next = is_command;
    }
    found
}

/// Returns the examples of a page, in order.
pub fn examples(page: &str) -> Vec<Example<'_>> {
    let mut found: Vec<Example<'_>> = Vec::new();
    for fence in fences(page) {
        let Fence { heading, body, .. } = fence;
        if fence.is_command_of("aws dynamodb ") {
            found.push(Example {
                heading,
                aws: body,
                hashrange: None,
                answer: None,
                printed: None,
            });
        } else if let Some(example) = found.last_mut() {
            match fence.kind {
                _ if fence.is_command_of("hashrange ") => example.hashrange = Some(body),
                "json" => example.answer = Some(fence.range),
                "text" => example.printed = Some(fence.range),
                _ => {}
            }
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

/// Returns the words of a command, separated by blanks and line ends, with strings in single
/// quotes, and with a backslash at the end of a continued line. Returns `None` for anything with
/// another meaning to a shell.
pub fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => word.get_or_insert_default().push_str(&quoted(&mut characters, '\'')?),
            '"' => {
                let text = quoted(&mut characters, '"')?;
                if text.contains(['$', '`', '\\', '!']) {
                    return None;
                }
                word.get_or_insert_default().push_str(&text);
            }
            '\\' if characters.next() == Some('\n') => {}
            ' ' => words.extend(word.take()),
            '\n' if characters.as_str().is_empty() => {}
            '\\' | '\n' => return None,
            _ if "$`|&;<>()*?#~!".contains(character) => return None,
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    Some(words)
}

/// Returns the text up to the closing quote.
fn quoted(characters: &mut std::str::Chars<'_>, quote: char) -> Option<String> {
    let (text, rest) = characters.as_str().split_once(quote)?;
    *characters = rest.chars();
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_among_text() {
        let page = "# T\ntext\n```sh\nls\n```\n## Q\n```sh\naws dynamodb scan\n```\nor\n\
                    ```sh\nhashrange scan t\n```\n```text\nnone\n```\n```json\n{}\n```\n\
                    ```sh\naws dynamodb x\n```\n";
        let found = examples(page);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].heading, "Q");
        assert_eq!(found[0].aws, "aws dynamodb scan\n");
        assert_eq!(found[0].hashrange, Some("hashrange scan t\n"));
        assert_eq!(&page[found[0].answer.clone().unwrap()], "{}\n");
        assert_eq!(&page[found[0].printed.clone().unwrap()], "none\n");
        assert_eq!(found[1].answer, None);
    }

    #[test]
    fn what_is_run_is_found_with_what_it_prints() {
        let page = "```\nSELECT\n```\n```text\n-\n```\n```sql\nSELECT a\n```\nso\n```text\nb\n```\n\
                    ```sh\nls\n```\n```sh\nhashrange x\n```\n```text\n```\n```sql\nalone\n```\n";
        let found = shown(page);
        let runs: Vec<_> = found.iter().map(|shown| shown.run).collect();
        assert_eq!(runs, [Run::Statement("SELECT a\n"), Run::Command("hashrange x\n")]);
        assert_eq!(&page[found[0].printed.clone()], "b\n");
        assert_eq!(&page[found[1].printed.clone()], "");
    }

    #[test]
    fn commands_are_found_with_what_they_print() {
        let page = "```sh\nhashrange put\n```\n```sh\nhashrange get\n```\nprints\n```text\nx\n```\n\
                    ```sh\nhashrange drop\n```\n```json\n{}\n```\n```text\ny\n```\n";
        let found = commands(page);
        let texts: Vec<_> = found
            .iter()
            .map(|(command, printed)| (*command, printed.clone().map(|range| &page[range])))
            .collect();
        let expected = [
            ("hashrange put\n", None),
            ("hashrange get\n", Some("x\n")),
            ("hashrange drop\n", None),
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn code_in_lines_is_found_outside_of_fences() {
        let page = "a `b c` and `d`.\n```sh\n`not`\n```\n| `e` | `` `f` `` |\nopen ` end\n";
        assert_eq!(code_spans(page)[..3], ["b c", "d", "e"]);
        assert!(!code_spans(page).contains(&"not"));
    }

    #[test]
    fn plain_commands_have_words() {
        let cases: [(&str, Option<&[&str]>); 10] = [
            ("a  b \\\n  --c 'd \"e\n f'g\n", Some(&["a", "b", "--c", "d \"e\n fg"])),
            ("a ''", Some(&["a", ""])),
            ("", Some(&[])),
            ("a\nb", None),
            ("a 'b", None),
            ("a $b", None),
            ("a \\b", None),
            ("a > b", None),
            ("a \"b 'c'\"d", Some(&["a", "b 'c'd"])),
            ("a \"$b\"", None),
        ];
        for (command, expected) in cases {
            let expected = expected.map(|words| words.iter().map(ToString::to_string).collect());
            assert_eq!(words(command), expected, "{command}");
        }
    }

    #[test]
    fn unclosed_fences_end_with_the_page() {
        let cases = ["```sh", "```sh\n", "```sh\naws dynamodb scan", "```\n```\n```json"];
        let counts = cases.map(|page| examples(page).len());
        assert_eq!(counts, [0, 0, 1, 0]);
    }
}
