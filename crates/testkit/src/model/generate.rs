//! Random operations: few tables, few keys, values at the edges, so that operations meet.

mod statement;
mod transaction;

use super::changes::EXPIRES;
use super::condition::{Comparator, Condition, Operand};
use super::derived::TEMPLATES;
use super::item::{Item, KeyValue, Path, Step};
use super::table::{Definition, IndexDefinition, KeyAttribute, KeyType, Projection, SortCondition};
use super::update::{Action, SetOperand, SetValue};
use super::{BatchMember, Operation, Paging, Returns};
use crate::environment::NOW_MS;
use crate::random::Random;
use hashrange_model::{AttributeType, AttributeValue, Number};

/// Attributes that indexes use as keys, always of these types in index definitions.
const INDEX_KEYS: [(&str, KeyType); 4] =
    [("is", KeyType::S), ("in", KeyType::N), ("ib", KeyType::B), ("it", KeyType::S)];
/// The table with key templates.
const DERIVED: &str = "derived";
/// Other attributes.
const ATTRIBUTES: [&str; 6] = ["a", "b", "c", "list", "map", "set"];
const MEMBERS: [&str; 3] = ["x", "y", "odd name.[0]"];

fn index(name: &str, is_local: bool, partition: &[usize], sort: &[usize]) -> IndexDefinition {
    let keys = |nths: &[usize]| -> Vec<KeyAttribute> {
        nths.iter().map(|nth| KeyAttribute::new(INDEX_KEYS[*nth].0, INDEX_KEYS[*nth].1)).collect()
    };
    IndexDefinition {
        name: name.to_owned(),
        is_local,
        partition: keys(partition),
        sort: keys(sort),
        projection: Projection::All,
    }
}

fn local(name: &str, pk: KeyType, sort: usize, projection: Projection) -> IndexDefinition {
    let partition = vec![KeyAttribute::new("pk", pk)];
    IndexDefinition { partition, projection, ..index(name, true, &[], &[sort]) }
}

/// Returns the tables that generated operations use: string, number and binary keys, with and
/// without sort key, local, global and multi-attribute indexes.
pub fn definitions() -> Vec<Definition> {
    let table = |name: &str, pk, sk: Option<KeyType>, indexes| Definition {
        name: name.to_owned(),
        partition: KeyAttribute::new("pk", pk),
        sort: sk.map(|sk| KeyAttribute::new("sk", sk)),
        indexes,
    };
    let include = || Projection::Include(vec!["a".to_owned(), "map".to_owned()]);
    vec![
        table(
            "strings",
            KeyType::S,
            Some(KeyType::N),
            vec![
                local("local-string", KeyType::S, 0, Projection::KeysOnly),
                local("local-binary", KeyType::S, 2, include()),
                index("global", false, &[0], &[1]),
            ],
        ),
        table(
            "binaries",
            KeyType::B,
            None,
            vec![IndexDefinition {
                projection: include(),
                ..index("many-keys", false, &[0, 1], &[2, 3])
            }],
        ),
        table("numbers", KeyType::N, Some(KeyType::S), vec![]),
        table(
            "mixed",
            KeyType::S,
            Some(KeyType::B),
            vec![local("local-number", KeyType::S, 1, Projection::All)],
        ),
        table(
            DERIVED,
            KeyType::S,
            Some(KeyType::N),
            vec![
                local("local-derived", KeyType::S, 3, Projection::All),
                index("global-derived", false, &[3], &[0]),
            ],
        ),
    ]
}

/// Returns global indexes that operations create and delete.
fn passing_indexes() -> Vec<IndexDefinition> {
    vec![
        IndexDefinition {
            projection: Projection::KeysOnly,
            ..index("by-number", false, &[1], &[])
        },
        index("by-binary", false, &[2], &[0]),
        IndexDefinition {
            projection: Projection::Include(vec!["b".to_owned(), "set".to_owned()]),
            ..index("by-three", false, &[3], &[1, 0, 2])
        },
        IndexDefinition {
            sort: vec![KeyAttribute::new("pk", KeyType::S)],
            ..index("by-table-key", false, &[0], &[])
        },
    ]
}

/// Generator of operations.
#[derive(Debug)]
pub struct Generator {
    random: Random,
    tables: Vec<Definition>,
}

