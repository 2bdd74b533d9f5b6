//! Sentences about the whole state of a server: a part of [`super`], which is the only way to them.
//! The service has no such operations, so the sentences are ours.

use super::super::StateFault;

/// Returns the sentence.
pub fn refused(fault: &StateFault) -> String {
    match fault {
        StateFault::Form(problem) => format!("The request cannot be read: {problem}"),
        StateFault::SaveName(name) => {
            format!("A save has a name of 1 to 255 letters, digits and _ . -, not {name:?}")
        }
        StateFault::NoSuchSave { name, known } if known.is_empty() => {
            format!("There is no save named {name}: nothing has been saved")
        }
        StateFault::NoSuchSave { name, known } => {
            format!("There is no save named {name}, only {}", known.join(", "))
        }
        StateFault::TooManySaves(most) => format!(
            "There are {most} saves already, which is as many as there may be: delete one, or save \
             under a name that is in use"
        ),
        StateFault::InFolder(operation) => format!(
            "{operation} needs a database in memory (serve --memory): this one is in a folder, \
             whose state cannot be put back in one step. Copy the folder while the server is \
             stopped instead"
        ),
        StateFault::Time(text) => format!(
            "The clock is set to seconds since 1970, to a date such as 2030-01-31T08:00:00Z, or to \
             \"system\", not to {text}"
        ),
        StateFault::Step(text) => format!(
            "The clock advances by seconds or by a time such as 500ms, 90s, 10m, 24h or 7d, not by \
             {text}"
        ),
        StateFault::SetAndAdvance => {
            "Now sets the clock and Advance moves it: give one of them".to_owned()
        }
        StateFault::TimeOutOfRange => "The clock keeps to the years 1970 to 9999".to_owned(),
        StateFault::NamespaceKey(key) => format!(
            "Each access key has tables of its own here, so an access key id has 1 to 128 letters, \
             digits and _ -, not {key:?}"
        ),
        StateFault::TooManyNamespaces(most) => format!(
            "There are {most} pairs of access key and region with tables of their own, which is as \
             many as there may be"
        ),
        StateFault::NamespaceUnusable(why) => {
            format!("The tables of this access key and region cannot be opened: {why}")
        }
        StateFault::NotExplained(operation) => {
            format!("{operation} cannot be explained: operations that read or write items can")
        }
        StateFault::NotSupposed(operation) => {
            format!("{operation} reads no index: Query, Scan and SELECT are explained with WhatIf")
        }
        StateFault::SupposedNotRead(index) => {
            format!("The request does not read the index that WhatIf supposes: {index:?}")
        }
        StateFault::SupposedAnalyzed => {
            "An index that is not there cannot be read: WhatIf goes without Analyze".to_owned()
        }
        StateFault::NoSuchSample { name, known } => {
            format!("There is no sample named {name}, only {}", known.join(", "))
        }
        StateFault::SampleTableExists(table) => format!(
            "There is a table {table} already: delete it to load the sample, which makes a table of \
             that name"
        ),
        StateFault::UnreadableModel(why) => format!("No tables can be read from the text: {why}"),
    }
}
