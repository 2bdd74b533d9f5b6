//! Checks fjall's manifests, the lists of sorted files, before fjall believes them.
//!
//! fjall writes a checksum of each manifest but does not check it when it opens one, so a damaged
//! list would silently hide files. It also takes a missing manifest for a keyspace that was never
//! finished and deletes that; here the store is complete, so both are damage. fjall does verify the
//! checksums of blocks within sorted files.
//!
//! The bytes of `keyspaces/ID/current` (little-endian): manifest number u64, xxh3-128 of the whole
//! file `keyspaces/ID/vNUMBER` u128, kind of checksum u8 = 0.

use crate::Error;
use std::fs;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// fjall's own keyspace and ours.
const KEYSPACE_IDS: [&str; 2] = ["0", "1"];

/// Fails when a manifest is missing or damaged.
pub(crate) fn check(engine_path: &Path) -> Result<(), Error> {
    for id in KEYSPACE_IDS {
        let folder = engine_path.join("keyspaces").join(id);
        let current = read(&folder.join("current"))?;
        let (number, checksum) = parse_current(&current)
            .ok_or_else(|| Error::corrupt("not a manifest's name", place(&folder)))?;
        let manifest = read(&folder.join(format!("v{number}")))?;
        if xxh3_128(&manifest) != checksum {
            return Err(Error::corrupt("wrong checksum of the manifest", place(&folder)));
        }
    }
    Ok(())
}

fn parse_current(bytes: &[u8]) -> Option<(u64, u128)> {
    let (number, rest) = bytes.split_first_chunk()?;
    let (checksum, kind) = rest.split_first_chunk()?;
    (kind == [0]).then(|| (u64::from_le_bytes(*number), u128::from_le_bytes(*checksum)))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::corrupt("the file is missing", place(path)),
        _ => Error::from_io("read manifest", error),
    })
}

fn place(path: &Path) -> String {
    path.display().to_string()
}
