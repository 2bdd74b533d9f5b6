//! The parser: recursive descent over the tokens, with the depth bounded.
//!
//! A violation of the grammar ends the parse at once. Everything else that is wrong is only noted
//! in [`Findings`], because the service reports it in another order than it stands in the text;
//! each language asks for what it reports, in its order.

use crate::path::{DocumentPath, Step};
use crate::placeholders::Placeholders;
use crate::syntax::{Call, Operand, Predicate, Term};
use crate::token::{Token, TokenKind};
use hashrange_model::error::{ExpressionFault, ExpressionKind};
use hashrange_model::limits::{EXPRESSION_MAX_BYTES, EXPRESSION_OPERATORS_MAX, NESTING_DEPTH_MAX};
use hashrange_model::reserved::is_reserved;

/// Deepest nesting of parentheses and functions that is followed.
const DEPTH_MAX: usize = 300;
const CONDITION_KEYWORDS: [&str; 5] = ["AND", "OR", "NOT", "BETWEEN", "IN"];
const UPDATE_KEYWORDS: [&str; 4] = ["SET", "REMOVE", "ADD", "DELETE"];
const CONDITION_FUNCTIONS: [&str; 6] =
    ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", SIZE];
const UPDATE_FUNCTIONS: [&str; 2] = ["if_not_exists", "list_append"];
/// The only function that is an operand of a condition.
pub(crate) const SIZE: &str = "size";

type Parsed<T> = Result<T, ExpressionFault>;

/// The first of each kind of fault that the grammar does not see.
#[derive(Debug, Default)]
pub(crate) struct Findings<'t> {
    pub(crate) redundant_parentheses: bool,
    pub(crate) unknown_function: Option<&'t str>,
    pub(crate) misused_function: Option<&'t str>,
    pub(crate) reserved_word: Option<&'t str>,
    pub(crate) undefined_name: Option<&'t str>,
    pub(crate) undefined_value: Option<&'t str>,
    pub(crate) operators: usize,
    pub(crate) path_too_deep: bool,
}

fn refuse(found: Option<&str>, fault: fn(String) -> ExpressionFault) -> Parsed<()> {
    found.map_or(Ok(()), |text| Err(fault(text.to_owned())))
}

impl Findings<'_> {
    /// Refuses parentheses around parentheses.
    pub(crate) fn check_parentheses(&self) -> Parsed<()> {
        if self.redundant_parentheses {
            return Err(ExpressionFault::RedundantParentheses);
        }
        Ok(())
    }

    /// Refuses functions that do not exist.
    pub(crate) fn check_functions_known(&self) -> Parsed<()> {
        refuse(self.unknown_function, ExpressionFault::UnknownFunction)
    }

    /// Refuses functions in places where they may not stand.
    pub(crate) fn check_functions_placed(&self) -> Parsed<()> {
        refuse(self.misused_function, ExpressionFault::FunctionMisused)
    }

    /// Refuses bare names that are reserved words.
    pub(crate) fn check_reserved(&self) -> Parsed<()> {
        refuse(self.reserved_word, ExpressionFault::ReservedWord)
    }

    /// Refuses undefined names, then undefined values.
    pub(crate) fn check_defined(&self) -> Parsed<()> {
        refuse(self.undefined_name, ExpressionFault::UndefinedName)?;
        refuse(self.undefined_value, ExpressionFault::UndefinedValue)
    }

    /// Refuses expressions beyond the limits on operators and path elements.
    pub(crate) fn check_limits(&self) -> Parsed<()> {
        if self.operators > EXPRESSION_OPERATORS_MAX {
            return Err(ExpressionFault::TooManyOperators);
        }
        if self.path_too_deep {
            return Err(ExpressionFault::PathTooDeep);
        }
        Ok(())
    }
}

