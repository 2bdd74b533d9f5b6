//! Settings of the commands that talk to a database, and their sources.
//!
//! The first that gives a setting wins: the flag, the variable of this program, the variable that
//! AWS's own tools know, the configuration file, the default.
//!
//! | flag | variables | in the file |
//! |---|---|---|
//! | `--endpoint` | `HASHRANGE_ENDPOINT`, `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL` | `endpoint` |
//! | `--region` | `HASHRANGE_REGION`, `AWS_REGION`, `AWS_DEFAULT_REGION` | `region` |
//! | `--credentials` | `HASHRANGE_CREDENTIALS`, `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY`, `AWS_SHARED_CREDENTIALS_FILE` | `credentials` |
//! | `--ca-file` | `HASHRANGE_CA_FILE`, `AWS_CA_BUNDLE` | `ca-file` |
//! | `--insecure-tls` | | |
//! | `--profile` | `AWS_PROFILE` | `profile` |
//!
//! `--profile` alone names a profile of `~/.aws/credentials`.
//!
//! | flag | variables | in the file |
//! |---|---|---|
//! | `--output` | | `output` |
//! | `--color` | `NO_COLOR` | `color` |
//!
//! The file is the one that `HASHRANGE_CLIENT_CONFIG` names, else `hashrange/client.toml` in
//! `XDG_CONFIG_HOME` or `~/.config`, where it may be missing.

use super::{SettingsError, file};
use crate::arguments::{Connection, Format, Tls};
use crate::output::screen::ColourChoice;
use hashrange_tls::Trust;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;

const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:8000";
const DEFAULT_REGION: &str = "us-east-1";

/// The configuration file of the commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct ClientFile {
    endpoint: Option<String>,
    region: Option<String>,
    credentials: Option<PathBuf>,
    ca_file: Option<PathBuf>,
    profile: Option<String>,
    output: Option<Format>,
    color: Option<ColourChoice>,
}

/// A server's address, and the source that gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL.
    pub url: String,
    /// Flag, variable or file that gave it, as messages name it.
    pub from: &'static str,
}

/// Source of the credentials that sign requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// No credentials: requests are unsigned.
    None,
    /// A profile in a file.
    File(PathBuf),
    /// The variables that AWS's tools know.
    Variables,
}

/// The settings of a command that talks to a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// The server.
    pub endpoint: Endpoint,
    /// Certificates that the client accepts from the server.
    pub trust: Trust,
    /// The region to sign for.
    pub region: String,
    /// Source of the credentials that sign requests.
    pub credentials: Credentials,
    /// The profile in the file of credentials.
    pub profile: Option<String>,
    /// Form of the output, if flags or file chose one.
    pub output: Option<Format>,
    /// Use of colours, if the file chose one.
    pub color: Option<ColourChoice>,
}

