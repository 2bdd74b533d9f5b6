//! The statements: their clauses and the order of the clauses.

use super::parser::{Parsed, Parser};
use super::token::Kind;
use super::words::Words;
use super::{Change, Delete, Insert, Order, Parameters, Returning, Select, Statement};
use crate::condition::{Condition, Node, Operand};
use crate::path::DocumentPath;
use crate::projection::Projection;
use crate::token::Comparator;
use hashrange_model::Reason;
use hashrange_model::error::{Malformed, StatementFault};
use std::borrow::Cow;

pub(super) fn parse(text: &str, parameters: Parameters<'_>) -> Parsed<Statement> {
    let mut parser = Parser::new(text, Words::Statement, parameters);
    let statement = parser.statement().map_err(|reason| parser.first_fault(reason))?;
    parser.finish()?;
    Ok(statement)
}

/// Most names in the path of a FROM clause: the table and its index.
const FROM_COMPONENTS_MAX: usize = 2;

/// A table and, if the statement names one, its index.
type TableReference = (String, Option<String>);

impl Parser<'_> {
    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.current;
        if self.eat_word("select") {
            self.select().map(Statement::Select)
        } else if self.eat_word("insert") {
            self.insert().map(Statement::Insert)
        } else if self.eat_word("update") {
            self.change().map(Statement::Update)
        } else if self.eat_word("delete") {
            self.delete().map(Statement::Delete)
        } else if self.eat_word("from") {
            self.change_from().map(Statement::Update)
        } else if self.at_word("exists") && self.at_call() {
            let at = self.span(start);
            self.advance();
            self.advance();
            self.expect_word("select")?;
            let select = self.select()?;
            self.expect(Kind::Close)?;
            Ok(Statement::Exists(select, at))
        } else {
            Err(self.malformed(Malformed::Statement))
        }
    }

    fn select(&mut self) -> Parsed<Select> {
        let (projection, column_fault) =
            if self.eat(Kind::Star) { (None, None) } else { self.projection()? };
        self.expect_word("from")?;
        let (table, index) = self.table_to_read()?;
        let condition = self.where_clause()?;
        let order = self.order_clause()?;
        if !order.is_empty() && condition.is_none() {
            self.note(|| StatementFault::OrderWithoutWhere.into());
        }
        let has_function = self.has_function;
        Ok(Select { table, index, projection, column_fault, condition, has_function, order })
    }

    /// Parses the columns; returns with them the fault of the first that is no path.
    fn projection(&mut self) -> Parsed<(Option<Projection>, Option<StatementFault>)> {
        let (mut paths, mut fault) = (Vec::new(), None);
        loop {
            match self.column()? {
                Ok(path) => paths.push(path),
                Err(other) => fault = fault.or(Some(other)),
            }
            if !self.eat(Kind::Comma) {
                return Ok((Some(Projection::from_columns(paths)), fault));
            }
        }
    }

    fn column(&mut self) -> Parsed<Result<DocumentPath, StatementFault>> {
        let start = self.current;
        let mut path = self.operand_to_refuse()?;
        while self.at_arithmetic() {
            self.advance();
            self.operand_to_refuse()?;
            path = None;
        }
        self.alias()?;
        Ok(path.ok_or_else(|| StatementFault::PathComponent(self.span(start))))
    }

    /// Parses a table that the statement writes to, and its index if one is named.
    fn target_table(&mut self) -> Parsed<TableReference> {
        let table = self.target_name()?;
        self.table_from(table)
    }

    /// Parses the rest of a table's path after its name: the index; refuses any further name.
    fn table_from(&mut self, table: Cow<'_, str>) -> Parsed<TableReference> {
        let (mut components, mut has_empty) = (1_usize, table.is_empty());
        let mut index = None;
        while self.eat(Kind::Dot) {
            let name = self.identifier().ok_or_else(|| self.malformed(Malformed::PathDot))?;
            (components, has_empty) = (components + 1, has_empty || name.is_empty());
            index.get_or_insert(name.into_owned());
        }
        if components > FROM_COMPONENTS_MAX {
            self.note(|| StatementFault::TooManyComponents.into());
        } else if has_empty {
            self.note(|| StatementFault::EmptyComponent.into());
        }
        Ok((table.into_owned(), index))
    }

    /// Parses the table that the statement reads; it cannot have an alias.
    fn table_to_read(&mut self) -> Parsed<TableReference> {
        let table = self.identifier().ok_or_else(|| self.unexpected())?;
        let table = self.table_from(table)?;
        self.refuse_alias()?;
        Ok(table)
    }

    /// Parses the table that the statement changes; it cannot have an alias.
    fn table_to_change(&mut self) -> Parsed<TableReference> {
        let table = self.target_table()?;
        self.refuse_alias()?;
        Ok(table)
    }

    fn refuse_alias(&mut self) -> Parsed<()> {
        if self.at_word("returning") { Ok(()) } else { self.alias() }
    }

    /// Parses an alias, with or without AS, and refuses it.
    fn alias(&mut self) -> Parsed<()> {
        if self.eat_word("as") {
            self.identifier().ok_or_else(|| self.malformed(Malformed::Term))?;
        } else if self.identifier().is_none() {
            return Ok(());
        }
        self.note(|| StatementFault::Alias.into());
        Ok(())
    }

    fn where_clause(&mut self) -> Parsed<Option<Condition>> {
        if self.eat_word("where") { self.condition().map(Some) } else { Ok(None) }
    }

    /// Parses the WHERE clause of a write; a missing one is a missing key.
    fn required_where(&mut self) -> Parsed<Condition> {
        if let Some(condition) = self.where_clause()? {
            Ok(condition)
        } else {
            self.note(|| StatementFault::KeyEquality.into());
            Ok(Condition(Node::And(Vec::new())))
        }
    }

    fn order_clause(&mut self) -> Parsed<Vec<Order>> {
        let mut order = Vec::new();
        if !self.eat_word("order") {
            return Ok(order);
        }
        self.expect_word("by")?;
        loop {
            let path = self.path()?;
            let descending = self.eat_word("desc") || {
                self.eat_word("asc");
                false
            };
            if path.is_nested() {
                let attribute = path.to_string();
                self.note(|| StatementFault::OrderAttribute(attribute).into());
            }
            order.push(Order { attribute: path.attribute.to_string(), descending });
            if !self.eat(Kind::Comma) {
                return Ok(order);
            }
        }
    }

    fn insert(&mut self) -> Parsed<Insert> {
        self.expect_word("into")?;
        let (table, index) = self.target_table()?;
        if index.is_some() {
            return Err(self.malformed(Malformed::Term));
        }
        if !self.eat_word("value") {
            return Err(self.inserted_otherwise());
        }
        let item = self.item()?;
        let absent = |(name, _)| Node::Not(Box::new(Node::Exists(DocumentPath::top_level(name))));
        let condition = Condition(Node::And(item.iter().map(absent).collect()));
        Ok(Insert { table, item, condition })
    }

    /// Returns the fault of an INSERT without VALUE. The text in its place, such as the names of
    /// columns, is read as an expression, in which a keyword comes first.
    fn inserted_otherwise(&mut self) -> Reason {
        let mut is_term = true;
        loop {
            match self.current.kind {
                Kind::Open | Kind::Comma => is_term = true,
                _ if is_term && self.at_identifier() => is_term = false,
                _ => break,
            }
            self.advance();
        }
        let is_keyword = is_term && self.at_keyword();
        self.malformed(if is_keyword { Malformed::Keyword } else { Malformed::Leftover })
    }

    fn change(&mut self) -> Parsed<Change> {
        let (table, index) = self.table_to_change()?;
        let update = self.update()?;
        let condition = self.required_where()?;
        let returning = self.returning()?;
        Ok(Change { table, index, update, condition, returning })
    }

    fn change_from(&mut self) -> Parsed<Change> {
        let (table, index) = self.table_to_read()?;
        let condition = self.required_where()?;
        let update = self.update()?;
        let returning = self.returning()?;
        Ok(Change { table, index, update, condition, returning })
    }

    fn delete(&mut self) -> Parsed<Delete> {
        self.expect_word("from")?;
        let (table, index) = self.table_to_change()?;
        let condition = self.required_where()?;
        let returning = self.returning()?;
        let refused = match returning.map(|Returning { modified, new }| (modified, new)) {
            None | Some((false, false)) => None,
            Some((false, true)) => Some("ALL NEW"),
            Some((true, false)) => Some("MODIFIED OLD"),
            Some((true, true)) => Some("MODIFIED NEW"),
        };
        if let Some(words) = refused {
            self.note(|| StatementFault::ReturningOfDelete(words).into());
        }
        let condition_or_absent = condition_or_absent(&condition);
        Ok(Delete { table, index, condition, condition_or_absent, returning })
    }

    fn returning(&mut self) -> Parsed<Option<Returning>> {
        if !self.eat_word("returning") {
            return Ok(None);
        }
        let modified = self.eat_word("modified");
        if !modified {
            self.expect_word("all")?;
        }
        let new = self.eat_word("new");
        if !new {
            self.expect_word("old")?;
        }
        self.expect(Kind::Star)?;
        Ok(Some(Returning { modified, new }))
    }
}

/// Returns a condition that also holds if none of the attributes exists that `condition` compares
/// for equality. The primary key is among them, so there is no item then.
fn condition_or_absent(condition: &Condition) -> Condition {
    let mut absent = Vec::new();
    collect_equal_attributes(&condition.0, &mut absent);
    Condition(Node::Or(vec![Node::And(absent), condition.0.clone()]))
}

fn collect_equal_attributes(node: &Node, absent: &mut Vec<Node>) {
    match node {
        Node::And(nodes) => nodes.iter().for_each(|node| collect_equal_attributes(node, absent)),
        Node::Compare { comparator: Comparator::Equal, left, right } => {
            for operand in [left, right] {
                if let Operand::Path(path) = operand {
                    absent.push(Node::Not(Box::new(Node::Exists(path.clone()))));
                }
            }
        }
        _ => {}
    }
}