impl Generator {
    /// Returns a generator for a seed.
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), tables: definitions() }
    }

    /// Returns the operations that a run begins with, followed by `count` random ones.
    pub fn operations(&mut self, count: usize) -> Vec<Operation> {
        let mut operations: Vec<_> =
            self.tables.iter().cloned().map(Operation::CreateTable).collect();
        operations.push(Operation::Declare { table: DERIVED.to_owned(), template: 0 });
        operations.extend((0..count).map(|_| self.operation()));
        operations
    }

    fn operation(&mut self) -> Operation {
        let definition = self.random.pick(&self.tables.clone()).clone();
        let table = definition.name.clone();
        match self.random.below(1000) {
            0..2 => Operation::DeleteTable { table },
            2..10 => Operation::CreateTable(definition),
            10..25 => {
                let indexes = passing_indexes();
                let fits = |index: &&IndexDefinition| {
                    definition.partition.key_type == KeyType::S || index.name != "by-table-key"
                };
                let indexes: Vec<_> = indexes.iter().filter(fits).cloned().collect();
                Operation::CreateIndex { table, index: self.random.pick(&indexes).clone() }
            }
            25..35 => {
                let mut names = vec!["global".to_owned(), "many-keys".to_owned()];
                names.extend(passing_indexes().into_iter().map(|index| index.name));
                Operation::DeleteIndex { table, index: self.random.pick(&names).clone() }
            }
            35..39 => Operation::Reopen,
            39..45 => Operation::Declare {
                table: DERIVED.to_owned(),
                template: self.random.below(TEMPLATES.len()),
            },
            45..60 => Operation::Advance { seconds: self.random.below(60) as u64 },
            60..150 => self.transact_write(),
            150..160 => self.transact_get(),
            160..300 => Operation::Put {
                item: self.item(&definition),
                condition: self.maybe_condition(),
                returns: *self.random.pick(&[Returns::None, Returns::AllOld]),
                table,
            },
            300..380 => Operation::Delete {
                key: self.key(&definition),
                condition: self.maybe_condition(),
                returns: *self.random.pick(&[Returns::None, Returns::AllOld]),
                table,
            },
            380..580 => self.update(&definition),
            580..620 => {
                let keys = self.distinct_keys(&definition, 6);
                let members = keys.into_iter().map(|key| {
                    if self.random.chance(30) {
                        return BatchMember::Delete(key);
                    }
                    let mut item = self.item(&definition);
                    item.extend(key);
                    BatchMember::Put(item)
                });
                Operation::BatchWrite { members: members.collect(), table }
            }
            620..660 => {
                let paths = if self.random.chance(50) { Vec::new() } else { self.paths() };
                Operation::Get { key: self.key(&definition), paths, table }
            }
            660..680 => Operation::BatchGet { keys: self.distinct_keys(&definition, 8), table },
            680..790 => self.query(&definition),
            790..960 => self.statement_operation(),
            _ => {
                let index = self.index_of(&definition);
                Operation::Scan {
                    paging: self.paging(index.as_ref()),
                    index: index.map(|index| index.name),
                    segments: *self.random.pick(&[1, 1, 2, 3, 7]),
                    table,
                }
            }
        }
    }

    fn update(&mut self, definition: &Definition) -> Operation {
        let mut actions: Vec<Action> = Vec::new();
        for _ in 0..self.random.below(4) {
            let action = self.action();
            if !actions.iter().any(|known| known.path().clashes(action.path())) {
                actions.push(action);
            }
        }
        let returns = *self.random.pick(&[
            Returns::None,
            Returns::AllOld,
            Returns::AllNew,
            Returns::UpdatedOld,
            Returns::UpdatedNew,
        ]);
        let (table, key) = (definition.name.clone(), self.key(definition));
        Operation::Update { table, key, actions, condition: self.maybe_condition(), returns }
    }

    fn action(&mut self) -> Action {
        if self.random.chance(30) {
            let (name, key_type) = *self.random.pick(&INDEX_KEYS);
            let path = Path::of(name);
            if self.random.chance(30) {
                return Action::Remove(path);
            }
            let value = self.index_key_value(key_type);
            return Action::Set(path, SetValue::Operand(SetOperand::Value(value)));
        }
        match self.random.below(10) {
            0..5 => {
                let path = self.path();
                let value = self.set_value();
                Action::Set(path, value)
            }
            5..7 => Action::Remove(self.path()),
            7..9 => {
                let value = if self.random.chance(50) { self.small_number() } else { self.set() };
                Action::Add(self.path(), value)
            }
            _ => Action::Delete(Path::of(self.random.pick::<&str>(&ATTRIBUTES)), self.set()),
        }
    }

    fn set_value(&mut self) -> SetValue {
        match self.random.below(10) {
            0..5 => SetValue::Operand(self.set_operand()),
            5..7 => SetValue::Plus(self.number_operand(), self.number_operand()),
            7..8 => SetValue::Minus(self.number_operand(), self.number_operand()),
            _ => SetValue::ListAppend(self.list_operand(), self.list_operand()),
        }
    }

    fn set_operand(&mut self) -> SetOperand {
        match self.random.below(4) {
            0 => SetOperand::Path(self.path()),
            1 => SetOperand::IfNotExists(self.path(), self.value(2)),
            _ => SetOperand::Value(self.value(2)),
        }
    }

    fn number_operand(&mut self) -> SetOperand {
        match self.random.below(3) {
            0 => SetOperand::Path(self.path()),
            1 => SetOperand::IfNotExists(self.path(), self.small_number()),
            _ => SetOperand::Value(self.small_number()),
        }
    }

    fn list_operand(&mut self) -> SetOperand {
        let list = AttributeValue::list((0..self.random.below(3)).map(|_| self.value(1)));
        match self.random.below(3) {
            0 => SetOperand::Path(Path::of("list")),
            1 => SetOperand::IfNotExists(Path::of("list"), list),
            _ => SetOperand::Value(list),
        }
    }

    fn query(&mut self, definition: &Definition) -> Operation {
        let index = self.index_of(definition);
        let (partition, sort): (Vec<_>, Vec<_>) = match &index {
            None => (vec![definition.partition.clone()], definition.sort.iter().cloned().collect()),
            Some(index) => (index.partition.clone(), index.sort.clone()),
        };
        let values = partition.iter().map(|key| self.key_value(key)).collect();
        let conditions = self.random.below(sort.len() + 1);
        let mut sort_conditions = Vec::new();
        for (nth, key) in sort.iter().take(conditions).enumerate() {
            let value = self.key_value(key);
            sort_conditions.push(if nth + 1 < conditions {
                SortCondition::Compare(Comparator::Equal, value)
            } else {
                self.sort_condition(key, value)
            });
        }
        Operation::Query {
            table: definition.name.clone(),
            paging: self.paging(index.as_ref()),
            index: index.map(|index| index.name),
            partition: values,
            sort: sort_conditions,
            forward: self.random.chance(50),
        }
    }

    fn sort_condition(&mut self, key: &KeyAttribute, value: AttributeValue) -> SortCondition {
        use Comparator as C;
        match self.random.below(7) {
            0 => SortCondition::Compare(C::Equal, value),
            1 => SortCondition::Compare(C::Less, value),
            2 => SortCondition::Compare(C::LessOrEqual, value),
            3 => SortCondition::Compare(C::Greater, value),
            4 => SortCondition::Compare(C::GreaterOrEqual, value),
            5 if key.key_type != KeyType::N => SortCondition::BeginsWith(value),
            _ => {
                let (lower, upper) = ordered(value, self.key_value(key));
                SortCondition::Between(lower, upper)
            }
        }
    }

    fn paging(&mut self, index: Option<&IndexDefinition>) -> Paging {
        let limit = self.random.chance(60).then(|| 1 + self.random.below(5));
        let filter = self.random.chance(40).then(|| self.condition(2));
        let allows_consistent = index.is_none_or(|index| index.is_local);
        Paging { limit, filter, consistent: allows_consistent && self.random.chance(30) }
    }

    /// Returns one of the indexes that a table may have; the generator does not know if it has it.
    fn index_of(&mut self, definition: &Definition) -> Option<IndexDefinition> {
        if self.random.chance(40) {
            return None;
        }
        let mut indexes = definition.indexes.clone();
        indexes.extend(passing_indexes());
        Some(self.random.pick(&indexes).clone())
    }

    fn maybe_condition(&mut self) -> Option<Condition> {
        self.random.chance(30).then(|| self.condition(2))
    }

    fn condition(&mut self, depth: usize) -> Condition {
        use Comparator as C;
        let kind = if depth == 0 { self.random.below(8) } else { self.random.below(11) };
        let path = self.path();
        match kind {
            0 => {
                let comparator = *self.random.pick(&[C::Equal, C::NotEqual]);
                let right = Operand::Value(self.value(2));
                Condition::Compare(Operand::Path(path), comparator, right)
            }
            1 => {
                let comparator =
                    *self.random.pick(&[C::Less, C::LessOrEqual, C::Greater, C::GreaterOrEqual]);
                let right = Operand::Value(self.scalar());
                Condition::Compare(Operand::Path(path), comparator, right)
            }
            2 => {
                let comparator = *self.random.pick(&[C::Equal, C::Less, C::GreaterOrEqual]);
                let right = Operand::Value(self.random.below(4).into());
                Condition::Compare(Operand::Size(path), comparator, right)
            }
            3 => {
                let one = self.scalar();
                let mut other = self.scalar();
                while other.attribute_type() != one.attribute_type() {
                    other = self.scalar();
                }
                let (lower, upper) = ordered(one, other);
                Condition::Between(Operand::Path(path), lower, upper)
            }
            4 => {
                let choices = (0..=self.random.below(3)).map(|_| self.value(1)).collect();
                Condition::In(Operand::Path(path), choices)
            }
            5 if self.random.chance(50) => Condition::Exists(path),
            5 => Condition::NotExists(path),
            6 => match self.random.below(2) {
                0 => Condition::TypeIs(path, *self.random.pick(&AttributeType::ALL)),
                _ => {
                    Condition::BeginsWith(path, self.key_value(&KeyAttribute::new("", KeyType::S)))
                }
            },
            7 => Condition::Contains(path, self.scalar()),
            8 => Condition::And(self.boxed(depth), self.boxed(depth)),
            9 => Condition::Or(self.boxed(depth), self.boxed(depth)),
            _ => Condition::Not(self.boxed(depth)),
        }
    }

    fn boxed(&mut self, depth: usize) -> Box<Condition> {
        Box::new(self.condition(depth - 1))
    }

    fn paths(&mut self) -> Vec<Path> {
        let mut paths: Vec<Path> = Vec::new();
        for _ in 0..=self.random.below(3) {
            let path = self.path();
            if !paths.iter().any(|known| known.clashes(&path)) {
                paths.push(path);
            }
        }
        paths
    }

    /// Returns a path that often leads to a value.
    fn path(&mut self) -> Path {
        let attribute = *self.random.pick(&ATTRIBUTES);
        let mut path = Path::of(attribute);
        for _ in 0..self.random.below(3) {
            let is_element = match attribute {
                "list" => path.steps.is_empty() || self.random.chance(50),
                "map" => !path.steps.is_empty() && self.random.chance(50),
                _ => self.random.chance(50),
            };
            path.steps.push(if is_element {
                Step::Element(self.random.below(5))
            } else {
                Step::Member((*self.random.pick(&MEMBERS)).to_owned())
            });
        }
        path
    }

    fn distinct_keys(&mut self, definition: &Definition, most: usize) -> Vec<Item> {
        let mut keys: Vec<Item> = Vec::new();
        for _ in 0..=self.random.below(most) {
            let key = self.key(definition);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn key(&mut self, definition: &Definition) -> Item {
        definition.key().map(|key| (key.name.clone(), self.key_value(key))).collect()
    }

    fn item(&mut self, definition: &Definition) -> Item {
        let mut item = self.key(definition);
        for (name, key_type) in INDEX_KEYS {
            if self.random.chance(75) {
                item.insert(name.to_owned(), self.index_key_value(key_type));
            }
        }
        for attribute in ATTRIBUTES {
            if self.random.chance(60) {
                item.insert(attribute.to_owned(), self.attribute(attribute));
            }
        }
        if self.random.chance(30) {
            item.insert(EXPIRES.to_owned(), self.expiry());
        }
        item
    }

    /// Returns the time at which an item expires: mostly soon, sometimes never.
    fn expiry(&mut self) -> AttributeValue {
        let second = NOW_MS / 1000 + self.random.below(600) as u64;
        match self.random.below(10) {
            0 => AttributeValue::from(second.to_string().as_str()),
            1 => number("-1"),
            2 => number("1000"),
            3 => number("1E100"),
            _ => number(&second.to_string()),
        }
    }

    fn attribute(&mut self, attribute: &str) -> AttributeValue {
        match attribute {
            "list" if self.random.chance(90) => {
                AttributeValue::list((0..self.random.below(5)).map(|_| self.value(1)))
            }
            "map" if self.random.chance(90) => {
                AttributeValue::map(MEMBERS.map(|name| (name, self.value(1))))
            }
            "set" => self.set(),
            _ => self.value(2),
        }
    }

    /// Returns a value of an index key attribute, rarely one that no index takes.
    fn index_key_value(&mut self, key_type: KeyType) -> AttributeValue {
        match self.random.below(60) {
            0 => AttributeValue::from(true),
            1 => AttributeValue::from(""),
            2 => AttributeValue::from("x".repeat(1025)),
            _ => self.key_value(&KeyAttribute::new("", key_type)),
        }
    }

    fn key_value(&mut self, key: &KeyAttribute) -> AttributeValue {
        let is_partition = key.name == "pk";
        match key.key_type {
            KeyType::S if is_partition => (*self.random.pick(&["a", "a\0", "é"])).into(),
            KeyType::S => {
                let long = "l".repeat(1024);
                let strings =
                    ["a", "a\0", "a\0\0", "aa", "b", "\0", "é", "\u{ffff}", "😀", "~", &long];
                (*self.random.pick(&strings)).into()
            }
            KeyType::N if is_partition => number(self.random.pick::<&str>(&["0", "-1", "1e125"])),
            KeyType::N => number(self.random.pick::<&str>(&[
                "0",
                "1",
                "-1",
                "9",
                "10",
                "-10",
                "0.5",
                "-0.05",
                "1e125",
                "-1e125",
                "1e-130",
                "-1e-130",
                "12345678901234567890123456789012345678",
                "1234567890123456789012345678901234567.9",
            ])),
            KeyType::B if is_partition => {
                bytes(self.random.pick::<&[u8]>(&[&[0][..], &[0, 0], &[255]]))
            }
            KeyType::B => bytes(self.random.pick::<&[u8]>(&[
                &[0][..],
                &[0, 0],
                &[0, 255],
                &[0, 1],
                &[1],
                &[255],
                &[255, 255],
                &[255, 0],
            ])),
        }
    }

    fn scalar(&mut self) -> AttributeValue {
        let key_type = *self.random.pick(&[KeyType::S, KeyType::N, KeyType::B]);
        if key_type == KeyType::N && self.random.chance(70) {
            return self.small_number();
        }
        self.key_value(&KeyAttribute::new("", key_type))
    }

    fn small_number(&mut self) -> AttributeValue {
        let tenths = i64::try_from(self.random.below(80)).expect("it is small") - 40;
        number(&format!("{}e-1", tenths * 5))
    }

    fn set(&mut self) -> AttributeValue {
        let count = 1 + self.random.below(3);
        match self.random.below(3) {
            0 => AttributeValue::string_set(
                (0..count).map(|_| *self.random.pick(&["", "p", "q", "é"])),
            ),
            1 => AttributeValue::number_set(
                (0..count).map(|_| *self.random.pick(&[-1_i64, 0, 2, 10])),
            ),
            _ => AttributeValue::binary_set(
                (0..count).map(|_| self.random.pick(&[vec![], vec![0], vec![0, 1]]).clone()),
            ),
        }
    }

    fn value(&mut self, depth: usize) -> AttributeValue {
        match self.random.below(if depth == 0 { 7 } else { 9 }) {
            0..2 => self.small_number(),
            2..4 => self.scalar(),
            4 => AttributeValue::from(self.random.chance(50)),
            5 => AttributeValue::Null,
            6 => self.set(),
            7 => AttributeValue::list((0..self.random.below(4)).map(|_| self.value(depth - 1))),
            _ => {
                let count = self.random.below(3);
                AttributeValue::map((0..count).map(|nth| (MEMBERS[nth], self.value(depth - 1))))
            }
        }
    }
}

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(Number::parse(text).expect("it is a number"))
}

fn bytes(bytes: &[u8]) -> AttributeValue {
    AttributeValue::B(bytes.to_vec().into())
}

/// Returns two values of one type, the smaller first.
fn ordered(one: AttributeValue, other: AttributeValue) -> (AttributeValue, AttributeValue) {
    if KeyValue::of(&one) <= KeyValue::of(&other) { (one, other) } else { (other, one) }
}
