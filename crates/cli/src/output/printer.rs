//! Printing of a command: in the chosen form, on the present screen.

use super::plain;
use super::screen::{Plain, Screen, Style};
use super::table::Table;
use crate::arguments::{Connection, Format};
use crate::config::{ClientSettings, SettingsError};
use crate::format;
use crate::surroundings::{text_variable, variable};
use serde_json::{Map, Value, json};

/// Form and screen on which a command prints.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    /// The form.
    pub format: Format,
    /// Destination of the output.
    pub screen: Screen,
}

impl Printer {
    /// Returns the printer of a command whose usual form is a table.
    pub fn of(connection: &Connection) -> Result<Self, SettingsError> {
        Self::with_default(connection, Format::Table)
    }

    /// Returns the printer of a command that has another usual form.
    pub fn with_default(connection: &Connection, usual: Format) -> Result<Self, SettingsError> {
        let settings = ClientSettings::resolve(connection, variable)?;
        let plain = Plain {
            no_colour: text_variable("NO_COLOR").is_some(),
            is_dumb: text_variable("TERM").is_some_and(|name| name == "dumb"),
        };
        let screen = Screen::of(connection.show, settings.color, plain);
        Ok(Self { format: settings.output.unwrap_or(usual), screen })
    }

    /// Prints a table.
    pub fn table(&self, table: &Table) -> anyhow::Result<()> {
        table.lines_on(&self.screen).iter().try_for_each(super::line)
    }

    /// Returns true if somebody reads remarks: standard error is a terminal.
    pub fn is_read_by_somebody() -> bool {
        super::is_watched()
    }

    /// Prints a remark for people, apart from the result: to standard error, if that is a terminal.
    pub fn note(&self, text: &str) {
        if Self::is_read_by_somebody() {
            let text = format!("note: {}", super::table::shown(text));
            super::complain(format_args!("{}", self.screen.styled(Style::Note, &text)));
        }
    }

    /// Returns an item on one line.
    pub fn item_line(&self, item: &Map<String, Value>) -> String {
        match self.format {
            Format::Item => format::item::text(item),
            Format::Ddb => json!(item).to_string(),
            Format::Json | Format::Table => plain::item(item),
        }
    }

    /// Prints an item: one attribute per line, as plain JSON, or as it came.
    pub fn item(&self, item: &Map<String, Value>) -> anyhow::Result<()> {
        match self.format {
            Format::Json | Format::Item | Format::Ddb => super::line(self.item_line(item)),
            Format::Table => {
                let mut table = Table::new(&["attribute".into(), "type".into(), "value".into()]);
                for (name, value) in item {
                    table.add_attribute(name, value);
                }
                self.table(&table)
            }
        }
    }
}

/// Returns a number of capacity units with their name, such as `1 write unit`.
pub fn units(response: &Value, kind: &str) -> String {
    counted(consumed(response), kind)
}

/// Returns the capacity units that a response names.
pub fn consumed(response: &Value) -> f64 {
    response["ConsumedCapacity"]["CapacityUnits"].as_f64().unwrap_or(0.0)
}

/// Returns `1 read unit` or `2.5 read units`.
pub fn counted(units: f64, kind: &str) -> String {
    let is_one = (units - 1.0).abs() < f64::EPSILON;
    format!("{units} {kind} {}", if is_one { "unit" } else { "units" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_is_singular() {
        let cases = [
            (0.0, "0 read units"),
            (0.5, "0.5 read units"),
            (1.0, "1 read unit"),
            (128.5, "128.5 read units"),
        ];
        for (number, expected) in cases {
            assert_eq!(counted(number, "read"), expected);
        }
    }
}
