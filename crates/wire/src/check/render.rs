//! Turns violations into the message of the answer, by the policy of the operation.

use std::fmt::Write as _;

use super::echo::push_lower_camel;
use super::policy::{Form, Match, Rule, listed_values, nameless_values};
use super::violation::{Constraint, Path, Segment, Violation};
use super::{ConstraintViolations, LISTED_MAX};

/// Spelling of one violation.
#[derive(Clone, Copy)]
enum Spelling {
    /// `Value 'v' at 'tableName' failed to satisfy constraint: ...`
    Old,
    /// `Value at 'TableName' failed to satisfy constraint: ...`
    New,
    /// `Failed to satisfy constraint: ...`
    Nameless,
}

/// Returns the answer to these violations by the first rule that fits; `None` if there are no
/// violations.
pub fn answer(found: Vec<Violation>, rules: &[Rule]) -> Option<ConstraintViolations> {
    if found.is_empty() {
        return None;
    }
    for rule in rules {
        let Some(nth) = found.iter().position(|violation| matches(&rule.matches, violation)) else {
            continue;
        };
        let is_only = found.len() == 1;
        return Some(match rule.form {
            Form::NewAlone => alone(found, nth, Spelling::New),
            Form::NamelessAlone => alone(found, nth, Spelling::Nameless),
            Form::BareAlone => bare(found, nth),
            Form::NewIfOnly if is_only => alone(found, nth, Spelling::New),
            Form::NamelessIfOnly if is_only => alone(found, nth, Spelling::Nameless),
            Form::NewIfOnly | Form::NamelessIfOnly => continue,
            Form::Joined => joined(found),
            Form::JoinedOnly => {
                joined(found.into_iter().filter(|one| matches(&rule.matches, one)).collect())
            }
            Form::ParameterRequired => required(found, nth),
            Form::ValidValuesIfOnly if is_only => valid_values(found, nth),
            Form::ValidValuesIfOnly => {
                joined(found.into_iter().filter(|one| !matches(&rule.matches, one)).collect())
            }
        });
    }
    Some(joined(found))
}

fn matches(wanted: &Match, violation: &Violation) -> bool {
    let at = |name: &str| violation.path.top() == Some(name);
    let is_missing = violation.constraint == Constraint::NotNull;
    let is_enum = matches!(violation.constraint, Constraint::Enum { .. });
    match wanted {
        Match::Value(name) => at(name) && !is_missing && is_length_or_form(&violation.constraint),
        Match::Empty(name) => at(name) && violation.value.as_deref() == Some(""),
        Match::Missing(name) => at(name) && is_missing && violation.path.is_top(),
        Match::Enum(name) => at(name) && is_enum,
        Match::AnyEnum => is_enum,
        Match::EmptyMapValue(name) => {
            at(name) && matches!(violation.constraint, Constraint::MapValues(_))
        }
    }
}

/// Returns whether the constraint limits a single value: the new form has no limits of a map's
/// keys.
fn is_length_or_form(constraint: &Constraint) -> bool {
    !matches!(constraint, Constraint::MapKeys(_) | Constraint::MapValues(_))
}

fn alone(mut found: Vec<Violation>, nth: usize, spelling: Spelling) -> ConstraintViolations {
    let violation = found.swap_remove(nth);
    let mut message = String::from("1 validation error detected: ");
    push_violation(&mut message, &violation, spelling);
    ConstraintViolations { violations: vec![violation], message }
}

/// Returns the answer to an enum's violation without the count. Source: Query responses of the
/// service, both regions, 2026-10.
fn bare(mut found: Vec<Violation>, nth: usize) -> ConstraintViolations {
    let violation = found.swap_remove(nth);
    let mut message = String::new();
    push_violation(&mut message, &violation, Spelling::Nameless);
    ConstraintViolations { violations: vec![violation], message }
}

fn required(mut found: Vec<Violation>, nth: usize) -> ConstraintViolations {
    let violation = found.swap_remove(nth);
    let name = violation.path.top().unwrap_or_default();
    let message = format!("The parameter '{name}' is required but was not present in the request");
    ConstraintViolations { violations: vec![violation], message }
}

