//! The pattern of a request: the request without its values, in a canonical form.
//!
//! ```text
//! [conditions on keys] [FILTER conditions] [RETURNS names | RETURNS COUNT]      GetItem, Query, Scan
//! [WHERE conditions] [RETURNS names]                                          SELECT
//! [UPDATES names] [IF conditions]                                             writes
//! INSERT | UPDATE UPDATES names WHERE conditions | DELETE WHERE conditions    statements that write
//! member[; member]...                                                         batches and transactions
//! ```
//!
//! A member is what it does, its table and then as above: `Put orders IF attribute_not_exists(id); Update stock
//! UPDATES left`.
//!
//! Invariant: two spellings of one request have one pattern. Tests stand in the order of [`Tested`], names in that
//! of the alphabet, members in that of [`Member`], each once.
//!
//! Left to others: turning a request into a pattern (the engine), and the canonical form of tests (`hashrange-expr`).

use hashrange_expr::{Name, PatternFault, PatternReader, Tested, read_pattern, tests_joined};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Text of [`Pattern::others`].
const OTHERS: &str = "(others)";

/// A request without its values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct Pattern {
    /// Verb of a statement that writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<Verb>,
    /// Tests of keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Tested>,
    /// Tests of the filter, or of a WHERE clause, which may be either.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<Tested>,
    /// True if `filter` is a WHERE clause.
    #[serde(skip_serializing_if = "is_false")]
    pub is_where: bool,
    /// Tests of the condition of a write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub condition: Vec<Tested>,
    /// Part of each item that is returned.
    #[serde(skip_serializing_if = "Returns::is_all")]
    pub returns: Returns,
    /// Attributes that an update changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updates: Option<Vec<String>>,
    /// Members of a batch or transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// True of [`Pattern::others`].
    #[serde(skip_serializing_if = "is_false")]
    pub is_others: bool,
}

/// A member of a batch or transaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Member {
    /// The table.
    pub table: String,
    /// Verb of the member, such as `Put` or `SELECT`.
    pub does: String,
    /// Pattern of the member, without verb and table.
    pub pattern: Pattern,
}

/// Verb of a statement that writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verb {
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
}

impl Verb {
    const ALL: [Self; 3] = [Self::Insert, Self::Update, Self::Delete];

    fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// Part of each item that is returned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub enum Returns {
    /// All attributes that are read.
    #[default]
    All,
    /// Only the number of items.
    Count,
    /// Some attributes, or parts of them.
    Names(Vec<String>),
}

impl Returns {
    fn is_all(&self) -> bool {
        *self == Self::All
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(it: &bool) -> bool {
    !it
}

impl Pattern {
    /// Returns the pattern of a batch or transaction.
    pub fn of_members(mut members: Vec<Member>) -> Self {
        members.sort();
        members.dedup();
        Self { members, ..Self::default() }
    }

    /// Returns the pattern that sums the kinds without room.
    pub fn others() -> Self {
        Self { is_others: true, ..Self::default() }
    }

    /// Parses the printed form.
    pub fn read(text: &str) -> Result<Self, PatternFault> {
        match text {
            "" => Ok(Self::default()),
            OTHERS => Ok(Self::others()),
            text => read_pattern(text, read),
        }
    }

    /// Returns whether it has no more than its operation.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns its conditions, without what is returned or changed.
    #[must_use]
    pub fn conditions(&self) -> Self {
        let of_member =
            |member: &Member| Member { pattern: member.pattern.conditions(), ..member.clone() };
        Self {
            returns: Returns::All,
            updates: None,
            members: Self::of_members(self.members.iter().map(of_member).collect()).members,
            ..self.clone()
        }
    }

    /// Returns about how many bytes its text takes.
    pub fn bytes(&self) -> usize {
        let of_tests = |tested: &[Tested]| {
            let of =
                |one: &Tested| one.text.len() + one.names.iter().map(String::len).sum::<usize>();
            tested.iter().map(of).sum::<usize>()
        };
        let of_names = |names: &[String]| names.iter().map(String::len).sum::<usize>();
        let returned = match &self.returns {
            Returns::Names(names) => of_names(names),
            Returns::All | Returns::Count => 0,
        };
        let of_members = self
            .members
            .iter()
            .map(|it| it.table.len() + it.does.len() + size_of::<Member>() + it.pattern.bytes());
        of_tests(&self.keys)
            + of_tests(&self.filter)
            + of_tests(&self.condition)
            + returned
            + self.updates.as_deref().map_or(0, of_names)
            + of_members.sum::<usize>()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_others {
            return out.write_str(OTHERS);
        }
        let tests = |word: &str, tested: &[Tested]| match tested {
            [] => None,
            tested => Some(format!("{word}{}", tests_joined(tested))),
        };
        let names = |word: &str, names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| Name(name).to_string()).collect();
            Some(format!("{word} {}", names.join(", ")))
        };
        let parts = [
            self.verb.map(|verb| verb.as_str().to_owned()),
            tests("", &self.keys),
            self.updates.as_deref().and_then(|updated| names("UPDATES", updated)),
            tests(if self.is_where { "WHERE " } else { "FILTER " }, &self.filter),
            tests("IF ", &self.condition),
            match &self.returns {
                Returns::All => None,
                Returns::Count => Some("RETURNS COUNT".to_owned()),
                Returns::Names(returned) if returned == &["COUNT"] => {
                    Some("RETURNS `COUNT`".to_owned())
                }
                Returns::Names(returned) => names("RETURNS", returned),
            },
        ];
        out.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))?;
        for (nth, member) in self.members.iter().enumerate() {
            out.write_str(if nth == 0 { "" } else { "; " })?;
            write!(out, "{} {}", member.does, member.table)?;
            if !member.pattern.is_empty() {
                write!(out, " {}", member.pattern)?;
            }
        }
        Ok(())
    }
}

