//! Findings in a definition alone.

use crate::design::Table;
use crate::finding::{Finding, Rule};

/// Returns the defined attributes that are no key.
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