/// Returns the answer to an enum's violation in its own words. Source: CreateTable and UpdateTable
/// responses of the service, 2026-10.
fn valid_values(mut found: Vec<Violation>, nth: usize) -> ConstraintViolations {
    let violation = found.swap_remove(nth);
    let mut message = String::new();
    if let Constraint::Enum { shape, values } = &violation.constraint {
        let values = listed_values(shape, values).join(", ");
        push(
            &mut message,
            format_args!(
                "Invalid table-class parameter provided. Please try again with a valid \
                 table-class value: [{values}]."
            ),
        );
    }
    ConstraintViolations { violations: vec![violation], message }
}

fn joined(mut violations: Vec<Violation>) -> ConstraintViolations {
    violations.truncate(LISTED_MAX);
    let count = violations.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut message = format!("{count} validation error{plural} detected: ");
    for (nth, violation) in violations.iter().enumerate() {
        message.push_str(if nth == 0 { "" } else { "; " });
        push_violation(&mut message, violation, Spelling::Old);
    }
    ConstraintViolations { violations, message }
}

fn push_violation(message: &mut String, violation: &Violation, spelling: Spelling) {
    match spelling {
        Spelling::Old => {
            match &violation.value {
                Some(value) => push(message, format_args!("Value '{value}' at '")),
                None => message.push_str("Value null at '"),
            }
            push_path(message, &violation.path, push_lower_camel);
            message.push_str("' failed to satisfy constraint: ");
            push_constraint(message, &violation.constraint, listed_values);
        }
        Spelling::New => {
            message.push_str("Value at '");
            push_path(message, &violation.path, String::push_str);
            message.push_str("' failed to satisfy constraint: ");
            push_constraint(message, &violation.constraint, listed_values);
        }
        Spelling::Nameless => {
            message.push_str("Failed to satisfy constraint: ");
            push_constraint(message, &violation.constraint, nameless_values);
        }
    }
}

fn push_path(message: &mut String, path: &Path, push_member: impl Fn(&mut String, &str)) {
    for (nth, segment) in path.0.iter().enumerate() {
        message.push_str(if nth == 0 { "" } else { "." });
        match segment {
            Segment::Member(name) => push_member(message, name),
            Segment::Element(nth) => push(message, format_args!("{nth}.member")),
            Segment::Key(key) => push(message, format_args!("{key}.member")),
        }
    }
}

type Listed = fn(&str, &'static [&'static str]) -> &'static [&'static str];

fn push_constraint(message: &mut String, constraint: &Constraint, listed: Listed) {
    match constraint {
        Constraint::NotNull => message.push_str("Member must not be null"),
        Constraint::LengthMin(min) => push_bound(message, "length greater", *min),
        Constraint::LengthMax(max) => push_bound(message, "length less", *max),
        Constraint::ValueMin(min) => push_bound(message, "value greater", *min),
        Constraint::ValueMax(max) => push_bound(message, "value less", *max),
        Constraint::Pattern(pattern) => {
            push(
                message,
                format_args!("Member must satisfy regular expression pattern: {pattern}"),
            );
        }
        Constraint::Enum { shape, values } => {
            let values = listed(shape, values).join(", ");
            push(message, format_args!("Member must satisfy enum value set: [{values}]"));
        }
        Constraint::MapKeys(all) => push_all(message, "Map keys", all, listed),
        Constraint::MapValues(all) => push_all(message, "Map value", all, listed),
    }
}

fn push_bound(message: &mut String, what: &str, bound: i64) {
    push(message, format_args!("Member must have {what} than or equal to {bound}"));
}

fn push_all(message: &mut String, what: &str, all: &[Constraint], listed: Listed) {
    push(message, format_args!("{what} must satisfy constraint: ["));
    for (nth, constraint) in all.iter().enumerate() {
        message.push_str(if nth == 0 { "" } else { ", " });
        push_constraint(message, constraint, listed);
    }
    message.push(']');
}

fn push(message: &mut String, arguments: std::fmt::Arguments<'_>) {
    message.write_fmt(arguments).expect("a String takes any text");
}
