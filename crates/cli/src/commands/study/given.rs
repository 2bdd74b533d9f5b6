//! The definition of an exported table: from a file, from `--key`, or from a file in the folder. The service's exports
//! name their table in a manifest, and not its key.

use crate::arguments::Study as Arguments;
use crate::config::ClientSettings;
use crate::exit::Usage;
use crate::initial::{self, Definition};
use crate::surroundings::variable;
use anyhow::Context;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest manifest that is read.
const MANIFEST_MAX_BYTES: u64 = 1 << 20;
/// Most files of a folder that may be its design.
const FILES_MAX: usize = 100;

/// A definition, and the file in the folder that has it.
pub struct Given {
    /// The table.
    pub definition: Definition,
    /// The file, which has no items.
    pub design: Option<PathBuf>,
}

/// Returns the definition of the exported table.
pub fn of(arguments: &Arguments) -> anyhow::Result<Given> {
    let named = manifest(&arguments.folder).and_then(|text| named_by(&text));
    let wanted = arguments.table.clone().or(named);
    if let Some(key) = &arguments.key {
        let name = wanted.unwrap_or_else(|| "export".to_owned());
        return Ok(Given { definition: by_key(&name, key)?, design: None });
    }
    if let Some(file) = &arguments.design {
        let tables = read(file, arguments)?;
        return Ok(Given {
            definition: one(tables, wanted.as_deref(), file)?,
            design: Some(file.clone()),
        });
    }
    let folder = &arguments.folder;
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files.iter().filter(|file| is_design(file)).take(FILES_MAX) {
        // A file of items is no design, and says so.
        if let Ok(tables) = read(file, arguments) {
            let definition = one(tables, wanted.as_deref(), file)?;
            return Ok(Given { definition, design: Some(file.clone()) });
        }
    }
    let why = format!(
        "{}: an export does not say the key of its table: --key pk:S,sk:S does, or --design FILE",
        folder.display()
    );
    Err(Usage(why).into())
}

fn is_design(file: &Path) -> bool {
    const MOST_BYTES: u64 = 4 << 20;
    let has_form = file.extension().is_some_and(|it| {
        ["json", "yaml", "yml", "tf", "template"].iter().any(|known| it == *known)
    });
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_small = file.metadata().is_ok_and(|it| it.is_file() && it.len() <= MOST_BYTES);
    has_form && is_small && !name.starts_with("manifest-")
}

fn read(file: &Path, arguments: &Arguments) -> anyhow::Result<Vec<Definition>> {
    let region = ClientSettings::resolve(&arguments.connection, variable)?.region;
    let given = initial::Given { region: &region, parameters: &[] };
    let files = initial::definitions::read(&[file.to_owned()], given)?;
    Ok(files.into_iter().flat_map(|file| file.definitions).collect())
}

/// Returns the table of a name, or the only one.
fn one(mut tables: Vec<Definition>, name: Option<&str>, file: &Path) -> anyhow::Result<Definition> {
    let nth = match (name, tables.len()) {
        (_, 1) => Some(0),
        (Some(name), _) => tables.iter().position(|it| it.name == name),
        (None, _) => None,
    };
    let Some(nth) = nth else {
        let why = format!("{}: --table names the table of the export", file.display());
        return Err(Usage(why).into());
    };
    Ok(tables.swap_remove(nth))
}

/// Returns the definition of a table on demand with a key such as `pk:S,sk:S`.
fn by_key(name: &str, key: &str) -> anyhow::Result<Definition> {
    let (mut attributes, mut schema) = (Vec::new(), Vec::new());
    for (nth, attribute) in key.split(',').enumerate() {
        let (name, kind) = attribute.trim().rsplit_once(':').unwrap_or((attribute.trim(), "S"));
        let kinds = ["HASH", "RANGE"];
        let (Some(role), true, false) =
            (kinds.get(nth), ["S", "N", "B"].contains(&kind), name.is_empty())
        else {
            let why =
                format!("--key {key}: one or two attributes with their types, such as pk:S,sk:S");
            return Err(Usage(why).into());
        };
        attributes.push(json!({ "AttributeName": name, "AttributeType": kind }));
        schema.push(json!({ "AttributeName": name, "KeyType": role }));
    }
    let request = json!({
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes, "KeySchema": schema,
    });
    let Value::Object(request) = request else { anyhow::bail!("no request") };
    Ok(Definition { name: name.to_owned(), request, ..Definition::default() })
}

/// Returns the text of the export's summary: in the folder, or in a folder of it as the service writes it.
fn manifest(folder: &Path) -> Option<String> {
    const NAME: &str = "manifest-summary.json";
    let mut places = vec![folder.join(NAME), folder.join("AWSDynamoDB").join(NAME)];
    for parent in [folder.to_owned(), folder.join("AWSDynamoDB")] {
        let inner = fs::read_dir(parent).into_iter().flatten().flatten().take(FILES_MAX);
        places.extend(inner.map(|entry| entry.path().join(NAME)));
    }
    let file = places.into_iter().find_map(|place| File::open(place).ok())?;
    let mut text = String::new();
    file.take(MANIFEST_MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the name of the table in a summary, which has its ARN.
fn named_by(text: &str) -> Option<String> {
    let summary: Value = serde_json::from_str(text).ok()?;
    let arn = summary["tableArn"].as_str()?;
    let (_, name) = arn.rsplit_once(":table/")?;
    Some(name.split('/').next().unwrap_or(name).to_owned())
}
