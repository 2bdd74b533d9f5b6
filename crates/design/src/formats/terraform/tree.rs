//! Attributes and blocks of a text in Terraform's language. What is no literal is kept as its text.

use super::cursor::{Cursor, TEXT_MAX_BYTES, TerraformFault};
use crate::words::short;

/// Deepest nesting of blocks, lists and objects.
const DEPTH_MAX: usize = 32;
/// Most attributes, blocks and values of a text.
const NODES_MAX: usize = 200_000;

type Parse<T> = Result<T, TerraformFault>;

/// Contents of a block, or of the text.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) attributes: Vec<Attribute>,
    pub(super) blocks: Vec<Block>,
}

/// An attribute such as `name = "orders"`.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: Literal,
    pub(super) line: usize,
}

/// A block such as `resource "aws_dynamodb_table" "orders" { ... }`.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: String,
    pub(super) labels: Vec<String>,
    pub(super) body: Body,
    pub(super) line: usize,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    /// Values, each with its line.
    List(Vec<(Literal, usize)>),
    /// Names and values, each with its line.
    Object(Vec<(String, Literal, usize)>),
    /// A variable, a function, a text with `${`, a heredoc: its text.
    Other(String),
}

/// Parses a text.
pub(super) fn parse(text: &str) -> Parse<Body> {
    if text.len() > TEXT_MAX_BYTES {
        let why = format!("more than {} MiB", TEXT_MAX_BYTES >> 20);
        return Err(TerraformFault { line: 1, why });
    }
    let mut parser =
        Parser { cursor: Cursor::new(text.trim_start_matches('\u{feff}')), nodes: 0, templates: 0 };
    let body = parser.body(0)?;
    match parser.cursor.peek() {
        Some(other) => parser.cursor.fault(format!("{other} closes nothing")),
        None => Ok(body),
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    nodes: usize,
    /// Texts with `${` around this place.
    templates: usize,
}

impl Parser<'_> {
    fn count(&mut self, depth: usize) -> Parse<()> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return self.cursor.fault(format!("more than {NODES_MAX} attributes and blocks"));
        }
        if depth > DEPTH_MAX {
            return self.cursor.fault(format!("nested more than {DEPTH_MAX} deep"));
        }
        Ok(())
    }

    /// Parses attributes and blocks up to a closing brace or the end.
    fn body(&mut self, depth: usize) -> Parse<Body> {
        let mut body = Body::default();
        loop {
            self.cursor.pass_blanks(true)?;
            if self.cursor.peek().is_none_or(|it| it == '}') {
                return Ok(body);
            }
            self.count(depth)?;
            let line = self.cursor.line();
            let name = self.cursor.name().to_owned();
            if name.is_empty() {
                let found = self.cursor.peek().unwrap_or(' ');
                return self.cursor.fault(format!("a name is expected, not {found}"));
            }
            self.cursor.pass_blanks(false)?;
            if self.cursor.eat('=') {
                let value = self.value(depth)?;
                body.attributes.push(Attribute { name, value, line });
            } else {
                body.blocks.push(self.block(name, line, depth)?);
            }
        }
    }

    fn block(&mut self, kind: String, line: usize, depth: usize) -> Parse<Block> {
        let mut labels = Vec::new();
        loop {
            self.cursor.pass_blanks(false)?;
            match self.cursor.peek() {
                Some('{') => break,
                Some('"') => match self.text()? {
                    Literal::Text(label) | Literal::Other(label) => labels.push(label),
                    _ => {}
                },
                Some(it) if it.is_alphabetic() => labels.push(self.cursor.name().to_owned()),
                _ => return self.cursor.fault(format!("= or {{ is expected behind {kind}")),
            }
            self.count(depth)?;
        }
        self.cursor.next();
        let body = self.body(depth + 1)?;
        if !self.cursor.eat('}') {
            return Err(TerraformFault { line, why: format!("the block {kind} is not closed") });
        }
        Ok(Block { kind, labels, body, line })
    }

    /// Parses a value up to the end of its line, or up to a comma or a closing bracket.
    fn value(&mut self, depth: usize) -> Parse<Literal> {
        self.count(depth)?;
        self.cursor.pass_blanks(false)?;
        let start = self.cursor.at();
        let read = match self.cursor.peek() {
            Some('"') => self.text()?,
            Some('[') => self.list(depth)?,
            Some('{') => self.object(depth)?,
            Some(it) if it.is_ascii_digit() || it == '-' => self.number(),
            Some(it) if it.is_alphabetic() || it == '_' => match self.cursor.name() {
                "true" => Literal::Bool(true),
                "false" => Literal::Bool(false),
                "null" => Literal::Null,
                other => Literal::Other(other.to_owned()),
            },
            _ => Literal::Other(String::new()),
        };
        self.cursor.pass_blanks(false)?;
        if self.cursor.peek().is_none_or(|it| matches!(it, '\n' | ',' | '}' | ']'))
            && !is_empty(&read)
        {
            return Ok(read);
        }
        // An operator, a call or an access follows: none of our literals.
        self.pass_expression()?;
        let text = self.cursor.since(start).trim();
        if text.is_empty() {
            return self.cursor.fault("a value is missing");
        }
        Ok(Literal::Other(short(text)))
    }

    fn number(&mut self) -> Literal {
        let start = self.cursor.at();
        self.cursor.eat('-');
        while self
            .cursor
            .peek()
            .is_some_and(|it| it.is_ascii_digit() || matches!(it, '.' | 'e' | 'E'))
        {
            self.cursor.next();
        }
        Literal::Number(self.cursor.since(start).to_owned())
    }

    fn list(&mut self, depth: usize) -> Parse<Literal> {
        let line = self.cursor.line();
        self.cursor.next();
        let mut values = Vec::new();
        loop {
            self.cursor.pass_blanks(true)?;
            if self.cursor.eat(']') {
                return Ok(Literal::List(values));
            }
            if self.cursor.peek().is_none() {
                return Err(TerraformFault { line, why: "a list is not closed".to_owned() });
            }
            let at = self.cursor.line();
            values.push((self.value(depth + 1)?, at));
            self.cursor.pass_blanks(true)?;
            if !self.cursor.eat(',') && self.cursor.peek().is_some_and(|it| it != ']') {
                return self.cursor.fault("a comma or ] is expected");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Parse<Literal> {
        let line = self.cursor.line();
        self.cursor.next();
        let mut members = Vec::new();
        loop {
            self.cursor.pass_blanks(true)?;
            if self.cursor.eat('}') {
                return Ok(Literal::Object(members));
            }
            let at = self.cursor.line();
            let name = match self.cursor.peek() {
                None => {
                    return Err(TerraformFault { line, why: "an object is not closed".to_owned() });
                }
                Some('"') => match self.text()? {
                    Literal::Text(name) | Literal::Other(name) => name,
                    _ => String::new(),
                },
                Some(_) => self.cursor.name().to_owned(),
            };
            self.cursor.pass_blanks(false)?;
            if !self.cursor.eat('=') && !self.cursor.eat(':') {
                // A key in brackets, or a `for`: none of our literals.
                self.pass_expression()?;
                members.push((name, Literal::Other("for".to_owned()), at));
                continue;
            }
            members.push((name, self.value(depth + 1)?, at));
            self.cursor.pass_blanks(false)?;
            self.cursor.eat(',');
        }
    }

    /// Parses a text in double quotes.
    fn text(&mut self) -> Parse<Literal> {
        let (line, start) = (self.cursor.line(), self.cursor.at());
        self.cursor.next();
        let mut text = String::new();
        let mut is_template = false;
        loop {
            if self.cursor.starts_with("$${") || self.cursor.starts_with("%%{") {
                text.extend(self.cursor.next());
                self.cursor.next();
                continue;
            }
            if self.cursor.starts_with("${") || self.cursor.starts_with("%{") {
                is_template = true;
                self.templates += 1;
                self.count(self.templates)?;
                self.cursor.next();
                self.pass_brackets()?;
                self.templates -= 1;
                continue;
            }
            match self.cursor.next() {
                Some('"') => break,
                Some('\\') => text.push(self.escape()?),
                Some('\n') | None => {
                    return Err(TerraformFault { line, why: "a text is not closed".to_owned() });
                }
                Some(other) => text.push(other),
            }
        }
        Ok(if is_template {
            Literal::Other(short(self.cursor.since(start)))
        } else {
            Literal::Text(text)
        })
    }

    fn escape(&mut self) -> Parse<char> {
        let digits = match self.cursor.next() {
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some(it @ ('"' | '\\')) => return Ok(it),
            Some('u') => 4,
            Some('U') => 8,
            _ => return self.cursor.fault("an unknown escape in a text"),
        };
        let mut code = 0_u32;
        for _ in 0..digits {
            let digit = self.cursor.next().and_then(|it| it.to_digit(16));
            let Some(digit) = digit else {
                return self.cursor.fault("an escape with too few digits");
            };
            code = code.wrapping_mul(16).wrapping_add(digit);
        }
        match char::from_u32(code) {
            Some(character) => Ok(character),
            None => self.cursor.fault("an escape that is no character"),
        }
    }

    /// Passes the rest of an expression: up to the end of the line, or up to a comma or a closing bracket.
    fn pass_expression(&mut self) -> Parse<()> {
        loop {
            self.cursor.pass_blanks(false)?;
            match self.cursor.peek() {
                None | Some('\n' | ',' | '}' | ']' | ')') => return Ok(()),
                Some('(' | '[' | '{') => self.pass_brackets()?,
                Some('"') => {
                    self.text()?;
                }
                Some('<') if self.cursor.starts_with("<<") => return self.cursor.pass_heredoc(),
                Some(_) => {
                    self.cursor.next();
                }
            }
        }
    }

    /// Passes brackets with all that is in them.
    fn pass_brackets(&mut self) -> Parse<()> {
        let line = self.cursor.line();
        let mut open = 0_usize;
        loop {
            self.cursor.pass_blanks(true)?;
            match self.cursor.peek() {
                None => {
                    return Err(TerraformFault { line, why: "a bracket is not closed".to_owned() });
                }
                Some('"') => {
                    self.count(open)?;
                    self.text()?;
                    continue;
                }
                Some('(' | '[' | '{') => open += 1,
                Some(')' | ']' | '}') => open = open.saturating_sub(1),
                Some(_) => {}
            }
            self.cursor.next();
            if open == 0 {
                return Ok(());
            }
        }
    }
}

fn is_empty(literal: &Literal) -> bool {
    matches!(literal, Literal::Other(text) if text.is_empty())
}
