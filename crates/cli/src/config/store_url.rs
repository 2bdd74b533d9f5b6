//! The URL of a database, which may hold a password: printed nowhere but by [`StoreUrl::secret`].

use super::SettingsError;
use serde::Deserialize;
use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The URL of a database as it was given; the code that opens it finds out whether it is valid.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct StoreUrl(String);

impl StoreUrl {
    /// Returns the URL with its password.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl FromStr for StoreUrl {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StoreUrl(..)")
    }
}

/// Refuses the URL of a database in the place of a folder: the program would create and print that
/// folder.
pub fn check_folder(folder: &Path) -> Result<(), SettingsError> {
    if is_store_url(folder) { Err(SettingsError::UrlForFolder) } else { Ok(()) }
}

fn is_store_url(folder: &Path) -> bool {
    let text = folder.to_string_lossy().to_ascii_lowercase();
    // As it is, or behind the folder of a configuration file.
    ["postgres:/", "postgresql:/"].iter().any(|scheme| {
        text.find(scheme).is_some_and(|at| at == 0 || text.as_bytes().get(at - 1) == Some(&b'/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_not_printed() {
        let url: StoreUrl = "postgres://u:secret@h/x".parse().unwrap();
        assert_eq!(format!("{url:?}"), "StoreUrl(..)");
        assert_eq!(url.secret(), "postgres://u:secret@h/x");
    }

    #[test]
    fn folders_and_urls_are_told_apart() {
        for url in ["postgres://h/x", "Postgresql://u:p@h", "etc/postgres://h", "postgres:/h"] {
            assert!(is_store_url(Path::new(url)), "{url}");
        }
        for folder in ["data", "postgres", "/postgres/data", "a:b", "mypostgres:/x", ""] {
            assert!(!is_store_url(Path::new(folder)), "{folder}");
        }
    }
}