/// An operand or a condition: which of the two a text is shows only after it.
enum Phrase<'t> {
    Operand(Operand<'t>),
    Predicate(Predicate<'t>),
}

/// A parser over one expression. Each language calls the methods its grammar begins with.
#[derive(Debug)]
pub(crate) struct Parser<'t, 'p, 'a> {
    text: &'t str,
    kind: ExpressionKind,
    placeholders: &'p mut Placeholders<'a>,
    previous: Option<Token>,
    current: Token,
    depth: usize,
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
        let current = Token::read(text, 0);
        if current.kind == TokenKind::End {
            return Err(ExpressionFault::Empty);
        }
        let found = Findings::default();
        let (previous, depth, last_group) = (None, 0, None);
        Ok(Self { text, kind, placeholders, previous, current, depth, last_group, found })
    }

    // ---- tokens

    fn advance(&mut self) -> Token {
        let token = self.current;
        self.previous = Some(token);
        self.current = Token::read(self.text, token.end);
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
            (false, _) => match Token::read(self.text, self.current.end) {
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

    /// Parses what stands between parentheses and notes doubled ones.
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

    // ---- paths and operands

    /// Parses a document path.
    pub(crate) fn path(&mut self) -> Parsed<Operand<'t>> {
        let mut undefined = None;
        let mut path = DocumentPath::top_level(self.name(&mut undefined)?);
        loop {
            if self.eat(TokenKind::Dot) {
                let name = self.name(&mut undefined)?;
                path.steps.push(Step::Member(name.into()));
            } else if self.eat(TokenKind::OpenIndex) {
                let digits = self.expect(TokenKind::Digits)?.text(self.text);
                self.expect(TokenKind::CloseIndex)?;
                // An offset beyond any list is as good as the one that was written.
                path.steps.push(Step::Element(digits.parse().unwrap_or(usize::MAX)));
            } else {
                break;
            }
        }
        self.found.path_too_deep |= path.steps.len() >= NESTING_DEPTH_MAX;
        Ok(undefined.map_or(Operand::Path(path), Operand::UndefinedName))
    }

    /// Parses the path that an action or a projection names. One with an undefined placeholder is
    /// noted and must be refused by the caller before the path is used.
    pub(crate) fn target(&mut self) -> Parsed<DocumentPath> {
        Ok(match self.path()? {
            Operand::Path(path) => path,
            _ => DocumentPath::top_level(""),
        })
    }

    fn name<'n>(&mut self, undefined: &mut Option<&'t str>) -> Parsed<&'n str>
    where
        't: 'n,
        'a: 'n,
    {
        let word = self.word();
        match self.current.kind {
            TokenKind::Word if !self.at_any_keyword() => {
                if is_reserved(word) {
                    self.found.reserved_word.get_or_insert(word);
                }
                self.advance();
                Ok(word)
            }
            TokenKind::Alias => {
                self.advance();
                Ok(self.placeholders.name(word).unwrap_or_else(|| {
                    undefined.get_or_insert(word);
                    self.found.undefined_name.get_or_insert(word);
                    ""
                }))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// Parses a `:value`.
    pub(crate) fn value(&mut self) -> Parsed<Operand<'t>> {
        let word = self.word();
        self.expect(TokenKind::Placeholder)?;
        Ok(match self.placeholders.value(word) {
            Some(value) => Operand::Value(value.clone()),
            None => {
                self.found.undefined_value.get_or_insert(word);
                Operand::UndefinedValue(word)
            }
        })
    }

    /// Parses a path, a `:value` or a function.
    fn simple_operand(&mut self) -> Parsed<Operand<'t>> {
        match self.current.kind {
            TokenKind::Placeholder => self.value(),
            TokenKind::Word
                if !self.at_any_keyword()
                    && Token::read(self.text, self.current.end).kind == TokenKind::Open =>
            {
                self.call().map(Operand::Call)
            }
            _ => self.path(),
        }
    }

    fn call(&mut self) -> Parsed<Call<'t>> {
        self.enter()?;
        let function = self.word();
        self.advance();
        self.expect(TokenKind::Open)?;
        self.note_function(function);
        let mut arguments = vec![self.argument(function, 0)?];
        while self.eat_comma() {
            arguments.push(self.argument(function, arguments.len())?);
        }
        self.expect(TokenKind::Close)?;
        self.depth -= 1;
        Ok(Call { function, arguments })
    }

    fn argument(&mut self, function: &str, nth: usize) -> Parsed<Operand<'t>> {
        match (self.kind, function, nth) {
            (ExpressionKind::Update, ..) => self.sum(),
            // The type's name is always a value.
            (_, "attribute_type", 1) => self.value(),
            _ => self.operand(),
        }
    }

    fn note_function(&mut self, function: &'t str) {
        self.found.operators += 1;
        let (here, elsewhere) = match self.kind {
            ExpressionKind::Update => (&UPDATE_FUNCTIONS[..], &CONDITION_FUNCTIONS[..]),
            _ => (&CONDITION_FUNCTIONS[..], &UPDATE_FUNCTIONS[..]),
        };
        if elsewhere.contains(&function) {
            self.found.misused_function.get_or_insert(function);
        } else if !here.contains(&function) {
            self.found.unknown_function.get_or_insert(function);
        }
    }

    /// Parses the operand of a condition.
    fn operand(&mut self) -> Parsed<Operand<'t>> {
        if self.at(TokenKind::Open) {
            return self.group(Self::operand);
        }
        let operand = self.simple_operand()?;
        Ok(self.placed_as_operand(operand))
    }

    fn placed_as_operand(&mut self, operand: Operand<'t>) -> Operand<'t> {
        if let Operand::Call(Call { function, .. }) = &operand
            && *function != SIZE
        {
            self.found.misused_function.get_or_insert(function);
        }
        operand
    }

    /// Parses the right-hand side of a SET action.
    pub(crate) fn sum(&mut self) -> Parsed<Operand<'t>> {
        let first = self.sum_term()?;
        if !matches!(self.current.kind, TokenKind::Plus | TokenKind::Minus) {
            return Ok(first);
        }
        let mut terms = vec![Term { negative: false, operand: first }];
        while matches!(self.current.kind, TokenKind::Plus | TokenKind::Minus) {
            self.found.operators += 1;
            let negative = self.advance().kind == TokenKind::Minus;
            terms.push(Term { negative, operand: self.sum_term()? });
        }
        Ok(Operand::Sum(terms))
    }

    fn sum_term(&mut self) -> Parsed<Operand<'t>> {
        if self.at(TokenKind::Open) { self.group(Self::sum) } else { self.simple_operand() }
    }

    // ---- conditions

    /// Parses a whole condition.
    pub(crate) fn predicate(&mut self) -> Parsed<Predicate<'t>> {
        let phrase = self.disjunction()?;
        let predicate = self.as_predicate(phrase)?;
        self.expect_end()?;
        Ok(predicate)
    }

    fn disjunction(&mut self) -> Parsed<Phrase<'t>> {
        self.chain("OR", Self::conjunction, Predicate::Or)
    }

    fn conjunction(&mut self) -> Parsed<Phrase<'t>> {
        self.chain("AND", Self::negation, Predicate::And)
    }

    fn chain(
        &mut self,
        keyword: &str,
        mut link: impl FnMut(&mut Self) -> Parsed<Phrase<'t>>,
        join: fn(Vec<Predicate<'t>>) -> Predicate<'t>,
    ) -> Parsed<Phrase<'t>> {
        let first = link(self)?;
        if !self.at_keyword(keyword) {
            return Ok(first);
        }
        let mut links = vec![self.as_predicate(first)?];
        while self.eat_keyword(keyword) {
            self.found.operators += 1;
            let next = link(self)?;
            links.push(self.as_predicate(next)?);
        }
        Ok(Phrase::Predicate(join(links)))
    }

    fn negation(&mut self) -> Parsed<Phrase<'t>> {
        if !self.eat_keyword("NOT") {
            return self.primary();
        }
        self.found.operators += 1;
        let phrase = self.primary()?;
        let inner = self.as_predicate(phrase)?;
        Ok(Phrase::Predicate(Predicate::Not(Box::new(inner))))
    }

    fn primary(&mut self) -> Parsed<Phrase<'t>> {
        let left = if self.at(TokenKind::Open) {
            self.group(Self::disjunction)?
        } else {
            Phrase::Operand(self.simple_operand()?)
        };
        if let TokenKind::Compare(comparator) = self.current.kind {
            let left = self.as_operand(left)?;
            self.advance();
            let right = self.operand()?;
            return Ok(Phrase::Predicate(Predicate::Compare { comparator, left, right }));
        }
        if self.at_keyword("BETWEEN") {
            return self.between(left);
        }
        if self.at_keyword("IN") {
            return self.membership(left);
        }
        Ok(left)
    }

    fn between(&mut self, left: Phrase<'t>) -> Parsed<Phrase<'t>> {
        let operand = self.as_operand(left)?;
        self.advance();
        let lower = self.operand()?;
        self.expect_keyword("AND")?;
        let upper = self.operand()?;
        Ok(Phrase::Predicate(Predicate::Between { operand, lower, upper }))
    }

    fn membership(&mut self, left: Phrase<'t>) -> Parsed<Phrase<'t>> {
        let operand = self.as_operand(left)?;
        self.advance();
        self.expect(TokenKind::Open)?;
        let mut candidates = vec![self.operand()?];
        while self.eat_comma() {
            candidates.push(self.operand()?);
        }
        self.expect(TokenKind::Close)?;
        Ok(Phrase::Predicate(Predicate::In { operand, candidates }))
    }

    /// Takes the phrase as left operand of the operator at which the parser stands.
    fn as_operand(&mut self, phrase: Phrase<'t>) -> Parsed<Operand<'t>> {
        match phrase {
            Phrase::Operand(operand) => {
                self.found.operators += 1;
                Ok(self.placed_as_operand(operand))
            }
            Phrase::Predicate(_) => Err(self.syntax_error()),
        }
    }

    fn as_predicate(&mut self, phrase: Phrase<'t>) -> Parsed<Predicate<'t>> {
        match phrase {
            Phrase::Predicate(predicate) => Ok(predicate),
            Phrase::Operand(Operand::Call(call)) => {
                if call.function == SIZE {
                    self.found.misused_function.get_or_insert(call.function);
                }
                Ok(Predicate::Call(call))
            }
            Phrase::Operand(_) => Err(self.syntax_error()),
        }
    }
}
