//! Expressions as people write them, with values and any attribute name in them, turned into
//! DynamoDB's expressions with placeholders.
//!
//! `year >= 1999 and begins_with(title, "B")` becomes `#n0 >= :v0 AND begins_with(#n1, :v1)`.
//!
//! - Values are written as in [`parse_value`](super::parse_value).
//! - Every attribute name gets a placeholder, so reserved words need no care. A name of letters,
//!   digits and `_` stands for itself; any other, and one that is a keyword, goes in backquotes:
//!   `` `in`.`first name` `` (two backquotes stand for one).
//! - Keywords (`AND OR NOT BETWEEN IN`) may be written in small letters. A function's name is one
//!   only before `(`.
//! - `a[0]` is an element of a list; a `[` that does not follow a path begins a list value.
//! - A placeholder (`:v`, `#n`) may be given by the caller, if the caller says which ones are.
//! - In an update the clauses `SET REMOVE ADD DELETE` begin where no name can stand, in small letters
//!   too; an attribute of such a name needs no backquotes.

use super::literal::{Reader, TextFault, is_word};
use hashrange_model::AttributeValue;
use std::collections::{BTreeMap, BTreeSet};

const KEYWORDS: [&str; 5] = ["AND", "OR", "NOT", "BETWEEN", "IN"];
const FUNCTIONS: [&str; 8] = [
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "size",
    "if_not_exists",
    "list_append",
];

/// The clauses of an update expression.
const CLAUSES: [&str; 4] = ["SET", "REMOVE", "ADD", "DELETE"];

/// The names and values of all expressions of one request.
///
/// ```
/// use hashrange::text::Placeholders;
/// let mut placeholders = Placeholders::default();
/// let condition = placeholders.expression("country = 'NL' and begins_with(place, '07#')")?;
/// assert_eq!(condition, "#n0 = :v0 AND begins_with(#n1, :v1)");
/// assert_eq!(placeholders.names()[1], ("#n1".to_owned(), "place".to_owned()));
/// assert_eq!(placeholders.values()[1], (":v1".to_owned(), "07#".into()));
/// # Ok::<(), hashrange::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Placeholders {
    names: Vec<(String, String)>,
    /// Position of each name in `names`.
    offsets: BTreeMap<String, usize>,
    values: Vec<(String, AttributeValue)>,
    /// Placeholders that the caller gives; no text may use one if there is no set.
    given: Option<BTreeSet<String>>,
}

/// Token that was read last; it decides the meaning of `[` and `-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A path: `[` begins an index, `-` subtracts.
    Path,
    /// A dot: a name follows, even one that looks like a value.
    Dot,
    /// A value or a closing bracket: `-` subtracts.
    Operand,
    /// Nothing, an operator or a keyword: a value may follow.
    Operator,
}

/// Kind of a text; it decides a few readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grammar {
    /// A condition, a projection or the actions of SET or REMOVE.
    Expression,
    /// The actions of ADD or DELETE: a value follows a path without an operator.
    Pairs,
    /// A whole update expression, now in a clause without pairs.
    Update,
    /// A whole update expression, now in ADD or DELETE.
    UpdatePairs,
}

impl Grammar {
    fn has_pairs(self) -> bool {
        matches!(self, Self::Pairs | Self::UpdatePairs)
    }

    fn is_update(self) -> bool {
        matches!(self, Self::Update | Self::UpdatePairs)
    }
}

impl Placeholders {
    /// Returns empty placeholders, for expressions that may use these of the caller besides, each
    /// written with its `:` or `#`.
    pub fn beside(given: impl IntoIterator<Item = String>) -> Self {
        Self { given: Some(given.into_iter().collect()), ..Self::default() }
    }

    /// Returns an expression with placeholders.
    ///
    /// # Errors
    /// The text cannot be read; the fault names the expected token and the position.
    pub fn expression(&mut self, text: &str) -> Result<String, TextFault> {
        self.rewrite(text, Grammar::Expression)
    }

