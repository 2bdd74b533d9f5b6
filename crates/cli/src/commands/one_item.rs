//! Printing one item.

use crate::arguments::Format;
use crate::output::{self, plain, table::Table};
use serde_json::{Map, Value, json};

/// Prints an item: one attribute per line, as plain JSON, or as it came.
pub fn print(item: &Map<String, Value>, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Json => output::line(plain::item(item)),
        Format::Ddb => output::line(json!(item)),
        Format::Table => {
            let mut table = Table::new(&["attribute".into(), "type".into(), "value".into()]);
            for (name, value) in item {
                table.add_attribute(name, value);
            }
            table.lines().iter().try_for_each(output::line)
        }
    }
}
