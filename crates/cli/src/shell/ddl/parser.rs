//! Reads definitions. The module's header has the grammar; keywords stand in any case, and commas
//! between the parts of a table are optional.

use super::{Change, Definition, DefinitionFault, Index, KeyPart, NewTable};
use crate::commands::definition::grammar::{Projection, Throughput};
use crate::shell::token::{Kind, Token, meaningful};

type Parsed<T> = Result<T, DefinitionFault>;

const TYPES: [(&str, &str); 7] = [
    ("S", "S"),
    ("STRING", "S"),
    ("TEXT", "S"),
    ("N", "N"),
    ("NUMBER", "N"),
    ("B", "B"),
    ("BINARY", "B"),
];

const STREAM_VIEWS: [(&[&str], &str); 4] = [
    (&["NEW", "AND", "OLD", "IMAGES"], "NEW_AND_OLD_IMAGES"),
    (&["NEW", "IMAGE"], "NEW_IMAGE"),
    (&["OLD", "IMAGE"], "OLD_IMAGE"),
    (&["KEYS", "ONLY"], "KEYS_ONLY"),
];

/// Returns the definition in a statement that begins with CREATE, ALTER or DROP.
pub fn parse(statement: &str) -> Parsed<Definition> {
    let mut parser = Parser { text: statement, tokens: meaningful(statement), at: 0 };
    let definition = if parser.takes(&["CREATE", "TABLE"]) {
        parser.create()?
    } else if parser.takes(&["ALTER", "TABLE"]) {
        parser.alter()?
    } else if parser.takes(&["DROP", "TABLE"]) {
        parser.drop_tables()?
    } else if parser.sees(&["CREATE"]) && parser.names_an_index() {
        return Err(
            parser.fault("an index is added with ALTER TABLE table ADD GSI name (key, ...)")
        );
    } else {
        return Err(parser.fault(
            "only tables are created, altered and dropped: CREATE TABLE, ALTER TABLE, DROP TABLE",
        ));
    };
    let _semicolon = parser.takes_symbol(";");
    match parser.token() {
        None => Ok(definition),
        Some(_) => Err(parser.unexpected("the end of the statement")),
    }
}

