//! The parser: recursive descent over the tokens, with bounded depth. This file has the steps from
//! token to token; the grammars are in [`operand`] and [`predicate`], sections of updates and lists
//! of projections in their own modules.
//!
//! A violation of the grammar ends the parse at once. The parser only notes other faults in
//! [`Findings`], because the service reports them in another order than they stand in the text;
//! each language asks for the faults that it reports, in its order.

mod findings;
mod operand;
mod predicate;

pub(crate) use operand::SIZE;

use crate::placeholders::Placeholders;
use crate::token::{Token, TokenKind};
use findings::Findings;
use hashrange_model::error::{ExpressionFault, ExpressionKind};
use hashrange_model::limits::EXPRESSION_MAX_BYTES;

/// Deepest nesting of parentheses and functions that the parser follows.
const DEPTH_MAX: usize = 300;
const CONDITION_KEYWORDS: [&str; 5] = ["AND", "OR", "NOT", "BETWEEN", "IN"];
const UPDATE_KEYWORDS: [&str; 4] = ["SET", "REMOVE", "ADD", "DELETE"];

type Parsed<T> = Result<T, ExpressionFault>;

/// Parser over one expression. Each language calls the methods that its grammar begins with.
#[derive(Debug)]
pub(crate) struct Parser<'t, 'p, 'a> {
    text: &'t str,
    kind: ExpressionKind,
    placeholders: &'p mut Placeholders<'a>,
    previous: Option<Token>,
    current: Token,
    /// Reads the next token.
    read: fn(&str, usize) -> Token,
    depth: usize,
    /// Calls of `list_append` that the parser is inside of.
    open_list_appends: usize,
    /// Start and end of the parentheses closed last, to see doubled ones.
    last_group: Option<(usize, usize)>,
    pub(crate) found: Findings<'t>,
}

impl<'t, 'p, 'a> Parser<'t, 'p, 'a> {
    pub(crate) fn new(
        kind: ExpressionKind,
        text: &'t str,
        placeholders: &'p mut Placeholders<'a>,
    ) -> Parsed<Self> {
        if text.len() > EXPRESSION_MAX_BYTES {
            return Err(ExpressionFault::TooLong(text.len()));
        }
        let parser = Self::over(kind, text, Token::read, placeholders);
        if parser.at_end() { Err(ExpressionFault::Empty) } else { Ok(parser) }
    }

    /// Returns the parser over a pattern, the text of a request without its values.
    pub(crate) fn of_pattern(text: &'t str, placeholders: &'p mut Placeholders<'a>) -> Self {
        Self::over(ExpressionKind::Condition, text, Token::read_of_pattern, placeholders)
    }

    fn over(
        kind: ExpressionKind,
        text: &'t str,
        read: fn(&str, usize) -> Token,
        placeholders: &'p mut Placeholders<'a>,
    ) -> Self {
        Self {
            text,
            kind,
            placeholders,
            previous: None,
            current: read(text, 0),
            read,
            depth: 0,
            open_list_appends: 0,
            last_group: None,
            found: Findings::default(),
        }
    }

    fn next(&self) -> Token {
        (self.read)(self.text, self.current.end)
    }

    fn advance(&mut self) -> Token {
        let token = self.current;
        self.previous = Some(token);
        self.current = (self.read)(self.text, token.end);
        token
    }

    fn word(&self) -> &'t str {
        self.current.text(self.text)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at(TokenKind::End)
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_comma(&mut self) -> bool {
        self.eat(TokenKind::Comma)
    }

    pub(crate) fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.syntax_error()) }
    }

    /// Accepts the end of the text only.
    pub(crate) fn expect_end(&mut self) -> Parsed<()> {
        self.expect(TokenKind::End).map(|_| ())
    }

    fn at_keyword(&self, keyword: &str) -> bool {
        self.at(TokenKind::Word) && self.word().eq_ignore_ascii_case(keyword)
    }

    pub(crate) fn eat_keyword(&mut self, keyword: &str) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect_keyword(&mut self, keyword: &str) -> Parsed<()> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn at_any_keyword(&self) -> bool {
        let keywords = match self.kind {
            ExpressionKind::Update => &UPDATE_KEYWORDS[..],
            ExpressionKind::Projection => &[],
            _ => &CONDITION_KEYWORDS[..],
        };
        keywords.iter().any(|keyword| self.at_keyword(keyword))
    }

    /// Returns the fault of the current token. Source: captures of 2026: `near` is the text from
    /// the previous token to the next.
    pub(crate) fn syntax_error(&self) -> ExpressionFault {
        let at_end = self.at_end();
        let from = self.previous.map_or(self.current.start, |token| token.start);
        let to = match (at_end, self.previous) {
            (true, Some(previous)) => previous.end,
            (true, None) => self.current.end,
            (false, _) => match self.next() {
                next if next.kind == TokenKind::End => self.current.end,
                next => next.end,
            },
        };
        let token = if at_end { "<EOF>" } else { self.word() };
        ExpressionFault::Syntax { token: token.to_owned(), near: self.text[from..to].to_owned() }
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(ExpressionFault::TooDeep) } else { Ok(()) }
    }

    /// Parses the text between parentheses and notes doubled ones.
    fn group<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.enter()?;
        let open = self.expect(TokenKind::Open)?;
        let inner_start = self.current.start;
        let parsed = inner(self)?;
        let inner_end = self.previous.map_or(inner_start, |token| token.end);
        let close = self.expect(TokenKind::Close)?;
        if self.last_group == Some((inner_start, inner_end)) {
            self.found.redundant_parentheses = true;
        }
        self.last_group = Some((open.start, close.end));
        self.depth -= 1;
        Ok(parsed)
    }

    /// Passes a word in capitals if it begins a section of a pattern.
    pub(crate) fn eat_section(&mut self, word: &str) -> bool {
        let next = self.next();
        let is_begun = match next.kind {
            TokenKind::Word => !["BETWEEN", "IN"].contains(&next.text(self.text)),
            TokenKind::Alias | TokenKind::Placeholder | TokenKind::Open | TokenKind::Digits => true,
            _ => false,
        };
        is_begun && self.eat_plain(word)
    }

    /// Returns whether the next token is one of these words, or the end.
    pub(crate) fn is_next(&self, words: &[&str]) -> bool {
        let next = self.next();
        next.kind == TokenKind::End || words.contains(&next.text(self.text))
    }

    /// Passes a word as it stands.
    pub(crate) fn eat_plain(&mut self, word: &str) -> bool {
        let found = self.at(TokenKind::Word) && self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    /// Passes the text up to a blank or a semicolon, and returns it.
    pub(crate) fn eat_until_blank(&mut self) -> &'t str {
        let rest = &self.text[self.current.start..];
        let length = rest.find([' ', ';']).unwrap_or(rest.len());
        let end = self.current.start + length;
        self.previous = Some(self.current);
        self.current = (self.read)(self.text, end);
        &rest[..length]
    }

    /// Passes a semicolon.
    pub(crate) fn eat_semicolon(&mut self) -> bool {
        let found = self.word() == ";";
        if found {
            self.advance();
        }
        found
    }
}
