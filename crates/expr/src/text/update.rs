//! Update actions as text, in sections, each where its first action stands.

use super::literal::{path_text, value_text};
use crate::update::{Action, Effect, Operand, Update};
use std::fmt::{self, Display, Formatter};

const SECTIONS: usize = 4;

impl Display for Update {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut sections: Vec<(&str, Vec<String>)> = Vec::with_capacity(SECTIONS);
        for action in self.actions() {
            let (section, text) = shown(action);
            match sections.iter_mut().find(|(known, _)| *known == section) {
                Some((_, actions)) => actions.push(text),
                None => sections.push((section, vec![text])),
            }
        }
        let texts: Vec<_> = sections
            .into_iter()
            .map(|(section, actions)| format!("{section} {}", actions.join(", ")))
            .collect();
        formatter.write_str(&texts.join(" "))
    }
}

/// Returns the section of an action, and the action.
fn shown(action: &Action) -> (&'static str, String) {
    let path = path_text(&action.path);
    match &action.effect {
        Effect::Set(value) => ("SET", format!("{path} = {}", operand(value))),
        Effect::Remove => ("REMOVE", path),
        Effect::Add(value) | Effect::AddLegacy(value) => {
            ("ADD", format!("{path} {}", value_text(value.get())))
        }
        Effect::Delete(value) | Effect::DeleteLegacy(value) => {
            ("DELETE", format!("{path} {}", value_text(value.get())))
        }
    }
}

fn operand(it: &Operand) -> String {
    match it {
        Operand::Path(path) => path_text(path),
        Operand::Value(value) => value_text(value.get()),
        Operand::IfNotExists(path, otherwise) => {
            format!("if_not_exists({}, {})", path_text(path), operand(otherwise))
        }
        Operand::ListAppend(lists) => {
            format!("list_append({}, {})", operand(&lists.0), operand(&lists.1))
        }
        Operand::Sum(terms) => {
            let mut text = String::new();
            for (nth, term) in terms.iter().enumerate() {
                text.push_str(match (nth, term.negative) {
                    (0, false) => "",
                    (0, true) => "-",
                    (_, false) => " + ",
                    (_, true) => " - ",
                });
                text.push_str(&operand(&term.operand));
            }
            text
        }
    }
}