/// Reads tokens one after the other.
struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at)
    }

    fn fault(&self, problem: &str) -> DefinitionFault {
        let offset = self.token().map_or(self.text.len(), |token| token.offset);
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |found| found + 1);
        DefinitionFault {
            problem: problem.to_owned(),
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    }

    fn unexpected(&self, expected: &str) -> DefinitionFault {
        match self.token() {
            Some(token) => self.fault(&format!("expected {expected}, not {}", shown(token.text))),
            None => self.fault(&format!("expected {expected}, not the end")),
        }
    }

    fn sees(&self, words: &[&str]) -> bool {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        rest.len() >= words.len() && words.iter().zip(rest).all(|(word, token)| token.is(word))
    }

    fn takes(&mut self, words: &[&str]) -> bool {
        let sees = self.sees(words);
        if sees {
            self.at += words.len();
        }
        sees
    }

    fn takes_symbol(&mut self, symbol: &str) -> bool {
        let sees = self.token().is_some_and(|token| token.is_symbol(symbol));
        self.at += usize::from(sees);
        sees
    }

    fn symbol(&mut self, symbol: &str, expected: &str) -> Parsed<()> {
        if self.takes_symbol(symbol) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn names_an_index(&self) -> bool {
        let rest = self.tokens.iter().skip(1).take(3);
        rest.into_iter().any(|token| token.is("INDEX"))
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        if self.token().is_some_and(|token| token.kind == Kind::Text) {
            let problem = "a name stands as it is, or in double quotes; single quotes are for text";
            return Err(self.fault(problem));
        }
        let Some(mut name) = self.token().and_then(Token::name) else {
            return Err(self.unexpected(what));
        };
        let mut end = self.token().map_or(0, Token::end);
        let is_plain = self.token().is_some_and(|token| token.kind == Kind::Word);
        self.at += 1;
        // Tables and indexes often have names like by-state or app.orders; a definition has no
        // subtraction.
        while let Some(next) = self.token().filter(|next| is_plain && next.offset == end) {
            let joins = next.is_symbol("-") || next.is_symbol(".");
            if !joins && !matches!(next.kind, Kind::Word | Kind::Number) {
                break;
            }
            name.push_str(next.text);
            end = next.end();
            self.at += 1;
        }
        Ok(name)
    }

    fn units(&mut self) -> Parsed<u64> {
        let found = self.token().and_then(|token| token.text.parse().ok());
        let units = found.ok_or_else(|| self.unexpected("a number of units"))?;
        self.at += 1;
        Ok(units)
    }

    /// Reads `( element, ... )`.
    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.symbol("(", "`(`")?;
        let mut elements = vec![element(self)?];
        while self.takes_symbol(",") {
            elements.push(element(self)?);
        }
        self.symbol(")", "`,` or `)`")?;
        Ok(elements)
    }

    fn create(&mut self) -> Parsed<Definition> {
        let if_not_exists = self.takes(&["IF", "NOT", "EXISTS"]);
        let mut table = NewTable { name: self.name("the table's name")?, ..NewTable::default() };
        self.list(|parser| parser.attribute(&mut table))?;
        while self.token().is_some_and(|token| !token.is_symbol(";")) {
            let _comma = self.takes_symbol(",");
            self.part(&mut table)?;
        }
        if table.key.is_empty() {
            return Err(self
                .fault("a table needs PRIMARY KEY (partition) or PRIMARY KEY (partition, sort)"));
        }
        self.check_attributes(&table)?;
        Ok(Definition::Create { table, if_not_exists })
    }

    /// Reads `name type [PRIMARY KEY]` or `PRIMARY KEY (...)` between the brackets.
    fn attribute(&mut self, table: &mut NewTable) -> Parsed<()> {
        if self.sees(&["PRIMARY", "KEY"]) {
            return self.part(table);
        }
        let name = self.name("an attribute's name")?;
        let attribute_type = self.attribute_type()?;
        self.declare(&mut table.attributes, &name, attribute_type)?;
        if self.takes(&["PRIMARY", "KEY"]) {
            if !table.key.is_empty() {
                return Err(self.fault("the primary key is named twice"));
            }
            table.key = vec![KeyPart { name, is_partition: true }];
        }
        Ok(())
    }

    fn attribute_type(&mut self) -> Parsed<&'static str> {
        let known = self.token().and_then(|token| TYPES.iter().find(|(name, _)| token.is(name)));
        let Some((_, attribute_type)) = known else {
            return Err(self.unexpected("a type: S (text), N (number) or B (binary)"));
        };
        self.at += 1;
        Ok(attribute_type)
    }

    fn declare(
        &self,
        attributes: &mut Vec<(String, &'static str)>,
        name: &str,
        attribute_type: &'static str,
    ) -> Parsed<()> {
        match attributes.iter().find(|(known, _)| known == name) {
            Some((_, known)) if *known != attribute_type => {
                Err(self.fault(&format!("{name} is declared as {known} and as {attribute_type}")))
            }
            Some(_) => Ok(()),
            None => {
                attributes.push((name.to_owned(), attribute_type));
                Ok(())
            }
        }
    }

    /// Reads the names of keys, each with a type if it is declared here.
    fn key(&mut self, attributes: &mut Vec<(String, &'static str)>) -> Parsed<Vec<KeyPart>> {
        let mut is_first = true;
        self.list(|parser| {
            let name = parser.name("a key attribute")?;
            let is_declared = parser.token().is_some_and(|token| {
                token.kind == Kind::Word && !token.is("HASH") && !token.is("RANGE")
            });
            if is_declared {
                let attribute_type = parser.attribute_type()?;
                parser.declare(attributes, &name, attribute_type)?;
            }
            let by_place = std::mem::take(&mut is_first);
            // Names of the two kinds of keys on the wire.
            let (hash, range) = (parser.takes(&["HASH"]), parser.takes(&["RANGE"]));
            Ok(KeyPart { name, is_partition: hash || (by_place && !range) })
        })
    }

    fn part(&mut self, table: &mut NewTable) -> Parsed<()> {
        if self.takes(&["PRIMARY", "KEY"]) {
            if !table.key.is_empty() {
                return Err(self.fault("the primary key is named twice"));
            }
            table.key = self.key(&mut table.attributes)?;
        } else if self.takes(&["GSI"]) {
            let index = self.index(&mut table.attributes)?;
            table.global.push(index);
        } else if self.takes(&["LSI"]) {
            let mut index = self.index(&mut table.attributes)?;
            if let ([sort], [partition, ..]) = (index.key.as_mut_slice(), table.key.as_slice()) {
                sort.is_partition = false;
                index.key.insert(0, partition.clone());
            }
            if index.key.len() < 2 {
                return Err(
                    self.fault("PRIMARY KEY stands before LSI, which has its partition key")
                );
            }
            table.local.push(index);
        } else if self.takes(&["BILLING"]) {
            table.throughput = self.billing()?;
        } else if self.takes(&["STREAM"]) {
            table.stream = self.stream()?;
        } else if self.takes(&["TTL"]) {
            table.time_to_live = Some(self.time_to_live()?);
        } else if self.takes(&["DELETION", "PROTECTION"]) {
            table.deletion_protection = Some(self.switch()?);
        } else {
            return Err(self
                .unexpected("PRIMARY KEY, GSI, LSI, BILLING, STREAM, TTL or DELETION PROTECTION"));
        }
        Ok(())
    }

    fn index(&mut self, attributes: &mut Vec<(String, &'static str)>) -> Parsed<Index> {
        let name = self.name("the index's name")?;
        let key = self.key(attributes)?;
        let mut index = Index { name, key, projection: Projection::All, throughput: None };
        loop {
            if self.takes(&["PROJECTION"]) {
                index.projection = self.projection()?;
            } else if self.takes(&["THROUGHPUT"]) {
                index.throughput = Some(self.throughput()?);
            } else {
                return Ok(index);
            }
        }
    }

    fn projection(&mut self) -> Parsed<Projection> {
        if self.takes(&["ALL"]) {
            Ok(Projection::All)
        } else if self.takes(&["KEYS", "ONLY"]) {
            Ok(Projection::KeysOnly)
        } else if self.takes(&["INCLUDE"]) {
            let names = self.list(|parser| parser.name("an attribute's name"))?;
            Ok(Projection::Include(names))
        } else {
            Err(self.unexpected("ALL, KEYS ONLY or INCLUDE (attribute, ...)"))
        }
    }

    fn throughput(&mut self) -> Parsed<Throughput> {
        let units = self.list(Self::units)?;
        match units.as_slice() {
            &[read, write] => Ok(Throughput { read, write }),
            _ => Err(self.fault("units are two numbers: (read, write)")),
        }
    }

    fn billing(&mut self) -> Parsed<Option<Throughput>> {
        if self.takes(&["ON", "DEMAND"]) {
            Ok(None)
        } else if self.takes(&["PROVISIONED"]) {
            self.throughput().map(Some)
        } else {
            Err(self.unexpected("ON DEMAND or PROVISIONED (read, write)"))
        }
    }

    fn stream(&mut self) -> Parsed<Option<&'static str>> {
        if self.takes(&["OFF"]) {
            return Ok(None);
        }
        self.symbol("(", "`(` and the images of records, or OFF")?;
        let found = STREAM_VIEWS.iter().find(|(words, _)| self.sees(words));
        let Some((words, view)) = found else {
            return Err(self.unexpected("NEW AND OLD IMAGES, NEW IMAGE, OLD IMAGE or KEYS ONLY"));
        };
        self.at += words.len();
        self.symbol(")", "`)`")?;
        Ok(Some(view))
    }

    fn time_to_live(&mut self) -> Parsed<String> {
        self.symbol("(", "`(` and the attribute with the time")?;
        let name = self.name("the attribute with the time")?;
        self.symbol(")", "`)`")?;
        Ok(name)
    }

    fn switch(&mut self) -> Parsed<bool> {
        match (self.takes(&["ON"]), self.takes(&["OFF"])) {
            (true, _) => Ok(true),
            (_, true) => Ok(false),
            _ => Err(self.unexpected("ON or OFF")),
        }
    }

    /// Refuses an attribute that is declared and no key, or a key that is not declared.
    fn check_attributes(&self, table: &NewTable) -> Parsed<()> {
        let indexes = table.global.iter().chain(&table.local);
        let parts = table.key.iter().chain(indexes.flat_map(|index| &index.key));
        let keys: Vec<&String> = parts.map(|part| &part.name).collect();
        let is_declared = |name: &str| table.attributes.iter().any(|(known, _)| known == name);
        if let Some(name) = keys.iter().find(|name| !is_declared(name)) {
            return Err(
                self.fault(&format!("the type of the key attribute {name} is not declared"))
            );
        }
        match table.attributes.iter().find(|(name, _)| !keys.contains(&name)) {
            Some((name, _)) => Err(self.fault(&format!(
                "{name} is in no key: only key attributes are declared, items may have any others"
            ))),
            None => Ok(()),
        }
    }

    fn alter(&mut self) -> Parsed<Definition> {
        let table = self.name("the table's name")?;
        let mut changes = vec![self.change()?];
        while self.takes_symbol(",") {
            changes.push(self.change()?);
        }
        Ok(Definition::Alter { table, changes })
    }

    fn change(&mut self) -> Parsed<Change> {
        if self.takes(&["ADD", "GSI"]) {
            let mut attributes = Vec::new();
            let index = self.index(&mut attributes)?;
            return Ok(Change::AddGlobal(index, attributes));
        }
        if self.takes(&["DROP", "GSI"]) {
            return self.name("the index's name").map(Change::DropGlobal);
        }
        let _set = self.takes(&["SET"]);
        if self.takes(&["BILLING"]) {
            self.billing().map(Change::Billing)
        } else if self.takes(&["STREAM"]) {
            self.stream().map(Change::Stream)
        } else if self.takes(&["TTL"]) {
            let is_on = !self.takes(&["OFF"]);
            self.time_to_live().map(|name| Change::TimeToLive(name, is_on))
        } else if self.takes(&["DELETION", "PROTECTION"]) {
            self.switch().map(Change::DeletionProtection)
        } else {
            Err(self.unexpected(
                "ADD GSI, DROP GSI, SET BILLING, SET STREAM, SET TTL or SET DELETION PROTECTION",
            ))
        }
    }

    fn drop_tables(&mut self) -> Parsed<Definition> {
        let if_exists = self.takes(&["IF", "EXISTS"]);
        let mut tables = vec![self.name("the table's name")?];
        while self.takes_symbol(",") {
            tables.push(self.name("the table's name")?);
        }
        Ok(Definition::Drop { tables, if_exists })
    }
}

/// Returns a word as a message shows it: its beginning, if it is long.
fn shown(text: &str) -> String {
    const SHOWN_CHARACTERS: usize = 40;
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
}