/// Verbs of members.
const MEMBERS: [&str; 9] =
    ["Get", "Put", "Update", "Delete", "ConditionCheck", "SELECT", "EXISTS", "INSERT", "UPDATE"];

type Read<T> = Result<T, PatternFault>;

fn read(text: &mut PatternReader<'_, '_, '_>) -> Read<Pattern> {
    let sections = ["WHERE", "UPDATES"];
    let verb = Verb::ALL.into_iter().find(|verb| text.word_before(verb.as_str(), &sections));
    if verb.is_none()
        && let Some(members) = members(text)?
    {
        return Ok(Pattern::of_members(members));
    }
    Ok(Pattern { verb, ..asked(text)? })
}

/// Parses the members of a batch or transaction; none if the text does not begin with one.
fn members(text: &mut PatternReader<'_, '_, '_>) -> Read<Option<Vec<Member>>> {
    let mut members = Vec::new();
    loop {
        let words = MEMBERS.into_iter().chain(["DELETE"]);
        let Some(does) = words.into_iter().find(|word| text.section(word)) else {
            return if members.is_empty() { Ok(None) } else { Err(text.unexpected()) };
        };
        let table = text.table()?;
        let pattern = if text.semicolon() {
            members.push(Member { table, does: does.to_owned(), pattern: Pattern::default() });
            continue;
        } else {
            asked(text)?
        };
        members.push(Member { table, does: does.to_owned(), pattern });
        if !text.semicolon() {
            return Ok(Some(members));
        }
    }
}

/// Parses the sections of a request or member, in their order.
fn asked(text: &mut PatternReader<'_, '_, '_>) -> Read<Pattern> {
    const SECTIONS: [&str; 5] = ["UPDATES", "FILTER", "WHERE", "IF", "RETURNS"];
    let mut pattern = Pattern::default();
    if text.at_end() {
        return Ok(pattern);
    }
    let mut section = SECTIONS.into_iter().find(|word| text.section(word));
    if section.is_none() {
        pattern.keys = text.tests()?;
        section = SECTIONS.into_iter().find(|word| text.section(word));
    }
    while let Some(word) = section {
        match word {
            "UPDATES" => pattern.updates = Some(text.names()?),
            "IF" => pattern.condition = text.tests()?,
            "RETURNS" if text.word_before("COUNT", &[";"]) => pattern.returns = Returns::Count,
            "RETURNS" => pattern.returns = Returns::Names(text.names()?),
            word => {
                pattern.is_where = word == "WHERE";
                pattern.filter = text.tests()?;
            }
        }
        section = SECTIONS.into_iter().find(|word| text.section(word));
    }
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prints_is_read_back() {
        for text in [
            "",
            "(others)",
            "c = ? AND d BETWEEN ? AND ? FILTER e = ? AND (f = ? OR g = ?) AND size(h) > ? RETURNS c, `x y`",
            "UPDATES a, b IF attribute_exists(c)",
            "RETURNS COUNT",
            "RETURNS `COUNT`",
            "INSERT",
            "DELETE WHERE a = ?",
            "UPDATE UPDATES b WHERE a = ?",
            "WHERE a = ?",
            "`DELETE` = ? FILTER UPDATE = ?",
            "WHERE FILTER = ? AND IF > ? RETURNS COUNT, RETURNS",
            "FILTER FILTER = ?",
            "IF = ?",
            "Delete d; Put a.b-c IF x = ?",
            "Get a RETURNS x; Get b",
            "SELECT a WHERE b = ? RETURNS c; INSERT a",
            "Update a UPDATES n IF `;` = ?",
            "FILTER `Put a; b` = ?",
            "EXISTS cities WHERE country = ?; DELETE cities WHERE country = ?",
        ] {
            let read = Pattern::read(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            let mut words: Vec<String> = read.to_string().split("; ").map(str::to_owned).collect();
            let mut given: Vec<String> = text.split("; ").map(str::to_owned).collect();
            words.sort();
            given.sort();
            assert_eq!(words, given, "{text}");
            assert_eq!(Pattern::read(&read.to_string()), Ok(read), "{text}");
        }
    }

    #[test]
    fn two_spellings_of_one_request_are_one_pattern() {
        for (one, other) in [
            ("b = ? AND a = ?", "a = ? AND b = ?"),
            (
                "a >= ? AND a <= ? FILTER c = ? AND b = ?",
                "a BETWEEN ? AND ? FILTER b = ? AND c = ?",
            ),
            ("Put b; Get a; Put b", "Get a; Put b"),
            ("FILTER ? < a RETURNS b, a, b", "FILTER a > ? RETURNS a, b"),
        ] {
            assert_eq!(Pattern::read(one), Pattern::read(other), "{one}");
            assert!(Pattern::read(one).is_ok(), "{one}");
        }
    }

    #[test]
    fn conditions_alone_say_nothing_of_what_is_returned_or_changed() {
        for (text, conditions) in [
            ("a = ? RETURNS b", "a = ?"),
            ("UPDATES a IF b = ?", "IF b = ?"),
            ("UPDATE UPDATES a WHERE b = ?", "UPDATE WHERE b = ?"),
            ("Get a RETURNS x; Get b; Get a RETURNS y", "Get a; Get b"),
        ] {
            let pattern = Pattern::read(text).map(|pattern| pattern.conditions());
            assert_eq!(pattern, Pattern::read(conditions), "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_patterns_are_refused() {
        for text in
            ["FILTER", "`", "(((", "a = ? ; b", "Put", "RETURNS", "a = ? AND ...", "nonsense", ";"]
        {
            assert!(Pattern::read(text).is_err(), "{text}");
        }
    }
}
