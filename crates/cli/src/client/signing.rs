//! Credentials that sign the requests of the command line.
//!
//! The settings name their source. Without credentials the client does not sign requests, which a
//! server without credentials accepts.

use crate::config::{ClientSettings, Credentials, SettingsError};
use crate::exit::Usage;
use crate::surroundings::text_variable;
use anyhow::Context;
use hashrange_auth::{CredentialStore, Signer};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the signer, if the settings name credentials. A profile that a flag names has to be in a
/// file.
pub fn signer(settings: &ClientSettings, wants_profile: bool) -> anyhow::Result<Option<Signer>> {
    if let Credentials::File(file) = &settings.credentials {
        let profile = profile(file, settings.profile.as_deref())?;
        return Ok(Some(profile.signer(&settings.region)));
    }
    if wants_profile {
        let problem = "--profile names one of the profiles in a file: give --credentials FILE, too";
        return Err(Usage(problem.to_owned()).into());
    }
    if settings.credentials == Credentials::None {
        return Ok(None);
    }
    let keys = (text_variable("AWS_ACCESS_KEY_ID"), text_variable("AWS_SECRET_ACCESS_KEY"));
    let (Some(access_key_id), Some(secret_access_key)) = keys else { return Ok(None) };
    let session_token = text_variable("AWS_SESSION_TOKEN");
    let profile = Profile { access_key_id, secret_access_key, session_token };
    Ok(Some(profile.signer(&settings.region)))
}

/// Returns a signer with keys of no account.
pub fn of_nobody(region: &str) -> Signer {
    Signer::new("hashrange", "hashrange", None, region)
}

/// The credentials of one profile.
struct Profile {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
}

impl Profile {
    fn signer(&self, region: &str) -> Signer {
        let token = self.session_token.as_deref();
        Signer::new(&self.access_key_id, &self.secret_access_key, token, region)
    }
}

/// Returns the named profile of a file, or `default`, or the only one.
fn profile(path: &Path, name: Option<&str>) -> anyhow::Result<Profile> {
    // Reports faults of the file, with their place.
    CredentialStore::load(path)
        .map_err(|error| SettingsError::Credentials(path.to_owned(), error))?;
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    choose(&text, name)
        .ok_or_else(|| match name {
            Some(name) => format!("{}: there is no profile {name:?}", path.display()),
            None => format!("{}: choose a profile with --profile", path.display()),
        })
        .map_err(|problem| Usage(problem).into())
}

/// Returns a profile of a well-formed file.
fn choose(text: &str, name: Option<&str>) -> Option<Profile> {
    let mut profiles: Vec<(&str, BTreeMap<String, &str>)> = Vec::new();
    for line in text.lines().map(str::trim) {
        let heading = line.strip_prefix('[').and_then(|line| line.split(']').next());
        if let Some(name) = heading {
            profiles.push((name.trim(), BTreeMap::new()));
        } else if let (Some((_, properties)), Some((key, value))) =
            (profiles.last_mut(), line.split_once('='))
        {
            properties.insert(key.trim().to_ascii_lowercase(), value.trim());
        }
    }
    profiles.retain(|(_, properties)| properties.contains_key("aws_access_key_id"));
    let named = |wanted| profiles.iter().find(|(own, _)| *own == wanted);
    let (_, properties) = match (name, profiles.as_slice()) {
        (Some(name), _) => named(name),
        (None, [only]) => Some(only),
        (None, _) => named("default"),
    }?;
    let property = |name: &str| properties.get(name).map(|&value| value.to_owned());
    Some(Profile {
        access_key_id: property("aws_access_key_id")?,
        secret_access_key: property("aws_secret_access_key")?,
        session_token: property("aws_session_token"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_is_the_named_or_the_default_or_the_only_one() {
        let key = |id: &str| format!("aws_access_key_id={id}\nAWS_Secret_Access_Key = s=\n");
        let two = format!("[a]\n{}\n# x\n[default]\n{}", key("A"), key("D"));
        let one = format!("[empty]\nregion = x\n[ only ]\n{}", key("O"));
        let neither = format!("[a]\n{}[b]\n{}", key("A"), key("B"));
        let cases = [
            (&two, Some("a"), Some("A")),
            (&two, None, Some("D")),
            (&two, Some("c"), None),
            (&one, None, Some("O")),
            (&one, Some("empty"), None),
            (&neither, None, None),
        ];
        for (text, name, expected) in cases {
            let found = choose(text, name);
            assert_eq!(found.as_ref().map(|profile| profile.access_key_id.as_str()), expected);
            assert!(found.is_none_or(|profile| profile.secret_access_key == "s="));
        }
    }
}
