//! What a definition alone shows.

use crate::design::Table;
use crate::finding::{Finding, Rule};

/// Returns the attributes that are defined for nothing.
pub(crate) fn check(table: &Table) -> Vec<Finding> {
    let unused = table.definitions.iter().filter(|name| !table.is_key(name));
    unused
        .map(|name| {
            let evidence = format!("{name} is defined and no key of the table or of an index");
            Finding::new(Rule::UnusedAttribute, evidence, Vec::new())
                .of_table(&table.name, Some(name.clone()))
        })
        .collect()
}