    /// Returns the actions of an ADD or DELETE clause, `path value, ...`, with placeholders: here a
    /// value follows a path without an operator.
    ///
    /// # Errors
    /// The text cannot be read; the fault names the expected token and the position.
    pub fn pairs(&mut self, text: &str) -> Result<String, TextFault> {
        self.rewrite(text, Grammar::Pairs)
    }

    /// Returns a whole update expression, `SET ... ADD ...`, with placeholders.
    ///
    /// # Errors
    /// The text cannot be read; the fault names the expected token and the position.
    pub fn update(&mut self, text: &str) -> Result<String, TextFault> {
        self.rewrite(text, Grammar::Update)
    }

    /// Returns each placeholder of a name, with the name.
    pub fn names(&self) -> &[(String, String)] {
        &self.names
    }

    /// Returns each placeholder of a value, with the value.
    pub fn values(&self) -> &[(String, AttributeValue)] {
        &self.values
    }

    /// Returns the names and the values with their placeholders.
    #[expect(
        clippy::type_complexity,
        reason = "two lists of pairs, as the methods above have them"
    )]
    pub fn into_parts(self) -> (Vec<(String, String)>, Vec<(String, AttributeValue)>) {
        (self.names, self.values)
    }

    fn rewrite(&mut self, text: &str, mut grammar: Grammar) -> Result<String, TextFault> {
        let mut reader = Reader::new(text);
        let mut out = String::new();
        let mut last = Last::Operator;
        while let Some(next) = reader.peek() {
            last = match next {
                _ if next.is_whitespace() => {
                    out.push_str(reader.take_while(char::is_whitespace));
                    last
                }
                '`' => self.name(&mut out, &reader.enclosed('`')?),
                '[' if last == Last::Path => index(&mut reader, &mut out)?,
                '-' if follows_operand(last, grammar) => operator(&mut reader, &mut out),
                _ if begins_value(&reader, last) => {
                    let value = reader.value(0)?;
                    self.value(&mut out, value)
                }
                _ if is_word(next) => match clause(&mut reader, &mut out, last, grammar) {
                    Some(entered) => {
                        grammar = entered;
                        Last::Operator
                    }
                    None => self.word(&mut reader, &mut out, last),
                },
                '.' => {
                    out.push('.');
                    reader.skip(".");
                    Last::Dot
                }
                '=' | '<' | '>' | '(' | ')' | ',' | '+' => operator(&mut reader, &mut out),
                ':' | '#' if self.given.is_some() => given(&mut reader, &mut out)?,
                ':' | '#' => return Err(reader.fault("the value or name itself")),
                _ => return Err(reader.fault("an expression")),
            };
        }
        Ok(out)
    }

    fn word(&mut self, reader: &mut Reader<'_>, out: &mut String, last: Last) -> Last {
        let word = reader.take_while(is_word);
        let capitals = word.to_ascii_uppercase();
        if last == Last::Dot {
            return self.name(out, word);
        }
        if KEYWORDS.contains(&capitals.as_str()) {
            out.push_str(&capitals);
            return Last::Operator;
        }
        if FUNCTIONS.contains(&word) && reader.rest().trim_start().starts_with('(') {
            out.push_str(word);
            return Last::Operator;
        }
        self.name(out, word)
    }

    fn name(&mut self, out: &mut String, name: &str) -> Last {
        let known = self.offsets.get(name).copied();
        let nth = known.unwrap_or_else(|| {
            let nth = self.names.len();
            self.names.push((self.free_placeholder("#n", nth), name.to_owned()));
            self.offsets.insert(name.to_owned(), nth);
            nth
        });
        out.push_str(&self.names[nth].0);
        Last::Path
    }

    fn value(&mut self, out: &mut String, value: AttributeValue) -> Last {
        let placeholder = self.free_placeholder(":v", self.values.len());
        out.push_str(&placeholder);
        self.values.push((placeholder, value));
        Last::Operand
    }

    /// Returns a placeholder that the caller does not give.
    fn free_placeholder(&self, prefix: &str, nth: usize) -> String {
        let mut placeholder = format!("{prefix}{nth}");
        while self.given.as_ref().is_some_and(|given| given.contains(&placeholder)) {
            placeholder.push('_');
        }
        placeholder
    }
}

