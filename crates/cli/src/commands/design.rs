//! `hashrange design`: designs in files compared, and tables written in the forms of other tools.
//!
//! Left to others: differences and forms (the crate `design`), and the forms that are read (`initial/`).

pub mod looked;
pub mod plans;

use crate::advice;
use crate::arguments::{DesignDiff, DesignForm, DesignWrite, Format};
use crate::client::Client;
use crate::exit::Usage;
use crate::output::{self, printer::Printer};
use hashrange_design::difference::compare;
use hashrange_design::formats::{self, Written};
use hashrange_design::plan::TablePlan;
use looked::Looked;
use serde_json::json;

/// Compares the designs in two files.
pub fn diff(arguments: &DesignDiff) -> anyhow::Result<()> {
    let before = plans::of_file(&arguments.before, &arguments.connection)?;
    let after = plans::of_file(&arguments.after, &arguments.connection)?;
    let found = compare(&before, &after);
    match Printer::of(&arguments.connection)?.format {
        Format::Table => output::text(found.to_markdown().as_bytes()),
        Format::Json | Format::Item | Format::Ddb => output::line(json!(found)),
    }
}

/// Writes the tables in a file.
pub fn write_file(arguments: &DesignWrite) -> anyhow::Result<()> {
    let Some(file) = &arguments.from else { return Ok(()) };
    let mut tables = plans::of_file(file, &arguments.connection)?;
    if let Some(name) =
        arguments.tables.iter().find(|name| tables.iter().all(|it| it.name != **name))
    {
        return Err(Usage(format!("{}: there is no table {name} in it", file.display())).into());
    }
    tables.retain(|it| arguments.tables.is_empty() || arguments.tables.contains(&it.name));
    let most = usize::try_from(arguments.items).unwrap_or(usize::MAX);
    for table in &mut tables {
        table.items.truncate(most);
        for facet in &mut table.facets {
            facet.rows.retain(|row| *row < most);
        }
    }
    print(&tables, arguments.form)
}

/// Writes tables of a database.
pub fn write(client: &mut Client, arguments: &DesignWrite) -> anyhow::Result<()> {
    client.leave_unrecorded();
    let names = match &arguments.tables[..] {
        [] => advice::table_names(client, usize::MAX)?,
        names => names.to_vec(),
    };
    let mut tables = Vec::new();
    for name in names {
        let Looked { arn, not_taken, mut plan, .. } = looked::of(client, &name, arguments.items)?;
        for line in not_taken {
            output::complain(format_args!("not taken of {name}: {line}"));
        }
        let tags = looked::tags(client, &arn)?;
        if !tags.is_empty() {
            plan.request.insert("Tags".to_owned(), json!(tags));
        }
        tables.push(plan);
    }
    print(&tables, arguments.form)
}

fn print(tables: &[TablePlan], form: DesignForm) -> anyhow::Result<()> {
    let Written { text, lost } = match form {
        DesignForm::Workbench => formats::workbench(tables, "hashrange").map_err(Usage)?,
        DesignForm::Cloudformation => formats::cloudformation_yaml(tables),
        DesignForm::CloudformationJson => formats::cloudformation_json(tables),
        DesignForm::Terraform => formats::terraform(tables),
    };
    for sentence in lost {
        output::complain(format_args!("not written of {sentence}"));
    }
    output::text(text.as_bytes())
}
