//! The text of a request without its values, read back: which conditions it has, joined by AND, and which of
//! them a key can answer.
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
//! Left to others: how the text is written (the engine), and what the conditions are good for.

use std::iter::Peekable;
use std::str::CharIndices;

/// How the text of a request ends that was too long.
const CUT: &str = "...";
const SECTIONS: [&str; 5] = ["FILTER", "RETURNS", "WHERE", "UPDATES", "IF"];
/// Statements that write begin with one of these.
const VERBS: [&str; 3] = ["INSERT", "UPDATE", "DELETE"];
/// What stands between the members of a batch or transaction.
const BETWEEN_MEMBERS: &str = ";";
/// The operations whose text is of members.
const OF_MEMBERS: [&str; 6] = [
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "BatchExecuteStatement",
    "ExecuteTransaction",
];

/// A request without its values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// What a statement that writes begins with.
    pub verb: Option<&'static str>,
    /// Conditions that are asked as such on keys.
    pub keys: Vec<Tested>,
    /// Conditions of the filter, or of a WHERE clause, which may be either.
    pub filter: Vec<Tested>,
    /// Whether `filter` is a WHERE clause.
    pub is_where: bool,
    /// The condition of a write.
    pub condition: Vec<Tested>,
    /// What is returned of each item.
    pub returns: Returns,
    /// The attributes that an update changes; none if that is not told.
    pub updates: Option<Vec<String>>,
    /// Whether the text was cut, so that conditions are missing.
    pub is_cut: bool,
}

/// What is returned of each item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Returns {
    /// All that is read has.
    #[default]
    All,
    /// Only how many there are.
    Count,
    /// These attributes, or parts of them.
    Names(Vec<String>),
}

/// One of several conditions that all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// It as text.
    pub text: String,
    /// The top-level attributes in it.
    pub names: Vec<String>,
    /// What it tests.
    pub test: Test,
}

/// What a condition tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// An attribute is equal to a value.
    Equal,
    /// An attribute is in a range: compared with a value, between two, or it begins with one.
    Range,
    /// An attribute is there.
    Exists,
    /// What no key answers: OR, NOT, `<>`, IN, contains, size, a part of an attribute.
    Other,
}

impl Shape {
    /// Reads the text of a request without its values.
    pub fn read(pattern: &str) -> Self {
        let (text, is_cut) = match pattern.split_once(CUT) {
            Some((whole, _)) => (whole, true),
            None => (pattern, false),
        };
        let tokens = tokens(text);
        let verb = verb(&tokens);
        let mut shape = Self { verb, is_cut, ..Self::default() };
        let mut section = "";
        let begin = usize::from(verb.is_some());
        let mut from = begin;
        for nth in begin..=tokens.len() {
            let begun = section_at(&tokens, nth);
            if begun.is_none() && nth < tokens.len() {
                continue;
            }
            shape.add(section, tokens.get(from..nth).unwrap_or_default(), text);
            section = begun.unwrap_or_default();
            from = nth + 1;
            if section.is_empty() {
                from = nth;
            }
        }
        shape
    }

