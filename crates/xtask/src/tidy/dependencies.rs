//! Every direct dependency on somebody else's crate has its line, with the reason, in
//! `docs/dependencies.md`.

use std::collections::BTreeSet;
use std::path::Path;

use super::{manifest, read};

const DOCUMENT: &str = "docs/dependencies.md";

/// Returns each dependency without a line, and each line without a dependency.
pub fn undocumented() -> Result<Vec<String>, String> {
    let mut used = BTreeSet::new();
    for folder in manifest::crate_folders()? {
        let theirs = manifest::dependencies(&folder)?.into_iter().map(|dependency| dependency.name);
        used.extend(theirs.filter(|name| manifest::own_crate(name).is_none()));
    }
    let text = read(Path::new(DOCUMENT))?;
    let documented = documented(&text);
    let missing = used.difference(&documented).map(|name| format!("{DOCUMENT}: {name} is missing"));
    let stale = documented.difference(&used).map(|name| format!("{DOCUMENT}: {name} is not used"));
    Ok(missing.chain(stale).collect())
}

/// Returns the names in the first column of the table; `a, b (dev)` names two.
fn documented(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next()).filter(|cell| *cell != "crate");
    let names = cells.flat_map(|cell| cell.split(", "));
    names.filter_map(|name| name.split_whitespace().next()).map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_first_column() {
        let table =
            "| crate | licence |\n|---|---|\n| a | MIT |\n| b, c | MIT |\n| d (dev) | MIT |\n";
        assert_eq!(documented(table), ["a", "b", "c", "d"].map(str::to_owned).into());
    }
}
