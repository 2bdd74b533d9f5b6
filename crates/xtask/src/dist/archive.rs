//! The archive of a release: the same bytes from the same files on any machine at any time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use tar::{Builder, Header};

/// Time of every file in the archive, in seconds since 1970: the first that all archive programs read.
const TIME_S: u64 = 1;
const PROGRAM_MODE: u32 = 0o755;
const TEXT_MODE: u32 = 0o644;

/// Writes a folder into a compressed archive, under a name.
pub fn write(folder: &Path, name: &str, archive: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("write {}: {error}", archive.display());
    let file = File::create(archive).map_err(failed)?;
    // Without a time of its own.
    let compressed = GzBuilder::new().mtime(0).write(file, Compression::best());
    let mut builder = Builder::new(compressed);
    for path in files(folder).map_err(failed)? {
        let inner = path.strip_prefix(folder).expect("it was found in the folder");
        let bytes = fs::read(&path).map_err(failed)?;
        let is_program = inner == Path::new("hashrange");
        let mut header = Header::new_gnu();
        header.set_size(u64::try_from(bytes.len()).expect("a length fits 64 bits"));
        header.set_mode(if is_program { PROGRAM_MODE } else { TEXT_MODE });
        header.set_mtime(TIME_S);
        let inner = Path::new(name).join(inner);
        builder.append_data(&mut header, inner, bytes.as_slice()).map_err(failed)?;
    }
    let compressed = builder.into_inner().map_err(failed)?;
    compressed.finish().map(drop).map_err(failed)
}

/// Returns all files in a folder and those in it, in the order of their paths.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}
