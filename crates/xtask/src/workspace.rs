//! Paths of the repository.

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let this_crate = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = this_crate.ancestors().nth(2).expect("this crate is two levels below the root");
    root.to_path_buf()
}

/// Returns the folder of build results.
pub fn target() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(chosen)
}
