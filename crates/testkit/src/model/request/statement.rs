//! Requests of PartiQL statements: texts in which some values are literals and others parameters; a
//! part that has two spellings appears in both.

use super::{Request, keys_of, symbol};
use crate::model::condition::{Comparator, Condition, Operand};
use crate::model::item::{Item, Path, Step};
use crate::model::statement::{Select, Statement};
use crate::model::table::{Definition, SortCondition};
use crate::model::update::{Action, SetOperand, SetValue};
use crate::model::{KeyAttribute, KeyType, Returns};
use crate::random::Random;
use crate::script::attribute_value;
use hashrange_model::AttributeValue;
use serde_json::{Value as Json, json};

/// Longest string that is written into a statement, which may have 8192 characters.
const LITERAL_BYTES_MAX: usize = 40;
/// Attributes that need no quotes, unlike those that are words of the language.
const PLAIN: [&str; 8] = ["pk", "sk", "a", "b", "c", "map", "ib", "it"];

/// Returns the request of one statement.
pub(super) fn execute(statement: &Statement, definition: Option<&Definition>) -> Option<Request> {
    let mut body = body(statement, definition)?;
    body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD".into();
    if let Statement::Select(select) = statement {
        if let Some(limit) = select.limit {
            body["Limit"] = limit.into();
        }
        if select.consistent {
            body["ConsistentRead"] = true.into();
        }
    }
    Some(Request { operation: "ExecuteStatement", body })
}

/// Returns the request of several statements, each by itself.
pub(super) fn batch(statements: &[Statement]) -> Option<Request> {
    let members = statements.iter().map(|statement| body(statement, None));
    let body = json!({ "Statements": members.collect::<Option<Vec<_>>>()? });
    Some(Request { operation: "BatchExecuteStatement", body })
}

/// Returns the request of several statements, all or none.
pub(super) fn transaction(statements: &[Statement]) -> Option<Request> {
    let member = |statement| {
        let mut member = body(statement, None)?;
        member["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD".into();
        Some(member)
    };
    let members = statements.iter().map(member).collect::<Option<Vec<_>>>()?;
    let body = json!({ "TransactStatements": members });
    Some(Request { operation: "ExecuteTransaction", body })
}

/// Returns the text with its parameters. `definition` names the key attributes of an index.
fn body(statement: &Statement, definition: Option<&Definition>) -> Option<Json> {
    let mut writer = Writer::new(statement);
    let text = match statement {
        Statement::Insert { table, item } => {
            format!("INSERT INTO \"{table}\" VALUE {}", writer.tuple(item))
        }
        Statement::Update { table, key, actions, condition, returns } => {
            let clauses = writer.update(actions);
            let wanted = writer.where_key(key, condition.as_ref());
            format!("UPDATE \"{table}\"{clauses}{wanted}{}", returning(*returns))
        }
        Statement::Delete { table, key, condition, returns } => {
            let wanted = writer.where_key(key, condition.as_ref());
            format!("DELETE FROM {table}{wanted}{}", returning(*returns))
        }
        Statement::Exists { table, key, condition } => {
            format!("EXISTS(SELECT * FROM {table}{})", writer.where_key(key, Some(condition)))
        }
        Statement::Select(select) => writer.select(select, definition)?,
    };
    let mut body = json!({ "Statement": text });
    if !writer.parameters.is_empty() {
        body["Parameters"] = writer.parameters.into();
    }
    Some(body)
}

fn returning(returns: Returns) -> &'static str {
    match returns {
        Returns::None => "",
        Returns::AllOld => " RETURNING ALL OLD *",
        Returns::AllNew => " returning all new *",
        Returns::UpdatedOld => " RETURNING MODIFIED OLD *",
        Returns::UpdatedNew => " RETURNING MODIFIED NEW *",
    }
}

/// A statement as it is written, from left to right.
struct Writer {
    parameters: Vec<Json>,
    /// The choice among forms, always the same for a statement.
    random: Random,
}

impl Writer {
    fn new(statement: &Statement) -> Self {
        let seed = format!("{statement:?}").len();
        Self { parameters: Vec::new(), random: Random::new(seed as u64) }
    }

    /// Returns one of two forms.
    fn either<T>(&mut self, one: T, other: T) -> T {
        if self.random.chance(50) { one } else { other }
    }

