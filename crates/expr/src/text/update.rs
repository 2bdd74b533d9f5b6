//! Update actions as text, in sections in the order of their first actions; `{:.100}` cuts each
//! name and value to at most so many bytes.

use super::literal::{Literal, Path};
use crate::update::{Action, Effect, Operand, Update};
use std::fmt::{self, Display, Formatter};

impl Display for Update {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut sections: Vec<&str> = Vec::new();
        for action in self.actions() {
            let section = section(action);
            if sections.contains(&section) {
                continue;
            }
            formatter.write_str(if sections.is_empty() { "" } else { " " })?;
            formatter.write_str(section)?;
            let of_section = self.actions().iter().filter(|it| self::section(it) == section);
            for (nth, action) in of_section.enumerate() {
                formatter.write_str(if nth == 0 { " " } else { ", " })?;
                action.fmt(formatter)?;
            }
            sections.push(section);
        }
        Ok(())
    }
}

fn section(action: &Action) -> &'static str {
    match &action.effect {
        Effect::Set(_) => "SET",
        Effect::Remove => "REMOVE",
        Effect::Add(_) | Effect::AddLegacy(_) => "ADD",
        Effect::Delete(_) | Effect::DeleteLegacy(_) => "DELETE",
    }
}

/// An action as it stands in its section.
impl Display for Action {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Path(&self.path).fmt(out)?;
        match &self.effect {
            Effect::Remove => Ok(()),
            Effect::Set(value) => {
                out.write_str(" = ")?;
                value.fmt(out)
            }
            Effect::Add(value)
            | Effect::AddLegacy(value)
            | Effect::Delete(value)
            | Effect::DeleteLegacy(value) => {
                out.write_str(" ")?;
                Literal(value.get()).fmt(out)
            }
        }
    }
}

impl Display for Operand {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => Path(path).fmt(out),
            Self::Value(value) => Literal(value.get()).fmt(out),
            Self::IfNotExists(path, otherwise) => {
                out.write_str("if_not_exists(")?;
                Path(path).fmt(out)?;
                out.write_str(", ")?;
                otherwise.fmt(out)?;
                out.write_str(")")
            }
            Self::ListAppend(lists) => {
                out.write_str("list_append(")?;
                lists.0.fmt(out)?;
                out.write_str(", ")?;
                lists.1.fmt(out)?;
                out.write_str(")")
            }
            Self::Sum(terms) => {
                for (nth, term) in terms.iter().enumerate() {
                    out.write_str(match (nth, term.negative) {
                        (0, false) => "",
                        (0, true) => "-",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    })?;
                    term.operand.fmt(out)?;
                }
                Ok(())
            }
        }
    }
}