impl ClientSettings {
    /// Returns the settings from flags, environment and file.
    pub fn resolve(
        flags: &Connection,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SettingsError> {
        let text = |name: &str| {
            let text = variable(name)?.into_string().ok()?;
            Some(text).filter(|text| !text.is_empty())
        };
        let path = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let file = read(path)?;
        let trust = trust(&flags.tls, path, file.ca_file);
        let ignored = text("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
        let of_aws = ignored.is_none_or(|it| !it.eq_ignore_ascii_case("true"));
        let aws = |name| text(name).filter(|_| of_aws);
        let endpoint = [
            (flags.endpoint.clone(), "--endpoint"),
            (text("HASHRANGE_ENDPOINT"), "HASHRANGE_ENDPOINT"),
            (aws("AWS_ENDPOINT_URL_DYNAMODB"), "AWS_ENDPOINT_URL_DYNAMODB"),
            (aws("AWS_ENDPOINT_URL"), "AWS_ENDPOINT_URL"),
            (file.endpoint, "the configuration file"),
        ];
        let endpoint =
            endpoint.into_iter().find_map(|(url, from)| Some(Endpoint { url: url?, from }));
        let default = || Endpoint { url: DEFAULT_ENDPOINT.to_owned(), from: "the default" };
        let regions = ["HASHRANGE_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"];
        let region = flags.region.clone().or_else(|| regions.into_iter().find_map(text));
        let own_file = flags.credentials.clone().or_else(|| path("HASHRANGE_CREDENTIALS"));
        let has_keys =
            text("AWS_ACCESS_KEY_ID").is_some() && text("AWS_SECRET_ACCESS_KEY").is_some();
        let credentials = match own_file {
            Some(file) => Credentials::File(file),
            None if has_keys && flags.profile.is_none() => Credentials::Variables,
            None => path("AWS_SHARED_CREDENTIALS_FILE")
                .or(file.credentials)
                .or_else(|| {
                    Some(path("HOME")?.join(".aws/credentials")).filter(|_| flags.profile.is_some())
                })
                .map_or(Credentials::None, Credentials::File),
        };
        Ok(Self {
            endpoint: endpoint.unwrap_or_else(default),
            trust,
            region: region.or(file.region).unwrap_or_else(|| DEFAULT_REGION.to_owned()),
            credentials,
            profile: flags.profile.clone().or_else(|| text("AWS_PROFILE")).or(file.profile),
            output: flags.output.or(file.output),
            color: file.color,
        })
    }
}

/// Returns the certificates that a command trusts by its flags and the environment, without a
/// configuration file.
pub fn trust_of(flags: &Tls, variable: impl Fn(&str) -> Option<OsString>) -> Trust {
    trust(flags, |name| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from), None)
}

fn trust(flags: &Tls, path: impl Fn(&str) -> Option<PathBuf>, of_file: Option<PathBuf>) -> Trust {
    if flags.insecure_tls {
        return Trust::Anybody;
    }
    let of_environment = || path("HASHRANGE_CA_FILE").or_else(|| path("AWS_CA_BUNDLE"));
    let file = flags.ca_file.clone().or_else(of_environment).or(of_file);
    file.map_or(Trust::System, Trust::File)
}

fn read(path: impl Fn(&str) -> Option<PathBuf>) -> Result<ClientFile, SettingsError> {
    let named = path("HASHRANGE_CLIENT_CONFIG");
    let home = || Some(path("HOME")?.join(".config"));
    // The XDG specification wants programs to ignore relative paths.
    let folder = || path("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).or_else(home);
    let usual = || folder().map(|folder| folder.join("hashrange").join("client.toml"));
    let Some(path) = named.or_else(|| usual().filter(|path| path.exists())) else {
        return Ok(ClientFile::default());
    };
    let mut settings: ClientFile = file::parsed(&path)?;
    settings.credentials = settings.credentials.map(|inside| file::beside(&path, inside));
    settings.ca_file = settings.ca_file.map(|inside| file::beside(&path, inside));
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn resolved(
        flags: &Connection,
        variables: &[(&str, &str)],
    ) -> Result<ClientSettings, SettingsError> {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        ClientSettings::resolve(flags, |name| variables.get(name).map(OsString::from))
    }

    #[test]
    fn the_endpoint_is_the_first_that_is_given() {
        let own = ("HASHRANGE_ENDPOINT", "http://own");
        let service = ("AWS_ENDPOINT_URL_DYNAMODB", "http://service");
        let all = ("AWS_ENDPOINT_URL", "http://all");
        let ignore = ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[own, service, all], "http://own by HASHRANGE_ENDPOINT"),
            (&[service, all], "http://service by AWS_ENDPOINT_URL_DYNAMODB"),
            (&[("AWS_ENDPOINT_URL_DYNAMODB", ""), all], "http://all by AWS_ENDPOINT_URL"),
            (&[service, all, ignore], "http://127.0.0.1:8000 by the default"),
            (&[own, ignore], "http://own by HASHRANGE_ENDPOINT"),
            (&[], "http://127.0.0.1:8000 by the default"),
        ];
        for (variables, expected) in cases {
            let endpoint = resolved(&Connection::default(), variables).unwrap().endpoint;
            assert_eq!(format!("{} by {}", endpoint.url, endpoint.from), *expected);
        }
        let flags = Connection { endpoint: Some("http://flag".into()), ..Connection::default() };
        assert_eq!(resolved(&flags, &[own, all]).unwrap().endpoint.url, "http://flag");
    }

