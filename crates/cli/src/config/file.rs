//! Settings from a configuration file in TOML. Paths in it start at the file's own folder.

use super::{Layer, SettingsError};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest configuration file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns a server's settings in the file.
pub fn read(path: &Path) -> Result<Layer, SettingsError> {
    let mut layer: Layer = parsed(path)?;
    for inside in [&mut layer.data_dir, &mut layer.credentials, &mut layer.contract] {
        *inside = inside.take().map(|inside| beside(path, inside));
    }
    for paths in [&mut layer.init, &mut layer.load] {
        let inside = paths.take();
        *paths = inside.map(|inside| inside.into_iter().map(|one| beside(path, one)).collect());
    }
    Ok(layer)
}

/// Returns the settings in the file, of any kind.
pub fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, SettingsError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| SettingsError::Unreadable(path.to_owned(), error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(SettingsError::TooLarge(path.to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| SettingsError::NotText(path.to_owned()))?;
    toml::from_str(&text).map_err(|error| SettingsError::Malformed {
        path: path.to_owned(),
        line: error.span().map(|span| line_of(&text, span.start)),
        problem: error.message().replace('\n', "; "),
    })
}

/// Resolves a path against the folder of its file.
pub fn beside(file: &Path, inside: PathBuf) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(inside)
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&byte| byte == b'\n').count()
}
