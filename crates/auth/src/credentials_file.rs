//! Credentials files in the format of the AWS shared credentials file.
//!
//! ```ini
//! # comment
//! [app]
//! aws_access_key_id = AKIDEXAMPLE
//! aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY
//!
//! [job]
//! aws_access_key_id = ASIAEXAMPLE
//! aws_secret_access_key = ...
//! aws_session_token = ...
//! aws_expiration = 2026-11-21T06:00:00Z
//! ```
//!
//! A line is blank, a comment (`#` or `;` in front), a profile or a property. The name of a profile
//! is the principal. Property names are case-insensitive; others than the four above (and
//! `x_security_token_expires`, another name of `aws_expiration`) are ignored, so that a client's
//! own file serves as it is; so are profiles without an access key. The same access key may stand
//! in several profiles if its properties are the same; the first profile names it.
//!
//! Errors carry the number of the line and never a secret.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::credentials::{CredentialStore, Credentials};
use crate::timestamp::Timestamp;

/// The largest credentials file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Refusal of a credentials file.
#[derive(Debug)]
pub struct CredentialsFileError {
    /// The line, counted from 1; 0 if the fault is of the file as a whole.
    pub line: usize,
    /// Fault of the line or file.
    pub fault: CredentialsFileFault,
}

/// Fault of a credentials file.
#[derive(Debug)]
pub enum CredentialsFileFault {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is not UTF-8.
    NotUtf8,
    /// The file is larger than 16 MiB.
    TooLarge,
    /// A line starts with `[` but is not `[name]`.
    BadProfile,
    /// A profile stands twice.
    DuplicateProfile(String),
    /// A property stands before the first profile.
    OutsideProfile,
    /// A line is neither comment, profile nor `name = value`.
    NotAProperty,
    /// A property stands twice in a profile.
    DuplicateProperty(String),
    /// A property has no value.
    EmptyValue(String),
    /// A value has spaces or characters outside printable ASCII, or an access key id has `/`, `,`
    /// or `;`, which cannot be sent.
    BadValue(String),
    /// `aws_expiration` is not a date and time like `2026-11-21T06:00:00Z`.
    BadExpiration,
    /// A profile has some of its properties but not this one.
    MissingProperty {
        /// The profile.
        profile: String,
        /// The property that is absent.
        property: &'static str,
    },
    /// An access key stands in two profiles with different properties.
    ConflictingAccessKey(String),
    /// The file has no access key at all.
    NoCredentials,
}

impl fmt::Display for CredentialsFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for CredentialsFileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "read credentials file: {error}"),
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::TooLarge => f.write_str("credentials file is larger than 16 MiB"),
            Self::BadProfile => f.write_str("a profile must be written as '[name]'"),
            Self::DuplicateProfile(name) => write!(f, "profile '{name}' stands twice"),
            Self::OutsideProfile => f.write_str("a property must follow a '[profile]' line"),
            Self::NotAProperty => {
                f.write_str("expected '[profile]', 'name = value' or a comment starting with '#'")
            }
            Self::DuplicateProperty(name) => write!(f, "'{name}' stands twice in this profile"),
            Self::EmptyValue(name) => write!(f, "'{name}' has no value"),
            Self::BadValue(name) => {
                write!(f, "the value of '{name}' has characters it cannot have")
            }
            Self::BadExpiration => {
                f.write_str("the expiration must be written like '2026-11-21T06:00:00Z'")
            }
            Self::MissingProperty { profile, property } => {
                write!(f, "profile '{profile}' has no '{property}'")
            }
            Self::ConflictingAccessKey(id) => {
                write!(f, "access key '{id}' stands in two profiles with different properties")
            }
            Self::NoCredentials => f.write_str("no profile has an access key"),
        }
    }
}

impl std::error::Error for CredentialsFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            CredentialsFileFault::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl CredentialsFileFault {
    fn at(self, line: usize) -> CredentialsFileError {
        CredentialsFileError { line, fault: self }
    }
}