    #[test]
    fn credentials_are_the_first_that_are_given() {
        let keys = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "s")];
        let own = ("HASHRANGE_CREDENTIALS", "/own");
        let shared = ("AWS_SHARED_CREDENTIALS_FILE", "/shared");
        let file = |path: &str| Credentials::File(path.into());
        let cases: &[(&[(&str, &str)], Credentials)] = &[
            (&[own, keys[0], keys[1], shared], file("/own")),
            (&[keys[0], keys[1], shared], Credentials::Variables),
            (&[keys[0], shared], file("/shared")),
            (&[keys[0]], Credentials::None),
            (&[], Credentials::None),
        ];
        for (variables, expected) in cases {
            let settings = resolved(&Connection::default(), variables).unwrap();
            assert_eq!(settings.credentials, *expected, "{variables:?}");
        }
        let flags = Connection { profile: Some("work".to_owned()), ..Connection::default() };
        let home = ("HOME", "/home/me");
        for (variables, expected) in [
            (vec![keys[0], keys[1], home], "/home/me/.aws/credentials"),
            (vec![shared, home], "/shared"),
        ] {
            assert_eq!(resolved(&flags, &variables).unwrap().credentials, file(expected));
        }
    }

    #[test]
    fn the_first_that_names_certificates_is_trusted() {
        let own = ("HASHRANGE_CA_FILE", "/own");
        let aws = ("AWS_CA_BUNDLE", "/aws");
        let cases: &[(&[(&str, &str)], Trust)] = &[
            (&[], Trust::System),
            (&[("HASHRANGE_CA_FILE", ""), aws], Trust::File("/aws".into())),
            (&[own, aws], Trust::File("/own".into())),
        ];
        for (variables, expected) in cases {
            assert_eq!(resolved(&Connection::default(), variables).unwrap().trust, *expected);
        }
        let named = Tls { ca_file: Some("/flag".into()), insecure_tls: false };
        let flags = Connection { tls: named, ..Connection::default() };
        assert_eq!(resolved(&flags, &[own]).unwrap().trust, Trust::File("/flag".into()));
        let any = Tls { ca_file: None, insecure_tls: true };
        let flags = Connection { tls: any, ..Connection::default() };
        assert_eq!(resolved(&flags, &[own]).unwrap().trust, Trust::Anybody);
    }

    #[test]
    fn the_file_says_what_nobody_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("hashrange");
        std::fs::create_dir(&own).unwrap();
        let text = "endpoint = \"http://file\"\nregion = \"eu-west-1\"\ncredentials = \"keys\"\n\
                    ca-file = \"roots\"\n\
                    output = \"json\"\ncolor = \"never\"\n";
        std::fs::write(own.join("client.toml"), text).unwrap();
        let config = ("XDG_CONFIG_HOME", folder.path().to_str().unwrap());
        let settings = resolved(&Connection::default(), &[config]).unwrap();
        assert_eq!(settings.endpoint.url, "http://file");
        assert_eq!(settings.region, "eu-west-1");
        assert_eq!(settings.credentials, Credentials::File(own.join("keys")));
        assert_eq!(settings.trust, Trust::File(own.join("roots")));
        assert_eq!(settings.output, Some(Format::Json));
        assert_eq!(settings.color, Some(ColourChoice::Never));
        let before = resolved(&Connection::default(), &[config, ("AWS_REGION", "us-east-2")]);
        assert_eq!(before.unwrap().region, "us-east-2");
        let flags = Connection { output: Some(Format::Ddb), ..Connection::default() };
        assert_eq!(resolved(&flags, &[config]).unwrap().output, Some(Format::Ddb));
        // A relative folder is ignored.
        let relative = resolved(&Connection::default(), &[("XDG_CONFIG_HOME", "here")]);
        assert_eq!(relative.unwrap().endpoint.from, "the default");
    }

    #[test]
    fn a_file_with_mistakes_is_refused_with_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("client.toml");
        let named = ("HASHRANGE_CLIENT_CONFIG", path.to_str().unwrap());
        let refused = || resolved(&Connection::default(), &[named]).unwrap_err().to_string();
        assert!(refused().contains("client.toml: "), "a file that is named has to be there");
        std::fs::write(&path, "\nendpont = \"x\"\n").unwrap();
        let text = refused();
        assert!(text.contains("client.toml:2: unknown field `endpont`"), "{text}");
    }
}
