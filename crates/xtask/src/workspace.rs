//! Where things are in the repository.

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let this_crate = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = this_crate.ancestors().nth(2).expect("this crate is two levels below the root");
    root.to_path_buf()
}
