//! A tree as text: branches as `tree` of Unix draws them, then figures in columns.

use super::table::shown;
use unicode_width::UnicodeWidthStr;

/// A line of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Depth, from 1.
    pub level: usize,
    /// Text of the node.
    pub name: String,
    /// Figures after the text, in columns that are aligned to the right.
    pub columns: Vec<String>,
}

/// Blanks between the names and the columns, and between columns.
const GAP: usize = 2;

/// Returns the lines of a tree.
pub fn lines(branches: &[Branch]) -> Vec<String> {
    let drawn = drawn(branches);
    let names = drawn.iter().map(|name| name.width()).max().unwrap_or(0);
    let count = branches.iter().map(|branch| branch.columns.len()).max().unwrap_or(0);
    let column = |nth: usize| branches.iter().filter_map(move |branch| branch.columns.get(nth));
    let widths: Vec<usize> =
        (0..count).map(|nth| column(nth).map(|text| text.width()).max().unwrap_or(0)).collect();
    drawn
        .into_iter()
        .zip(branches)
        .map(|(name, branch)| line(name, branch, names, &widths))
        .collect()
}

fn line(mut line: String, branch: &Branch, names: usize, widths: &[usize]) -> String {
    let mut end = names;
    for (text, width) in branch.columns.iter().zip(widths) {
        end += GAP + width;
        let blank = end.saturating_sub(line.width() + text.width());
        line.extend(std::iter::repeat_n(' ', blank));
        line.push_str(text);
    }
    line
}

/// Returns each name after its branch. Walks from the end: a branch goes on below a line if another
/// line of its level follows before one of a lower level.
fn drawn(branches: &[Branch]) -> Vec<String> {
    let mut follows: Vec<bool> = Vec::new();
    let mut drawn: Vec<String> = Vec::with_capacity(branches.len());
    for branch in branches.iter().rev() {
        let depth = branch.level.max(1);
        follows.truncate(depth);
        follows.resize(depth, false);
        let (last, above) = follows.split_last().unwrap_or((&false, &[]));
        let mut text: String =
            above.iter().map(|goes_on| if *goes_on { "│   " } else { "    " }).collect();
        text.push_str(if *last { "├── " } else { "└── " });
        text.push_str(&shown(&branch.name));
        drawn.push(text);
        if let Some(last) = follows.last_mut() {
            *last = true;
        }
    }
    drawn.reverse();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(branches: &[(usize, &str, &[&str])], expected: &[&str]) {
        let branch = |(level, name, columns): &(usize, &str, &[&str])| Branch {
            level: *level,
            name: (*name).to_owned(),
            columns: columns.iter().map(|text| (*text).to_owned()).collect(),
        };
        assert_eq!(lines(&branches.iter().map(branch).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn branches_end_where_nothing_follows() {
        check(
            &[
                (1, "a", &[]),
                (2, "b", &[]),
                (3, "c", &[]),
                (2, "d", &[]),
                (1, "e", &[]),
                (2, "f", &[]),
            ],
            &["├── a", "│   ├── b", "│   │   └── c", "│   └── d", "└── e", "    └── f"],
        );
        check(&[], &[]);
        check(&[(2, "in the middle", &[]), (1, "e", &[])], &["│   └── in the middle", "└── e"]);
    }

    #[test]
    fn columns_are_aligned_and_names_cannot_steer_the_terminal() {
        check(
            &[(1, "日本#", &["1", "20 B"]), (1, "a\u{1b}", &["1,000", "3 B"])],
            &["├── 日本#        1  20 B", "└── a\\u001b  1,000   3 B"],
        );
    }
}