    fn select(&mut self, select: &Select, definition: Option<&Definition>) -> Option<String> {
        let index = select.index.as_deref();
        let known = definition.and_then(|definition| keys_of(definition, index));
        // The key attributes of every table; those of an index that does not exist can be any.
        let unknown = ["pk", "sk"].map(|name| KeyAttribute::new(name, KeyType::S));
        let (partition, sort) = match &known {
            Some((partition, sort)) => (partition.first().copied()?, sort.first().copied()),
            None => (&unknown[0], Some(&unknown[1])),
        };
        let columns: Vec<_> = select.attributes.iter().map(|name| self.name(name)).collect();
        let columns = if columns.is_empty() { "*".to_owned() } else { columns.join(", ") };
        let index = index.map(|index| format!(".\"{index}\"")).unwrap_or_default();
        let mut conditions = Vec::new();
        conditions.extend(self.partitions(select, &partition.name));
        if let (Some(condition), Some(sort)) = (&select.sort, sort) {
            conditions.push(self.sort(&sort.name, condition));
        }
        if let Some(filter) = &select.filter {
            conditions.push(format!("({})", self.condition(filter)));
        }
        let mut text = format!("SELECT {columns} FROM \"{}\"{index}", select.table);
        if !conditions.is_empty() {
            text.extend([" WHERE ", &conditions.join(" AND ")]);
        }
        let mut order = Vec::new();
        for (attribute, descending) in
            [(Some(partition), select.partition_descending), (sort, select.sort_descending)]
        {
            if let (Some(attribute), Some(descending)) = (attribute, descending) {
                let direction = if descending { " DESC" } else { self.either("", " ASC") };
                order.push(format!("{}{direction}", self.name(&attribute.name)));
            }
        }
        if !order.is_empty() {
            text.extend([" ORDER BY ", &order.join(", ")]);
        }
        Some(text)
    }

    fn partitions(&mut self, select: &Select, name: &str) -> Option<String> {
        match &select.partitions[..] {
            [] => None,
            [partition] => {
                let name = self.name(name);
                Some(format!("{name} = {}", self.value(partition)))
            }
            partitions if select.joins_partitions => {
                let equalities = partitions.iter().map(|partition| {
                    let name = self.name(name);
                    format!("{name} = {}", self.value(partition))
                });
                Some(format!("({})", equalities.collect::<Vec<_>>().join(" OR ")))
            }
            partitions => {
                let name = self.name(name);
                Some(format!("{name} IN {}", self.choices(partitions)))
            }
        }
    }

    fn sort(&mut self, attribute: &str, condition: &SortCondition) -> String {
        let name = self.name(attribute);
        match condition {
            SortCondition::Compare(comparator, value) => {
                format!("{name} {} {}", symbol(*comparator), self.value(value))
            }
            SortCondition::Between(lower, upper) => {
                let lower = self.value(lower);
                format!("{name} between {lower} and {}", self.value(upper))
            }
            SortCondition::BeginsWith(prefix) => {
                format!("begins_with({name}, {})", self.value(prefix))
            }
        }
    }

    fn where_key(&mut self, key: &Item, condition: Option<&Condition>) -> String {
        let mut conditions: Vec<_> = key
            .iter()
            .map(|(name, value)| {
                let name = self.name(name);
                format!("{name} = {}", self.value(value))
            })
            .collect();
        if let Some(condition) = condition {
            conditions.push(format!("({})", self.condition(condition)));
        }
        format!(" WHERE {}", conditions.join(" AND "))
    }

