//! Key conditions matched against a key schema.
//!
//! A schema has one or more partition key attributes, which all need equality, and any number of
//! sort key attributes, of which a leading part needs equality and the next one may have a range.

use super::{KeyCondition, KeyConditions, KeyOperator};
use hashrange_model::error::Reason;
use hashrange_model::{AttributeType, Value, ValueRef};

/// Most attributes of a key with one partition key attribute and at most one sort key attribute.
const SIMPLE_KEY_MAX: usize = 2;

/// A key attribute with its declared type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyAttribute<'s> {
    /// The attribute's name.
    pub name: &'s str,
    /// The type declared in `AttributeDefinitions`: S, N or B.
    pub attribute_type: AttributeType,
}

/// Range that a Query reads: the partition, and the range of sort keys in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlan {
    /// One value for each partition key attribute, in the schema's order.
    pub partition: Vec<Value>,
    /// The values of the leading sort key attributes that are fixed, in the schema's order.
    pub sort_equal: Vec<Value>,
    /// The range of the sort key attribute after those; never [`KeyOperator::Equal`].
    pub sort_range: Option<KeyOperator>,
}

impl KeyConditions {
    /// Matches the conditions against a key schema.
    pub fn plan(
        &self,
        partition: &[KeyAttribute<'_>],
        sort: &[KeyAttribute<'_>],
    ) -> Result<KeyPlan, Reason> {
        self.check_names(partition, sort)?;
        let partition = partition
            .iter()
            .map(|attribute| self.partition_value(attribute))
            .collect::<Result<_, _>>()?;
        let (sort_equal, sort_range) = self.sort_range(sort)?;
        Ok(KeyPlan { partition, sort_equal, sort_range })
    }

    fn of(&self, attribute: &KeyAttribute<'_>) -> Option<&KeyCondition> {
        self.0.iter().find(|condition| condition.attribute == attribute.name)
    }

    /// Refuses more conditions than key attributes, a partition key attribute without condition,
    /// and a condition on anything else.
    fn check_names(
        &self,
        partition: &[KeyAttribute<'_>],
        sort: &[KeyAttribute<'_>],
    ) -> Result<(), Reason> {
        let (conditions, attributes) = (self.0.len(), partition.len() + sort.len());
        // Two conditions on a key of one attribute are not counted. Source: captured 2026.
        if conditions > attributes.max(SIMPLE_KEY_MAX) {
            return Err(Reason::TooManyKeyConditions { conditions, attributes });
        }
        if conditions > attributes {
            return Err(Reason::KeyConditionNotSupported);
        }
        let missed =
            |attribute: &KeyAttribute<'_>| Err(Reason::MissedKeyElement(attribute.name.to_owned()));
        if partition.len() > 1 {
            self.check_partition(partition)?;
        } else if let Some(attribute) = partition.iter().find(|it| self.of(it).is_none()) {
            return missed(attribute);
        }
        let known = sort.iter().filter(|attribute| self.of(attribute).is_some()).count();
        if partition.len() + known < conditions
            && let Some(attribute) = sort.iter().find(|attribute| self.of(attribute).is_none())
        {
            return missed(attribute);
        }
        Ok(())
    }

    /// Refuses anything but equality on each of several partition key attributes.
    fn check_partition(&self, partition: &[KeyAttribute<'_>]) -> Result<(), Reason> {
        let is_open = |attribute: &&KeyAttribute<'_>| self.equal_value(attribute).is_none();
        let open: Vec<&str> =
            partition.iter().filter(is_open).map(|attribute| attribute.name).collect();
        if open.is_empty() {
            return Ok(());
        }
        Err(Reason::PartitionNeedsEquality { attributes: open.join(", ") })
    }

    fn partition_value(&self, attribute: &KeyAttribute<'_>) -> Result<Value, Reason> {
        match self.of(attribute).map(|condition| &condition.operator) {
            Some(operator @ KeyOperator::Equal(value)) => {
                check_values(attribute, operator)?;
                Ok(value.clone())
            }
            Some(_) => Err(Reason::KeyConditionNotSupported),
            None => Err(Reason::MissedKeyElement(attribute.name.to_owned())),
        }
    }

    fn sort_range(
        &self,
        sort: &[KeyAttribute<'_>],
    ) -> Result<(Vec<Value>, Option<KeyOperator>), Reason> {
        let Some(last) = sort.iter().rposition(|attribute| self.of(attribute).is_some()) else {
            return Ok((Vec::new(), None));
        };
        let open: Vec<&str> = sort[..last]
            .iter()
            .filter(|attribute| self.equal_value(attribute).is_none())
            .map(|attribute| attribute.name)
            .collect();
        if !open.is_empty() {
            let condition_on = sort[last].name.to_owned();
            return Err(Reason::RangeNeedsEquality { attribute: open.join(", "), condition_on });
        }
        let mut equal = Vec::with_capacity(last + 1);
        let mut range = None;
        for attribute in &sort[..=last] {
            let Some(condition) = self.of(attribute) else { continue };
            check_values(attribute, &condition.operator)?;
            match &condition.operator {
                KeyOperator::Equal(value) => equal.push(value.clone()),
                operator => range = Some(operator.clone()),
            }
        }
        Ok((equal, range))
    }

    fn equal_value(&self, attribute: &KeyAttribute<'_>) -> Option<&Value> {
        match &self.of(attribute)?.operator {
            KeyOperator::Equal(value) => Some(value),
            _ => None,
        }
    }
}

/// Refuses values of another type than declared, and equality with an empty value.
fn check_values(attribute: &KeyAttribute<'_>, operator: &KeyOperator) -> Result<(), Reason> {
    let attribute_type = attribute.attribute_type;
    if operator.values().any(|value| value.get().attribute_type() != attribute_type) {
        return Err(Reason::ConditionTypeMismatch);
    }
    match operator {
        KeyOperator::Equal(value) if is_empty(value.get()) => {
            Err(Reason::EmptyKeyValue { attribute: attribute.name.to_owned(), attribute_type })
        }
        _ => Ok(()),
    }
}

fn is_empty(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::S("") | ValueRef::B([]))
}
