//! The file of credentials of a server: the server reads it at the start, and again on SIGHUP.
//!
//! A file that cannot be used leaves the credentials as they were. The log warns of a file that
//! other users can read or change.

use crate::config::SettingsError;
use hashrange_auth::{CredentialStore, Policy};
use hashrange_server::Access;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the credentials.
pub fn load(path: &Path) -> Result<Policy, SettingsError> {
    let store = CredentialStore::load(path)
        .map_err(|error| SettingsError::Credentials(path.to_owned(), error))?;
    Ok(Policy::Verify(store))
}

/// Logs if users other than the file's owner can read or change it.
pub fn warn_of_others(path: &Path) {
    if let Some(who) = others(path) {
        let path = path.display();
        tracing::warn!(%path, "{who}: the server lets in anybody with a secret key; chmod 600 keeps them out");
    }
}

#[cfg(unix)]
fn others(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    match (mode & 0o022, mode & 0o004) {
        (0, 0) => None,
        (0, _) => Some("every user of this machine can read the credentials"),
        (_, _) => Some("other users of this machine can change the credentials"),
    }
}

#[cfg(not(unix))]
fn others(_: &Path) -> Option<&'static str> {
    None
}

/// Reads the credentials again at each SIGHUP that comes after this call, for ever.
#[cfg(unix)]
pub fn reload_on_signal(path: PathBuf, access: Arc<Access>) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            reload(&path, &access);
        }
    });
    Ok(())
}

#[cfg(unix)]
fn reload(path: &Path, access: &Access) {
    match load(path) {
        Ok(policy) => {
            warn_of_others(path);
            access.replace(policy);
            tracing::info!(path = %path.display(), "credentials read again");
        }
        Err(error) => tracing::error!(%error, "credentials stay as they were"),
    }
}

/// Does nothing: there is no such signal.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub fn reload_on_signal(_: PathBuf, _: Arc<Access>) -> std::io::Result<()> {
    Ok(())
}