    fn add(&mut self, section: &str, tokens: &[Token<'_>], text: &str) {
        let names = || tokens.iter().filter_map(Token::name).map(str::to_owned).collect();
        match section {
            "RETURNS" if matches!(tokens, [one] if one.text == "COUNT") => {
                self.returns = Returns::Count;
            }
            "RETURNS" => self.returns = Returns::Names(names()),
            "UPDATES" => self.updates = Some(names()),
            "IF" => self.condition = conditions(tokens, text),
            "" => self.keys = conditions(tokens, text),
            section => {
                self.is_where = section == "WHERE";
                self.filter = conditions(tokens, text);
            }
        }
    }

    /// Returns the text of the conditions alone, without what is returned or changed.
    pub fn conditions_text(&self) -> String {
        let joined = |word: &str, tested: &[Tested]| {
            let texts: Vec<&str> = tested.iter().map(|it| it.text.as_str()).collect();
            let space = if word.is_empty() { "" } else { " " };
            (!texts.is_empty()).then(|| format!("{word}{space}{}", texts.join(" AND ")))
        };
        let filter = if self.is_where { "WHERE" } else { "FILTER" };
        let verb = self.verb.map(str::to_owned);
        let filter = joined(filter, &self.filter);
        let parts = [verb, joined("", &self.keys), filter, joined("IF", &self.condition)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Returns the text of the conditions of a request alone, without what is returned or changed; none if they are
/// not all told.
pub(crate) fn conditions_text(operation: &str, text: &str) -> Option<String> {
    if !is_of_members(operation) {
        let shape = Shape::read(text);
        return (!shape.is_cut).then(|| shape.conditions_text());
    }
    if text.contains(CUT) {
        return None;
    }
    let mut members: Vec<String> = Vec::new();
    for member in members_of(text) {
        let mut words = member.trim().splitn(3, ' ');
        let (what, table) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let conditions = Shape::read(words.next().unwrap_or_default()).conditions_text();
        let member = format!("{what} {table} {conditions}").trim_end().to_owned();
        if !members.contains(&member) {
            members.push(member);
        }
    }
    Some(members.join("; "))
}

/// Returns whether requests of an operation had no text before batches, transactions and statements that write
/// were told: those that have one now.
pub(crate) fn was_untold(operation: &str, text: &str) -> bool {
    is_of_members(operation)
        || (operation == "ExecuteStatement" && Shape::read(text).verb.is_some())
}

fn is_of_members(operation: &str) -> bool {
    OF_MEMBERS.contains(&operation)
}

/// Returns the members of a batch or transaction.
fn members_of(text: &str) -> Vec<&str> {
    let tokens = tokens(text);
    let ends = tokens.iter().filter(|token| token.is(BETWEEN_MEMBERS)).map(|token| token.at);
    let mut from = 0;
    let mut members = Vec::new();
    for end in ends.chain([text.len()]) {
        members.extend(text.get(from..end));
        from = end + BETWEEN_MEMBERS.len();
    }
    members
}

/// Returns the verb of a statement that writes: behind it stands a section, or nothing.
fn verb(tokens: &[Token<'_>]) -> Option<&'static str> {
    let first = tokens.first()?;
    let verb = VERBS.into_iter().find(|verb| first.is(verb))?;
    (tokens.len() == 1 || section_at(tokens, 1).is_some()).then_some(verb)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token<'t> {
    /// As it stands in the text.
    text: &'t str,
    /// Where.
    at: usize,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Word,
    /// A name in backquotes, without them.
    Quoted(String),
    Mark,
}

impl Token<'_> {
    /// Returns the name that it is, if it may be one.
    fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Quoted(name) => Some(name),
            Kind::Word if !is_reserved(self.text) => Some(self.text),
            Kind::Word | Kind::Mark => None,
        }
    }

    fn is(&self, text: &str) -> bool {
        !matches!(self.kind, Kind::Quoted(_)) && self.text == text
    }

    /// Returns whether an operand stands behind it.
    fn joins(&self) -> bool {
        ["AND", "OR", "NOT", "(", ".", "=", "<>", "<", "<=", ">", ">=", "BETWEEN", ","]
            .iter()
            .any(|it| self.is(it))
    }
}

fn is_reserved(word: &str) -> bool {
    ["AND", "OR", "NOT", "BETWEEN", "IN", "TRUE", "FALSE"].contains(&word)
}

/// Returns the section that begins at a token: its word, where no operand can be, or one that is no operand.
fn section_at(tokens: &[Token<'_>], nth: usize) -> Option<&'static str> {
    let token = tokens.get(nth)?;
    let section = SECTIONS.into_iter().find(|section| token.is(section))?;
    let is_operand = nth > 0 && tokens.get(nth - 1).is_some_and(Token::joins);
    let next = tokens.get(nth + 1)?;
    let is_compared = ["=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", ".", "[", ",", ")"]
        .iter()
        .any(|it| next.is(it));
    // Functions are in small letters, sections in capitals.
    (!is_operand && !is_compared).then_some(section)
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, first)) = rest.next() {
        if first == ' ' {
            continue;
        }
        let kind = match first {
            '`' => Kind::Quoted(quoted(&mut rest, '`')),
            // The name of a type.
            '\'' => {
                quoted(&mut rest, '\'');
                Kind::Mark
            }
            first if is_word(first) => {
                while rest.next_if(|(_, one)| is_word(*one)).is_some() {}
                Kind::Word
            }
            '<' | '>' => {
                rest.next_if(|(_, one)| matches!(one, '=' | '>'));
                Kind::Mark
            }
            _ => Kind::Mark,
        };
        let end = rest.peek().map_or(text.len(), |(end, _)| *end);
        found.push(Token { text: text.get(at..end).unwrap_or_default(), at, kind });
    }
    found
}

fn is_word(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// Returns what stands up to the closing quote; a quote in it stands twice.
fn quoted(rest: &mut Peekable<CharIndices<'_>>, quote: char) -> String {
    let mut name = String::new();
    while let Some((_, one)) = rest.next() {
        if one == quote && rest.next_if(|(_, next)| *next == quote).is_none() {
            return name;
        }
        name.push(one);
    }
    name
}

/// Returns the conditions that are joined by AND; one if they are joined otherwise.
fn conditions(tokens: &[Token<'_>], text: &str) -> Vec<Tested> {
    let mut depth = 0_usize;
    let mut is_between = false;
    let mut starts = vec![0];
    let mut ends = Vec::new();
    for (nth, token) in tokens.iter().enumerate() {
        match token {
            token if token.is("(") => depth += 1,
            token if token.is(")") => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            token if token.is("OR") => return tested(tokens, text).into_iter().collect(),
            token if token.is("BETWEEN") => is_between = true,
            token if token.is("AND") && is_between => is_between = false,
            token if token.is("AND") => {
                ends.push(nth);
                starts.push(nth + 1);
            }
            _ => {}
        }
    }
    ends.push(tokens.len());
    let parts = starts.into_iter().zip(ends);
    parts.filter_map(|(start, end)| tested(tokens.get(start..end)?, text)).collect()
}

fn tested(tokens: &[Token<'_>], text: &str) -> Option<Tested> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    let text = text.get(first.at..last.at + last.text.len())?.to_owned();
    Some(Tested { text, names: names(tokens), test: test(tokens) })
}

/// Returns the top-level attributes, each once.
fn names(tokens: &[Token<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (nth, token) in tokens.iter().enumerate() {
        let is_member = nth > 0 && tokens.get(nth - 1).is_some_and(|before| before.is("."));
        let is_function = matches!(token.kind, Kind::Word)
            && tokens.get(nth + 1).is_some_and(|after| after.is("("));
        let is_index = token.text.starts_with(|first: char| first.is_ascii_digit());
        let Some(name) = token.name().filter(|_| !is_member && !is_function && !is_index) else {
            continue;
        };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn test(tokens: &[Token<'_>]) -> Test {
    let is_range = |mark: &Token<'_>| ["<", "<=", ">", ">="].iter().any(|it| mark.is(it));
    let is_value = |token: &Token<'_>| token.is("?");
    match tokens {
        [one, mark, other] if mark.is("=") && is_one_name(one, other, is_value) => Test::Equal,
        [one, mark, other] if is_range(mark) && is_one_name(one, other, is_value) => Test::Range,
        [name, between, lower, _, upper]
            if name.name().is_some()
                && between.is("BETWEEN")
                && is_value(lower)
                && is_value(upper) =>
        {
            Test::Range
        }
        [function, _, name, comma, value, _]
            if function.is("begins_with")
                && name.name().is_some()
                && comma.is(",")
                && is_value(value) =>
        {
            Test::Range
        }
        [function, _, name, _] if function.is("attribute_exists") && name.name().is_some() => {
            Test::Exists
        }
        _ => Test::Other,
    }
}

/// Returns whether one of two operands is an attribute, and the other one a value.
fn is_one_name(one: &Token<'_>, other: &Token<'_>, is_value: impl Fn(&Token<'_>) -> bool) -> bool {
    (one.name().is_some() && is_value(other)) || (is_value(one) && other.name().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(tested: &[Tested]) -> Vec<(&str, Test)> {
        tested.iter().map(|it| (it.text.as_str(), it.test)).collect()
    }

    #[test]
    fn what_keys_answer_is_told_from_what_they_do_not() {
        for (text, test, names) in [
            ("a = ?", Test::Equal, &["a"][..]),
            ("? = a", Test::Equal, &["a"]),
            ("`a b``c` = ?", Test::Equal, &["a b`c"]),
            ("a < ?", Test::Range, &["a"]),
            ("a BETWEEN ? AND ?", Test::Range, &["a"]),
            ("begins_with(a, ?)", Test::Range, &["a"]),
            ("attribute_exists(a)", Test::Exists, &["a"]),
            ("attribute_not_exists(a)", Test::Other, &["a"]),
            ("a.b = ?", Test::Other, &["a"]),
            ("a[0] = ?", Test::Other, &["a"]),
            ("a = b", Test::Other, &["a", "b"]),
            ("a <> ?", Test::Other, &["a"]),
            ("a IN (?)", Test::Other, &["a"]),
            ("contains(a, ?)", Test::Other, &["a"]),
            ("size(a) = ?", Test::Other, &["a"]),
            ("NOT a = ?", Test::Other, &["a"]),
            ("attribute_type(a, 'S')", Test::Other, &["a"]),
            ("a = ? OR b = ?", Test::Other, &["a", "b"]),
            ("(a = ? OR b = ?)", Test::Other, &["a", "b"]),
            ("a BETWEEN b AND ?", Test::Other, &["a", "b"]),
            ("begins_with(a, b)", Test::Other, &["a", "b"]),
        ] {
            let shape = Shape::read(&format!("FILTER {text}"));
            assert_eq!(tests(&shape.filter), [(text, test)]);
            assert_eq!(shape.filter[0].names, names, "{text}");
        }
    }

    #[test]
    fn sections_and_conditions_are_told_apart() {
        let shape = Shape::read(
            "c = ? AND d BETWEEN ? AND ? FILTER e = ? AND (f = ? OR g = ?) AND size(h) > ? RETURNS c, `x y`",
        );
        assert_eq!(
            tests(&shape.keys),
            [("c = ?", Test::Equal), ("d BETWEEN ? AND ?", Test::Range)]
        );
        let filter: Vec<&str> = shape.filter.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(filter, ["e = ?", "(f = ? OR g = ?)", "size(h) > ?"]);
        assert_eq!(shape.returns, Returns::Names(vec!["c".to_owned(), "x y".to_owned()]));
        assert_eq!(
            shape.conditions_text(),
            "c = ? AND d BETWEEN ? AND ? FILTER e = ? AND (f = ? OR g = ?) AND size(h) > ?"
        );
        let write = Shape::read("UPDATES a, b IF attribute_exists(c)");
        assert_eq!(write.updates, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(tests(&write.condition), [("attribute_exists(c)", Test::Exists)]);
        assert_eq!(write.conditions_text(), "IF attribute_exists(c)");
        assert_eq!(Shape::read("RETURNS COUNT").returns, Returns::Count);
        assert_eq!(Shape::read(""), Shape::default());
    }

    #[test]
    fn attributes_may_have_the_names_of_sections() {
        let shape = Shape::read("WHERE FILTER = ? AND IF > ? RETURNS RETURNS, COUNT");
        assert_eq!(tests(&shape.filter), [("FILTER = ?", Test::Equal), ("IF > ?", Test::Range)]);
        assert_eq!(shape.returns, Returns::Names(vec!["RETURNS".to_owned(), "COUNT".to_owned()]));
        assert_eq!(Shape::read("FILTER FILTER = ?").filter[0].text, "FILTER = ?");
        assert_eq!(Shape::read("IF = ?").keys[0].text, "IF = ?");
    }

    #[test]
    fn statements_that_write_begin_with_what_they_do() {
        for (text, verb, conditions) in [
            ("INSERT", Some("INSERT"), "INSERT"),
            ("DELETE WHERE a = ?", Some("DELETE"), "DELETE WHERE a = ?"),
            ("UPDATE UPDATES b WHERE a = ?", Some("UPDATE"), "UPDATE WHERE a = ?"),
            ("WHERE a = ?", None, "WHERE a = ?"),
            ("DELETE = ? FILTER UPDATE = ?", None, "DELETE = ? FILTER UPDATE = ?"),
        ] {
            let shape = Shape::read(text);
            assert_eq!((shape.verb, &*shape.conditions_text()), (verb, conditions));
        }
    }

    #[test]
    fn members_are_told_apart_and_equal_ones_once() {
        for (text, conditions) in [
            ("Put a.b-c IF x = ?; Delete d", "Put a.b-c IF x = ?; Delete d"),
            ("Update a UPDATES n IF `;` = ?; Update a UPDATES m IF `;` = ?", "Update a IF `;` = ?"),
            ("Get a RETURNS x; Get b; Get a RETURNS y", "Get a; Get b"),
            ("SELECT a WHERE b = ? RETURNS c; INSERT a", "SELECT a WHERE b = ?; INSERT a"),
            ("Get a", "Get a"),
        ] {
            assert_eq!(conditions_text("ExecuteTransaction", text).as_deref(), Some(conditions));
        }
        for cut in ["Put a IF b = ?; Put c IF ...", "Get a; Get...", "Get a; ..."] {
            assert_eq!(conditions_text("BatchGetItem", cut), None, "{cut}");
        }
    }

    #[test]
    fn what_was_cut_is_told() {
        let shape = Shape::read("FILTER a = ? AND ... RETURNS");
        assert!(shape.is_cut);
        assert_eq!(tests(&shape.filter), [("a = ?", Test::Equal)]);
        for broken in ["FILTER", "`", "(((", "FILTER a BETWEEN ", ") AND (", "'", "AND AND"] {
            Shape::read(broken);
        }
    }
}