/// Copies the keyword of a clause if one begins here, and returns the grammar for the rest.
fn clause(
    reader: &mut Reader<'_>,
    out: &mut String,
    last: Last,
    grammar: Grammar,
) -> Option<Grammar> {
    let follows_action = matches!(last, Last::Path | Last::Operand) || out.trim().is_empty();
    if !grammar.is_update() || !follows_action {
        return None;
    }
    let rest = reader.rest();
    let word = &rest[..rest.find(|character| !is_word(character)).unwrap_or(rest.len())];
    let clause = CLAUSES.into_iter().find(|clause| clause.eq_ignore_ascii_case(word))?;
    reader.skip(word);
    out.push_str(clause);
    match clause {
        "ADD" | "DELETE" => Some(Grammar::UpdatePairs),
        _ => Some(Grammar::Update),
    }
}

/// Copies a placeholder that the caller gives.
fn given(reader: &mut Reader<'_>, out: &mut String) -> Result<Last, TextFault> {
    let (sign, last) = if reader.skip(":") { (':', Last::Operand) } else { ('#', Last::Path) };
    if sign == '#' {
        reader.skip("#");
    }
    let name = reader.take_while(is_word);
    if name.is_empty() {
        return Err(reader.fault("the name of a placeholder"));
    }
    out.push(sign);
    out.push_str(name);
    Ok(last)
}

/// Returns true if a minus sign is subtraction here.
fn follows_operand(last: Last, grammar: Grammar) -> bool {
    match last {
        Last::Path => !grammar.has_pairs(),
        Last::Operand => true,
        Last::Dot | Last::Operator => false,
    }
}

