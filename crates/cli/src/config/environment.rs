//! Settings from the environment: `HASHRANGE_` and the flag's name in capitals. Commas separate the
//! values of a flag that may be given several times. The flags are those that clap knows, which
//! reads their values.

use super::{Layer, SettingsError};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use hashrange::nearest::nearest;
use std::error::Error;
use std::ffi::{OsStr, OsString};

const PREFIX: &str = "HASHRANGE_";

/// Variables that begin with `HASHRANGE_` and are no setting of a server.
const OTHERS: [&str; 6] = [
    "HASHRANGE_CONFIG",
    "HASHRANGE_CLIENT_CONFIG",
    "HASHRANGE_ENDPOINT",
    "HASHRANGE_COPY_FROM",
    "HASHRANGE_COPY_TO",
    // Names this program to programs that start it; the program itself does not use it.
    "HASHRANGE_BINARY",
];

/// Refuses variables that look like settings and are none, which may be misspelt.
pub fn check_names(names: impl IntoIterator<Item = OsString>) -> Result<(), SettingsError> {
    let command = flags();
    let settings = command.get_arguments().filter_map(variable_of);
    let known: Vec<String> = OTHERS.into_iter().map(str::to_owned).chain(settings).collect();
    for name in names {
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(PREFIX) && !is_of_kubernetes(&name);
        if is_ours && !known.iter().any(|it| *it == name) {
            // All names begin with the prefix, which says nothing of likeness.
            let bare = known.iter().map(|name| name.trim_start_matches(PREFIX));
            let wanted = name.trim_start_matches(PREFIX);
            let nearest = nearest(wanted, bare).map(|nearest| format!("{PREFIX}{nearest}"));
            return Err(SettingsError::UnknownVariable { name: name.into_owned(), nearest });
        }
    }
    Ok(())
}

/// Returns true for variables that Kubernetes puts into every container where a service is called
/// hashrange: `HASHRANGE_SERVICE_HOST`, `HASHRANGE_SERVICE_PORT_HTTP`,
/// `HASHRANGE_PORT_8000_TCP_ADDR`.
fn is_of_kubernetes(name: &str) -> bool {
    let port = name.strip_prefix("HASHRANGE_PORT_");
    name.starts_with("HASHRANGE_SERVICE_")
        || port.is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

/// Returns the settings that the environment gives. A variable that is set to nothing gives none.
pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Layer, SettingsError> {
    let command = flags();
    let mut layer = Layer::default();
    for flag in command.get_arguments() {
        let Some(name) = variable_of(flag) else { continue };
        let Some(value) = variable(&name).filter(|value| !value.is_empty()) else { continue };
        match parse(command.clone(), as_flags(flag, &value)) {
            Ok(given) => layer = layer.or(given),
            Err(fault) => return Err(refused(name, &value, &fault)),
        }
    }
    Ok(layer)
}

/// Returns the flags of a server as a command without a name.
fn flags() -> Command {
    Layer::augment_args(Command::new("settings").no_binary_name(true))
}

fn parse(command: Command, given: Vec<OsString>) -> Result<Layer, clap::Error> {
    Layer::from_arg_matches(&command.try_get_matches_from(given)?)
}

/// Returns the variable of a flag.
fn variable_of(flag: &Arg) -> Option<String> {
    Some(format!("{PREFIX}{}", flag.get_long()?.replace('-', "_").to_uppercase()))
}

/// Returns the flag with the value of its variable, once for each value.
fn as_flags(flag: &Arg, value: &OsStr) -> Vec<OsString> {
    let with = |value: &OsStr| {
        let mut text = OsString::from(format!("--{}=", flag.get_long().unwrap_or_default()));
        text.push(value);
        text
    };
    match (flag.get_action(), value.to_str()) {
        (ArgAction::Append, Some(text)) => {
            text.split(',').map(|one| with(one.trim().as_ref())).collect()
        }
        _ => vec![with(value)],
    }
}

/// Returns the error of a variable's value. The value of one that is not text is not repeated: it
/// may be a password.
fn refused(name: String, value: &OsStr, fault: &clap::Error) -> SettingsError {
    let Some(value) = value.to_str().map(str::to_owned) else {
        return SettingsError::VariableNotText { name };
    };
    let problem = match (fault.source(), fault.get(ContextKind::ValidValue)) {
        (Some(source), _) => source.to_string(),
        (None, Some(ContextValue::Strings(values))) => {
            format!("it is one of {}", values.join(", "))
        }
        (None, _) => fault.kind().to_string(),
    };
    SettingsError::Variable { name, value, problem }
}
