//! Updates: their structure and their effect on an item.
//!
//! Every right-hand side is evaluated on the old image. Then values are set where they replace
//! something, appended in order of their positions, and removed from the last position to the
//! first; positions are those of the old image.

use super::item::{Item, Path, Step};
use super::table::Fault;
use hashrange_model::{AttributeType, AttributeValue};

/// A value that SET takes.
#[derive(Debug, Clone, PartialEq)]
pub enum SetOperand {
    /// A value of the request.
    Value(AttributeValue),
    /// The value at a path.
    Path(Path),
    /// The value at a path, or else another one.
    IfNotExists(Path, AttributeValue),
}

/// The right-hand side of SET.
#[derive(Debug, Clone, PartialEq)]
pub enum SetValue {
    /// One operand.
    Operand(SetOperand),
    /// `+`
    Plus(SetOperand, SetOperand),
    /// `-`
    Minus(SetOperand, SetOperand),
    /// `list_append`
    ListAppend(SetOperand, SetOperand),
}

/// An update action.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Sets the value at a path.
    Set(Path, SetValue),
    /// Removes it.
    Remove(Path),
    /// Adds to a number or set.
    Add(Path, AttributeValue),
    /// Takes members out of a set.
    Delete(Path, AttributeValue),
}

impl Action {
    /// Returns the path that the action changes.
    pub fn path(&self) -> &Path {
        match self {
            Self::Set(path, _)
            | Self::Remove(path)
            | Self::Add(path, _)
            | Self::Delete(path, _) => path,
        }
    }
}