/// Returns true if a value comes next, not a name or an operator.
fn begins_value(reader: &Reader<'_>, last: Last) -> bool {
    let rest = reader.rest();
    let word = &rest[..rest.find(|character| !is_word(character)).unwrap_or(rest.len())];
    match rest.as_bytes().first() {
        _ if last == Last::Dot => false,
        Some(b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9') => true,
        Some(b'<') => rest.starts_with("<<"),
        _ => matches!(word, "true" | "false" | "null") || rest.starts_with("b\""),
    }
}

/// Copies `[0]`.
fn index(reader: &mut Reader<'_>, out: &mut String) -> Result<Last, TextFault> {
    reader.skip("[");
    reader.skip_space();
    let digits = reader.take_while(|character| character.is_ascii_digit());
    if digits.is_empty() {
        return Err(reader.fault("the position of an element"));
    }
    reader.skip_space();
    if !reader.skip("]") {
        return Err(reader.fault("`]`"));
    }
    out.extend(["[", digits, "]"]);
    Ok(Last::Path)
}

/// Copies one character of an operator.
fn operator(reader: &mut Reader<'_>, out: &mut String) -> Last {
    let Some(character) = reader.peek() else { return Last::Operator };
    reader.skip(character.encode_utf8(&mut [0; 4]));
    out.push(character);
    if character == ')' { Last::Operand } else { Last::Operator }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, grammar: Grammar) -> (String, String) {
        let mut placeholders = Placeholders::default();
        let out = placeholders.rewrite(text, grammar).unwrap_or_else(|fault| fault.to_string());
        let names = placeholders.names().iter().map(|(place, name)| format!("{place}={name}"));
        let values =
            placeholders.values().iter().map(|(place, value)| format!("{place}={value:?}"));
        (out, names.chain(values).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn names_and_values_become_placeholders() {
        let cases = [
            (
                r#"country = "NL" and begins_with(sk, '07#')"#,
                "#n0 = :v0 AND begins_with(#n1, :v1)",
                r#"#n0=country #n1=sk :v0=S("NL") :v1=S("07#")"#,
            ),
            (
                "a.b[0].true = true OR not a.in >= -1.5",
                "#n0.#n1[0].#n2 = :v0 OR NOT #n0.#n3 >= :v1",
                "#n0=a #n1=b #n2=true #n3=in :v0=Bool(true) :v1=N(-1.5)",
            ),
            (
                "n = n - 1, l = list_append(l, [1, {x: null}]), m=if_not_exists(m,<<'a'>>)-2",
                "#n0 = #n0 - :v0, #n1 = list_append(#n1, :v1), #n2=if_not_exists(#n2,:v2)-:v3",
                r#"#n0=n #n1=l #n2=m :v0=N(1) :v1=L([N(1), M({"x": Null})]) :v2=Ss(["a"]) :v3=N(2)"#,
            ),
            (
                "`first name`.size, size, größe",
                "#n0.#n1, #n1, #n2",
                "#n0=first name #n1=size #n2=größe",
            ),
            (
                "x between 1 and 2 and y in (1,b\"AQ==\")",
                "#n0 BETWEEN :v0 AND :v1 AND #n1 IN (:v2,:v3)",
                r#"#n0=x #n1=y :v0=N(1) :v1=N(2) :v2=N(1) :v3=B(b"\x01")"#,
            ),
            ("", "", ""),
        ];
        for (text, expected, members) in cases {
            let expected = (expected.to_owned(), members.to_owned());
            assert_eq!(rewritten(text, Grammar::Expression), expected, "{text}");
        }
    }

    #[test]
    fn updates_have_clauses_where_no_name_can_stand() {
        let cases = [
            (
                "SET a = a - 1, b = 'x' REMOVE c, d[0] ADD n -1 DELETE tags <<'x'>>",
                "SET #n0 = #n0 - :v0, #n1 = :v1 REMOVE #n2, #n3[0] ADD #n4 :v2 DELETE #n5 :v3",
            ),
            ("set set = set + 1 remove add", "SET #n0 = #n0 + :v0 REMOVE #n1"),
            (" add delete 1 set add.set = 2", " ADD #n0 :v0 SET #n1.#n2 = :v1"),
            ("a = 1", "#n0 = :v0"),
        ];
        for (text, expected) in cases {
            assert_eq!(rewritten(text, Grammar::Update).0, expected, "{text}");
        }
        assert_eq!(rewritten("a = b remove c", Grammar::Expression).0, "#n0 = #n1 #n2 #n3");
    }

    #[test]
    fn placeholders_of_the_caller_stay() {
        let given = [":v0", ":limit", "#n1"].map(str::to_owned);
        let mut placeholders = Placeholders::beside(given);
        let cases = [
            (
                "a = 1 and b < :limit and #n1.c = :v0",
                "#n0 = :v0_ AND #n1_ < :limit AND #n1.#n2 = :v0",
            ),
            ("a - :limit", "#n0 - :limit"),
            ("a.#n1 - 2", "#n0.#n1 - :v1"),
            ("a = :", "expected the name of a placeholder at character 6, not the end"),
        ];
        for (text, expected) in cases {
            let out = placeholders.expression(text).unwrap_or_else(|fault| fault.to_string());
            assert_eq!(out, expected, "{text}");
        }
    }

    #[test]
    fn in_pairs_a_minus_sign_after_a_path_belongs_to_the_value() {
        assert_eq!(rewritten("n -1, tags <<'x'>>", Grammar::Pairs).0, "#n0 :v0, #n1 :v1");
    }

    #[test]
    fn what_is_no_expression_is_a_fault_with_its_place() {
        let cases = [
            ("a = :v", "expected the value or name itself at character 5, not ':'"),
            ("#a = 1", "expected the value or name itself at character 1, not '#'"),
            ("a = 1;", "expected an expression at character 6, not ';'"),
            ("a[x] = 1", "expected the position of an element at character 3, not 'x'"),
            ("a[1", "expected `]` at character 4, not the end"),
            ("a = \"x", "expected the closing quote at character 7, not the end"),
            ("`a", "expected the closing quote at character 3, not the end"),
            ("a = {", "expected an attribute name at character 6, not the end"),
        ];
        for (text, expected) in cases {
            assert_eq!(rewritten(text, Grammar::Expression).0, expected, "{text}");
        }
    }
}