impl CredentialStore {
    /// Reads the credentials file at `path`.
    pub fn load(path: &Path) -> Result<Self, CredentialsFileError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| CredentialsFileFault::Io(error).at(0))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(CredentialsFileFault::TooLarge.at(0));
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => {
                let valid = &bytes[..error.valid_up_to()];
                #[expect(clippy::naive_bytecount, reason = "a file that is refused, once")]
                let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
                Err(CredentialsFileFault::NotUtf8.at(line))
            }
        }
    }

    /// Reads the text of a credentials file.
    pub fn parse(text: &str) -> Result<Self, CredentialsFileError> {
        let mut accepted = BTreeMap::new();
        let mut store = Self::new();
        for profile in read_profiles(text)? {
            let Some(credentials) = profile.credentials()? else { continue };
            let id = credentials.access_key_id.clone();
            match accepted.get(&id) {
                None => store.insert(&profile.name, credentials.clone()),
                Some(first) if *first == credentials => {}
                Some(_) => {
                    return Err(CredentialsFileFault::ConflictingAccessKey(id).at(profile.line));
                }
            }
            accepted.insert(id, credentials);
        }
        if store.is_empty() { Err(CredentialsFileFault::NoCredentials.at(0)) } else { Ok(store) }
    }
}

/// A profile as it stands in the file.
#[derive(Default)]
struct Profile {
    name: String,
    line: usize,
    access_key_id: Option<String>,
    secret_access_key: Option<String>,
    session_token: Option<String>,
    expires_at: Option<Timestamp>,
}

