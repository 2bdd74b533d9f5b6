//! Steps from token to token of a statement, with counters of depth and parameters, and the parts
//! that all clauses share: names, document paths, faults. The grammars are in the sibling modules.

use super::Parameters;
use super::token::{Kind, Token};
use super::words::Words;
use crate::path::{DocumentPath, PathStep};
use hashrange_model::error::{ExpressionFault, Malformed, Span, StatementFault, ValueFault};
use hashrange_model::limits::LIST_INDEX_MAX;
use hashrange_model::{Reason, Value};
use std::borrow::Cow;

/// Deepest nesting of parentheses and literals that the parser follows.
const DEPTH_MAX: usize = 300;
/// Most steps of a document path into its attribute.
const PATH_LEVELS_MAX: usize = 32;
pub(super) type Parsed<T> = Result<T, Reason>;

/// A parser over one statement.
#[derive(Debug)]
pub(super) struct Parser<'t> {
    text: &'t str,
    words: Words,
    pub(super) current: Token,
    parameters: Parameters<'t>,
    used_parameters: usize,
    depth: usize,
    /// True if the WHERE clause calls a function.
    pub(super) has_function: bool,
    /// First fault of a text that has the form of a statement; reported once that form is certain.
    pub(super) noted: Option<Reason>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, words: Words, parameters: Parameters<'t>) -> Self {
        let current = Token::read(text, 0);
        Self {
            text,
            words,
            current,
            parameters,
            used_parameters: 0,
            depth: 0,
            has_function: false,
            noted: None,
        }
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.current;
        self.current = Token::read(self.text, token.end);
        token
    }

    pub(super) fn at(&self, kind: Kind) -> bool {
        self.current.kind == kind
    }

    /// Returns the token after the current one.
    pub(super) fn next_kind(&self) -> Kind {
        Token::read(self.text, self.current.end).kind
    }

    pub(super) fn word(&self) -> &'t str {
        self.current.text(self.text)
    }

    pub(super) fn text_of(&self, token: Token) -> &'t str {
        token.text(self.text)
    }

    pub(super) fn content_of(&self, token: Token) -> Cow<'t, str> {
        token.content(self.text)
    }

    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: Kind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.malformed(Malformed::Term)) }
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(Kind::Word) && self.word().eq_ignore_ascii_case(word)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.malformed(Malformed::Term)) }
    }

    /// Returns whether a plain identifier stands here.
    pub(super) fn at_identifier(&self) -> bool {
        match self.current.kind {
            Kind::Quoted => true,
            Kind::Word => self.words.is_name(self.word()),
            _ => false,
        }
    }

    /// Returns whether a function with its parenthesis stands here.
    pub(super) fn at_call(&self) -> bool {
        self.at(Kind::Word)
            && self.words.may_be_called(self.word())
            && self.next_kind() == Kind::Open
    }

    /// Returns whether a reserved word stands here that does not begin or join a clause.
    pub(super) fn at_keyword(&self) -> bool {
        self.at(Kind::Word) && self.words.refusal(self.word()) == Malformed::Keyword
    }

    /// Returns the fault of a token in the place of a value or path.
    pub(super) fn unexpected(&self) -> Reason {
        let is_keyword = self.at_keyword();
        self.malformed(if is_keyword { Malformed::Keyword } else { Malformed::Term })
    }

    /// Returns whether an arithmetic or unknown operator stands here.
    pub(super) fn at_arithmetic(&self) -> bool {
        matches!(self.current.kind, Kind::Star | Kind::Plus | Kind::Minus | Kind::UnknownOperator)
    }

    pub(super) fn identifier(&mut self) -> Option<Cow<'t, str>> {
        if !self.at_identifier() {
            return None;
        }
        let token = self.advance();
        Some(match token.kind {
            Kind::Quoted => self.content_of(token),
            _ => Cow::Borrowed(self.text_of(token)),
        })
    }

    /// Skips a function and all between its parentheses.
    pub(super) fn pass_call(&mut self) -> Parsed<()> {
        self.advance();
        let mut open = 0_usize;
        loop {
            match self.current.kind {
                Kind::Open => open += 1,
                Kind::Close => open -= 1,
                Kind::Parameter => drop(self.parameter()),
                kind if kind == Kind::End || kind.is_bad() => {
                    return Err(self.malformed(Malformed::Term));
                }
                _ => {}
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Skips a function and returns the fault that it is unknown here.
    pub(super) fn unknown_function(&mut self) -> Parsed<Reason> {
        let name = self.current;
        let function = self.word().to_ascii_lowercase();
        self.pass_call()?;
        Ok(StatementFault::UnknownFunction { function, at: self.span(name) }.into())
    }

    /// Parses the name of a table that the statement writes to, or the first name of a path that it
    /// changes.
    pub(super) fn target_name(&mut self) -> Parsed<Cow<'t, str>> {
        self.identifier().ok_or_else(|| {
            let is_keyword = self.at_keyword();
            self.malformed(if is_keyword { Malformed::SimplePath } else { Malformed::Term })
        })
    }

    /// Parses a document path such as `a."b c"[0]`.
    pub(super) fn path(&mut self) -> Parsed<DocumentPath> {
        let attribute = self.identifier().ok_or_else(|| self.unexpected())?;
        self.path_from(&attribute)
    }

    /// Parses the path that an assignment or REMOVE changes.
    pub(super) fn target_path(&mut self) -> Parsed<DocumentPath> {
        let attribute = self.target_name()?;
        self.path_from(&attribute)
    }

    /// Parses the steps of a path after its attribute.
    fn path_from(&mut self, attribute: &str) -> Parsed<DocumentPath> {
        let mut path = DocumentPath::top_level(attribute);
        loop {
            if self.eat(Kind::Dot) {
                let name = self.identifier().ok_or_else(|| self.malformed(Malformed::PathDot))?;
                path.steps.push(PathStep::Member(name.as_ref().into()));
            } else if self.eat(Kind::OpenBracket) {
                path.steps.push(self.path_offset()?);
                self.expect(Kind::CloseBracket)?;
            } else {
                break;
            }
            // The attribute counts as a step, too.
            if path.steps.len() >= PATH_LEVELS_MAX {
                path.steps.truncate(PATH_LEVELS_MAX - 1);
                self.note(|| ExpressionFault::PathTooDeep.into());
            }
        }
        let is_nameless =
            |step: &PathStep| matches!(step, PathStep::Member(name) if name.is_empty());
        if path.attribute.is_empty() || path.steps.iter().any(is_nameless) {
            self.note(|| StatementFault::Value(ValueFault::EmptyAttributeName).into());
        }
        Ok(path)
    }

    /// Parses the text between the brackets of a path: an offset, or a name in quotes.
    fn path_offset(&mut self) -> Parsed<PathStep> {
        let token = self.current;
        let step = match token.kind {
            Kind::Number => self.list_index(self.text_of(token)).map(PathStep::Element),
            Kind::String => Some(PathStep::Member(self.content_of(token).as_ref().into())),
            _ => None,
        };
        let step = step.ok_or_else(|| self.malformed(Malformed::Term))?;
        self.advance();
        Ok(step)
    }

    /// Returns a list index; notes one that is too large, which then stands for no element.
    fn list_index(&mut self, digits: &str) -> Option<usize> {
        match digits.parse() {
            Ok(index) if index <= LIST_INDEX_MAX => Some(index),
            _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.note(|| ExpressionFault::ListIndex(digits.to_owned()).into());
                Some(LIST_INDEX_MAX)
            }
            _ => None,
        }
    }

    /// Parses elements between commas up to a closing token. The opening one was read.
    pub(super) fn comma_separated<T>(
        &mut self,
        close: Kind,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        if self.eat(close) {
            return Ok(elements);
        }
        self.enter()?;
        loop {
            elements.push(element(self)?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(close)?;
        self.leave();
        Ok(elements)
    }

    /// Returns the parameter of the question mark that was read; a null in the place of a faulty
    /// one.
    pub(super) fn parameter(&mut self) -> Value {
        let nth = self.used_parameters;
        self.used_parameters += 1;
        if nth >= self.parameters.count {
            self.note(|| StatementFault::ParameterCount.into());
            return null();
        }
        match (self.parameters.get)(nth) {
            Ok(value) => value,
            Err(fault) => {
                self.note(|| StatementFault::Value(fault).into());
                null()
            }
        }
    }

    /// Notes a fault that leaves the text a statement, unless an earlier fault is noted.
    pub(super) fn note(&mut self, reason: impl FnOnce() -> Reason) {
        self.noted.get_or_insert_with(reason);
    }

    /// Accepts only the end of the statement, and then reports the noted fault.
    pub(super) fn finish(&mut self) -> Parsed<()> {
        self.eat(Kind::Semicolon);
        if !self.at(Kind::End) {
            return Err(self.malformed(Malformed::Leftover));
        }
        if let Some(reason) = self.noted.take() {
            return Err(reason);
        }
        if self.used_parameters != self.parameters.count {
            return Err(StatementFault::ParameterCount.into());
        }
        Ok(())
    }

    /// Enters one level of nesting; [`Self::leave`] leaves it.
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(ExpressionFault::TooDeep.into()) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns the fault of a text that is no statement.
    pub(super) fn malformed(&self, malformed: Malformed) -> Reason {
        self.or_bad_token(malformed.into())
    }

    /// Returns the fault, or that of a bad token anywhere behind: the service finds those before it
    /// tries any grammar.
    pub(super) fn or_bad_token(&self, reason: Reason) -> Reason {
        let mut token = self.current;
        while token.kind != Kind::End {
            if token.kind.is_bad() {
                return Malformed::Token.into();
            }
            token = Token::read(self.text, token.end);
        }
        reason
    }

    /// Returns the fault to report: that of the text's form or depth, or else the first one, which
    /// may have been noted before.
    pub(super) fn first_fault(&mut self, reason: Reason) -> Reason {
        let reason = self.or_bad_token(reason);
        if ends_the_parse(&reason) { reason } else { self.noted.take().unwrap_or(reason) }
    }

    /// Notes the fault of a part that was read to its end, and returns a stand-in for it.
    pub(super) fn or_noted<T>(
        &mut self,
        checked: Parsed<T>,
        stand_in: impl FnOnce() -> T,
    ) -> Parsed<T> {
        match checked {
            Err(reason) if !ends_the_parse(&reason) => {
                self.note(|| reason);
                Ok(stand_in())
            }
            checked => checked,
        }
    }

    /// Returns the position of a token. A line ends with LF, CR or both.
    pub(super) fn span(&self, token: Token) -> Span {
        let before = &self.text[..token.start];
        let mut lines = 1;
        let mut line_start = 0;
        for (at, byte) in before.bytes().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => self.text.as_bytes().get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                lines += 1;
                line_start = at + 1;
            }
        }
        Span {
            line: lines,
            column: before[line_start..].chars().count() + 1,
            length: self.text_of(token).chars().count(),
        }
    }
}

/// Returns the value that stands in for a faulty one.
pub(super) fn null() -> Value {
    hashrange_model::AttributeValue::Null.to_value()
}

/// Returns whether the parser cannot go on after a fault.
fn ends_the_parse(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Statement(StatementFault::Malformed(_))
            | Reason::Expression(_, ExpressionFault::TooDeep)
    )
}