/// Returns the new image, or the faults of which one must be reported.
pub(crate) fn apply(actions: &[Action], old: &Item) -> Result<Item, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut changes = Vec::new();
    for action in actions {
        match evaluate(action, old) {
            Ok(value) => changes.push((action.path(), value)),
            Err(found) => faults.extend(found),
        }
        if let Some((parent, step)) = action.path().split_last()
            && !is_container(parent.find(old), step)
        {
            faults.push(Fault::InvalidPath);
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    changes.sort_by_key(|(path, _)| *path);
    let mut new = old.clone();
    for (path, value) in changes.iter().filter(|(path, _)| is_in_place(path, old)) {
        if let Some(value) = value {
            set(&mut new, path, value.clone());
        }
    }
    for (path, value) in changes.iter().filter(|(path, _)| !is_in_place(path, old)) {
        if let Some(value) = value {
            append(&mut new, path, value.clone());
        }
    }
    for (path, value) in changes.iter().rev() {
        if value.is_none() && path.find(old).is_some() {
            remove(&mut new, path);
        }
    }
    Ok(new)
}

/// Returns the new value at the action's path; none if the action removes it.
fn evaluate(action: &Action, old: &Item) -> Result<Option<AttributeValue>, Vec<Fault>> {
    match action {
        Action::Set(_, value) => set_value(value, old).map(Some),
        Action::Remove(_) => Ok(None),
        Action::Add(path, value) => add(path.find(old), value).map(Some).map_err(|it| vec![it]),
        Action::Delete(path, value) => delete(path.find(old), value).map_err(|it| vec![it]),
    }
}

fn set_value(value: &SetValue, old: &Item) -> Result<AttributeValue, Vec<Fault>> {
    match value {
        SetValue::Operand(operand) => set_operand(operand, old).map_err(|fault| vec![fault]),
        SetValue::Plus(left, right) => {
            let (left, right) = both(left, right, old, AttributeType::N)?;
            add_numbers(&left, &right, false).map_err(|fault| vec![fault])
        }
        SetValue::Minus(left, right) => {
            let (left, right) = both(left, right, old, AttributeType::N)?;
            add_numbers(&left, &right, true).map_err(|fault| vec![fault])
        }
        SetValue::ListAppend(left, right) => match both(left, right, old, AttributeType::L)? {
            (AttributeValue::L(mut left), AttributeValue::L(right)) => {
                left.extend(right);
                Ok(AttributeValue::L(left))
            }
            _ => Err(vec![Fault::OperandType]),
        },
    }
}

/// Returns two operands of a type, or all their faults.
fn both(
    left: &SetOperand,
    right: &SetOperand,
    old: &Item,
    wanted: AttributeType,
) -> Result<(AttributeValue, AttributeValue), Vec<Fault>> {
    let typed = |operand| match set_operand(operand, old) {
        Ok(value) if value.attribute_type() != wanted => Err(Fault::OperandType),
        other => other,
    };
    match (typed(left), typed(right)) {
        (Ok(left), Ok(right)) => Ok((left, right)),
        (left, right) => Err(left.err().into_iter().chain(right.err()).collect()),
    }
}

fn set_operand(operand: &SetOperand, old: &Item) -> Result<AttributeValue, Fault> {
    match operand {
        SetOperand::Value(value) => Ok(value.clone()),
        SetOperand::Path(path) => path.find(old).cloned().ok_or(Fault::MissingAttribute),
        SetOperand::IfNotExists(path, value) => Ok(path.find(old).unwrap_or(value).clone()),
    }
}

fn add_numbers(
    left: &AttributeValue,
    right: &AttributeValue,
    negative: bool,
) -> Result<AttributeValue, Fault> {
    let (AttributeValue::N(left), AttributeValue::N(right)) = (left, right) else {
        return Err(Fault::OperandType);
    };
    let sum = if negative { left.checked_sub(right) } else { left.checked_add(right) };
    sum.map(AttributeValue::N).map_err(|_| Fault::Number)
}

fn add(stored: Option<&AttributeValue>, value: &AttributeValue) -> Result<AttributeValue, Fault> {
    use AttributeValue as V;
    match (stored, value) {
        (None, value) => Ok(value.clone()),
        (Some(V::N(_)), V::N(_)) => add_numbers(stored.ok_or(Fault::OperandType)?, value, false),
        (Some(V::Ss(old)), V::Ss(new)) => Ok(V::string_set(old.iter().chain(new).cloned())),
        (Some(V::Ns(old)), V::Ns(new)) => Ok(V::number_set(old.iter().chain(new).copied())),
        (Some(V::Bs(old)), V::Bs(new)) => Ok(V::binary_set(old.iter().chain(new).cloned())),
        _ => Err(Fault::OperandType),
    }
}

fn delete(
    stored: Option<&AttributeValue>,
    value: &AttributeValue,
) -> Result<Option<AttributeValue>, Fault> {
    use AttributeValue as V;
    fn rest<T: PartialEq + Clone>(old: &[T], gone: &[T]) -> Vec<T> {
        old.iter().filter(|member| !gone.contains(member)).cloned().collect()
    }
    let left = match (stored, value) {
        (None, _) => return Ok(None),
        (Some(V::Ss(old)), V::Ss(gone)) => V::Ss(rest(old, gone)),
        (Some(V::Ns(old)), V::Ns(gone)) => V::Ns(rest(old, gone)),
        (Some(V::Bs(old)), V::Bs(gone)) => V::Bs(rest(old, gone)),
        _ => return Err(Fault::OperandType),
    };
    let is_empty = matches!(&left, V::Ss(members) if members.is_empty())
        || matches!(&left, V::Ns(members) if members.is_empty())
        || matches!(&left, V::Bs(members) if members.is_empty());
    Ok((!is_empty).then_some(left))
}

fn is_container(parent: Option<&AttributeValue>, step: &Step) -> bool {
    matches!(
        (parent, step),
        (Some(AttributeValue::M(_)), Step::Member(_))
            | (Some(AttributeValue::L(_)), Step::Element(_))
    )
}

/// Returns true if the value at the path has a place of its own, unlike one at the end of a list.
fn is_in_place(path: &Path, old: &Item) -> bool {
    !matches!(path.steps.last(), Some(Step::Element(_))) || path.find(old).is_some()
}

fn parent<'i>(item: &'i mut Item, path: &Path) -> &'i mut AttributeValue {
    let mut value = item.get_mut(&path.attribute).expect("the parent was found");
    for step in &path.steps[..path.steps.len() - 1] {
        value = match (step, value) {
            (Step::Member(name), AttributeValue::M(entries)) => entries.get_mut(name),
            (Step::Element(nth), AttributeValue::L(elements)) => elements.get_mut(*nth),
            _ => None,
        }
        .expect("the parent was found");
    }
    value
}

fn set(item: &mut Item, path: &Path, value: AttributeValue) {
    let Some(step) = path.steps.last() else {
        item.insert(path.attribute.clone(), value);
        return;
    };
    match (step, parent(item, path)) {
        (Step::Member(name), AttributeValue::M(entries)) => {
            entries.insert(name.clone(), value);
        }
        (Step::Element(nth), AttributeValue::L(elements)) => elements[*nth] = value,
        _ => unreachable!("the parent is the right container"),
    }
}

fn append(item: &mut Item, path: &Path, value: AttributeValue) {
    if let AttributeValue::L(elements) = parent(item, path) {
        elements.push(value);
    }
}

fn remove(item: &mut Item, path: &Path) {
    let Some(step) = path.steps.last() else {
        item.remove(&path.attribute);
        return;
    };
    match (step, parent(item, path)) {
        (Step::Member(name), AttributeValue::M(entries)) => {
            entries.remove(name);
        }
        (Step::Element(nth), AttributeValue::L(elements)) => {
            elements.remove(*nth);
        }
        _ => unreachable!("the parent is the right container"),
    }
}