impl Profile {
    /// Returns the credentials of the profile, if it has an access key.
    fn credentials(&self) -> Result<Option<Credentials>, CredentialsFileError> {
        let (Some(id), Some(secret)) = (&self.access_key_id, &self.secret_access_key) else {
            let property = match (&self.access_key_id, &self.secret_access_key) {
                (None, None) => return Ok(None),
                (None, Some(_)) => "aws_access_key_id",
                (Some(_), _) => "aws_secret_access_key",
            };
            let profile = self.name.clone();
            let fault = CredentialsFileFault::MissingProperty { profile, property };
            return Err(fault.at(self.line));
        };
        Ok(Some(Credentials {
            access_key_id: id.clone(),
            secret_access_key: secret.clone(),
            session_token: self.session_token.clone(),
            expires_at: self.expires_at,
        }))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), CredentialsFileFault> {
        let property = name.to_ascii_lowercase();
        match property.as_str() {
            "aws_access_key_id" => set_text(&mut self.access_key_id, property, value, b"/,;"),
            "aws_secret_access_key" => set_text(&mut self.secret_access_key, property, value, b""),
            "aws_session_token" => set_text(&mut self.session_token, property, value, b""),
            "aws_expiration" | "x_security_token_expires" => {
                if self.expires_at.is_some() {
                    return Err(CredentialsFileFault::DuplicateProperty(property));
                }
                let end = Timestamp::parse_rfc3339(value);
                self.expires_at = Some(end.ok_or(CredentialsFileFault::BadExpiration)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn set_text(
    slot: &mut Option<String>,
    property: String,
    value: &str,
    refused: &[u8],
) -> Result<(), CredentialsFileFault> {
    if slot.is_some() {
        return Err(CredentialsFileFault::DuplicateProperty(property));
    }
    if value.is_empty() {
        return Err(CredentialsFileFault::EmptyValue(property));
    }
    if !value.bytes().all(|byte| byte.is_ascii_graphic() && !refused.contains(&byte)) {
        return Err(CredentialsFileFault::BadValue(property));
    }
    *slot = Some(value.to_owned());
    Ok(())
}

fn read_profiles(text: &str) -> Result<Vec<Profile>, CredentialsFileError> {
    let mut profiles: Vec<Profile> = Vec::new();
    let mut names = BTreeSet::new();
    for (nth, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let (number, line) = (nth + 1, line.trim());
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('[') {
            let name = profile_name(line).ok_or(CredentialsFileFault::BadProfile.at(number))?;
            if !names.insert(name) {
                return Err(CredentialsFileFault::DuplicateProfile(name.to_owned()).at(number));
            }
            profiles.push(Profile { name: name.to_owned(), line: number, ..Profile::default() });
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(CredentialsFileFault::NotAProperty.at(number));
        };
        let profile = profiles.last_mut().ok_or(CredentialsFileFault::OutsideProfile.at(number))?;
        profile.set(name.trim(), value.trim()).map_err(|fault| fault.at(number))?;
    }
    Ok(profiles)
}

fn profile_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.strip_suffix(']')?.trim();
    (!name.is_empty() && !name.contains(['[', ']'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "aws_access_key_id=A\naws_secret_access_key=s\n";

    #[test]
    fn profiles_become_principals() {
        let text = "\u{feff}# mine\n; too\n\n[ one ]\r\n  AWS_Access_Key_Id = A1 \r\n\
                    aws_secret_access_key = a=b/c+ \r\nregion = eu-west-1\ns3 =\n  x = y\n\
                    [two]\naws_access_key_id=A2\naws_secret_access_key=s\naws_session_token=t\n\
                    aws_expiration=2026-11-21T06:00:00Z\n\
                    [role]\nrole_arn = arn\n\
                    [again]\naws_access_key_id=A1\naws_secret_access_key=a=b/c+\n";
        let store = CredentialStore::parse(text).unwrap();
        assert_eq!(store.len(), 2);
        assert_eq!(store.principal("A1"), Some("one"));
        assert_eq!(store.principal("A2"), Some("two"));
        let entry = store.get("A2").unwrap();
        let end = Timestamp::parse_basic("20261121T060000Z").unwrap();
        assert_eq!(entry.check_session(Some(b"t"), end.plus_s(-1)), Ok(()));
    }

    #[test]
    fn faults_name_their_line() {
        let cases = [
            ("", "no profile has an access key"),
            ("[a]\nregion=x\n", "no profile has an access key"),
            ("x=1", "line 1: a property must follow a '[profile]' line"),
            ("[a\n", "line 1: a profile must be written as '[name]'"),
            ("\n[]", "line 2: a profile must be written as '[name]'"),
            ("[a]\n[b]\n[a]\n", "line 3: profile 'a' stands twice"),
            (
                "[a]\nsecret",
                "line 2: expected '[profile]', 'name = value' or a comment starting with '#'",
            ),
            ("[a]\naws_access_key_id =\n", "line 2: 'aws_access_key_id' has no value"),
            (
                "[a]\naws_access_key_id = a/b\n",
                "line 2: the value of 'aws_access_key_id' has characters it cannot have",
            ),
            (
                "[a]\naws_secret_access_key = s # mine\n",
                "line 2: the value of 'aws_secret_access_key' has characters it cannot have",
            ),
            (
                "[a]\naws_session_token=t\naws_session_token=t",
                "line 3: 'aws_session_token' stands twice in this profile",
            ),
            (
                "[a]\naws_expiration=soon",
                "line 2: the expiration must be written like '2026-11-21T06:00:00Z'",
            ),
            ("[a]\naws_access_key_id=A", "line 1: profile 'a' has no 'aws_secret_access_key'"),
            ("\n[a]\naws_secret_access_key=A", "line 2: profile 'a' has no 'aws_access_key_id'"),
        ];
        for (text, message) in cases {
            let error = CredentialStore::parse(text).unwrap_err();
            assert_eq!(error.to_string(), message, "{text:?}");
        }
        let text = format!("[a]\n{KEY}[b]\n{KEY}aws_session_token=t");
        assert_eq!(
            CredentialStore::parse(&text).unwrap_err().to_string(),
            "line 4: access key 'A' stands in two profiles with different properties"
        );
    }

    #[test]
    fn files_are_read_and_their_faults_reported() {
        let dir = std::env::temp_dir().join(format!("hashrange-auth-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("credentials");
        let missing = CredentialStore::load(&path).unwrap_err();
        assert!(matches!(missing.fault, CredentialsFileFault::Io(_)), "{missing}");
        std::fs::write(&path, format!("[a]\n{KEY}")).unwrap();
        assert_eq!(CredentialStore::load(&path).unwrap().len(), 1);
        std::fs::write(&path, b"[a]\n\xff").unwrap();
        assert_eq!(CredentialStore::load(&path).unwrap_err().to_string(), "line 2: not UTF-8");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