    fn condition(&mut self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(left, comparator, right) => {
                let left = self.operand(left);
                let comparator = match comparator {
                    Comparator::NotEqual => self.either("<>", "!="),
                    other => symbol(*other),
                };
                format!("{left} {comparator} {}", self.operand(right))
            }
            Condition::Between(operand, lower, upper) => {
                let operand = self.operand(operand);
                let lower = self.value(lower);
                format!("{operand} BETWEEN {lower} AND {}", self.value(upper))
            }
            Condition::In(operand, choices) => {
                let operand = self.operand(operand);
                format!("{operand} IN {}", self.choices(choices))
            }
            Condition::Exists(path) => {
                let path = self.path(path);
                self.either(format!("{path} IS NOT MISSING"), format!("attribute_exists({path})"))
            }
            Condition::NotExists(path) => {
                let path = self.path(path);
                self.either(format!("{path} is missing"), format!("attribute_not_exists({path})"))
            }
            Condition::TypeIs(path, wanted) => {
                let path = self.path(path);
                format!("attribute_type({path}, {})", self.value(&wanted.as_str().into()))
            }
            Condition::BeginsWith(path, prefix) => {
                let path = self.path(path);
                format!("BEGINS_WITH({path}, {})", self.value(prefix))
            }
            Condition::Contains(path, part) => {
                let path = self.path(path);
                format!("contains({path}, {})", self.value(part))
            }
            Condition::And(left, right) => {
                let left = self.condition(left);
                format!("({left}) AND ({})", self.condition(right))
            }
            Condition::Or(left, right) => {
                let left = self.condition(left);
                format!("({left}) or ({})", self.condition(right))
            }
            Condition::Not(condition) => format!("NOT ({})", self.condition(condition)),
        }
    }

    fn operand(&mut self, operand: &Operand) -> String {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Size(path) => format!("size({})", self.path(path)),
        }
    }

    fn choices(&mut self, choices: &[AttributeValue]) -> String {
        let values: Vec<_> = choices.iter().map(|value| self.value(value)).collect();
        let values = values.join(", ");
        self.either(format!("[{values}]"), format!("({values})"))
    }

    fn update(&mut self, actions: &[Action]) -> String {
        let mut text = String::new();
        let mut last = "";
        for action in actions {
            let word = if matches!(action, Action::Remove(_)) { "REMOVE" } else { "SET" };
            let continues = last == word && self.either(true, false);
            text.extend(if continues { [", ", "", ""] } else { [" ", word, " "] });
            last = word;
            text.push_str(&self.action(action));
        }
        text
    }

    fn action(&mut self, action: &Action) -> String {
        let target = self.path(action.path());
        match action {
            Action::Set(_, value) => format!("{target} = {}", self.set_value(value)),
            Action::Remove(_) => target,
            Action::Add(path, set) => {
                let path = self.path(path);
                format!("{target} = set_add({path}, {})", self.value(set))
            }
            Action::Delete(path, set) => {
                let path = self.path(path);
                format!("{target} = SET_DELETE({path}, {})", self.value(set))
            }
        }
    }

    fn set_value(&mut self, value: &SetValue) -> String {
        match value {
            SetValue::Operand(operand) => self.set_operand(operand),
            SetValue::Plus(left, right) => {
                let left = self.set_operand(left);
                format!("{left} + {}", self.set_operand(right))
            }
            SetValue::Minus(left, right) => {
                let left = self.set_operand(left);
                format!("{left} - {}", self.set_operand(right))
            }
            SetValue::ListAppend(left, right) => {
                let left = self.set_operand(left);
                format!("list_append({left}, {})", self.set_operand(right))
            }
        }
    }

    fn set_operand(&mut self, operand: &SetOperand) -> String {
        match operand {
            SetOperand::Value(value) => self.value(value),
            SetOperand::Path(path) => self.path(path),
            SetOperand::IfNotExists(path, value) => {
                let path = self.path(path);
                format!("if_not_exists({path}, {})", self.value(value))
            }
        }
    }

    fn path(&mut self, path: &Path) -> String {
        let mut text = self.name(&path.attribute);
        for step in &path.steps {
            let step = match step {
                Step::Element(nth) => format!("[{nth}]"),
                Step::Member(name) => self.either(format!(".\"{name}\""), format!("['{name}']")),
            };
            text.push_str(&step);
        }
        text
    }

    fn name(&mut self, name: &str) -> String {
        let is_plain = PLAIN.contains(&name) && self.either(true, false);
        if is_plain { name.to_owned() } else { format!("\"{name}\"") }
    }

    fn tuple(&mut self, item: &Item) -> String {
        let entries: Vec<_> =
            item.iter().map(|(name, value)| format!("'{name}': {}", self.value(value))).collect();
        format!("{{{}}}", entries.join(", "))
    }

    /// Writes a literal if it can, or a parameter.
    fn value(&mut self, value: &AttributeValue) -> String {
        let literal = self.either(true, false).then(|| self.literal(value)).flatten();
        literal.unwrap_or_else(|| {
            self.parameters.push(attribute_value(value));
            "?".to_owned()
        })
    }

    /// Writes a literal; parts of it may be parameters.
    fn literal(&mut self, value: &AttributeValue) -> Option<String> {
        Some(match value {
            AttributeValue::S(string) if string.len() <= LITERAL_BYTES_MAX => quoted(string),
            AttributeValue::S(_) | AttributeValue::B(_) => return None,
            AttributeValue::N(number) => number.to_string(),
            AttributeValue::Bool(boolean) => boolean.to_string(),
            AttributeValue::Null => "null".to_owned(),
            AttributeValue::Ss(members) => self.bag(members.iter().cloned().map(AttributeValue::S)),
            AttributeValue::Ns(members) => self.bag(members.iter().copied().map(AttributeValue::N)),
            AttributeValue::Bs(members) => self.bag(members.iter().cloned().map(AttributeValue::B)),
            AttributeValue::L(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.value(element)).collect();
                format!("[{}]", elements.join(", "))
            }
            AttributeValue::M(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(name, value)| format!("{}: {}", quoted(name), self.value(value)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
        })
    }

    fn bag(&mut self, members: impl Iterator<Item = AttributeValue>) -> String {
        let members: Vec<_> = members.map(|member| self.value(&member)).collect();
        format!("<<{}>>", members.join(", "))
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
