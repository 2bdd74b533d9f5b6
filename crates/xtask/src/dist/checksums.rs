//! Checksums in the form that `sha256sum --check` reads.

use std::fmt::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// Returns a line for each file: its SHA-256 and its name.
pub fn of(files: &[PathBuf]) -> Result<String, String> {
    let mut lines = String::new();
    for file in files {
        let bytes = std::fs::read(file);
        let bytes = bytes.map_err(|error| format!("read {}: {error}", file.display()))?;
        let name = file.file_name().ok_or("a file without a name")?;
        for byte in Sha256::digest(bytes) {
            write!(lines, "{byte:02x}").expect("a text takes everything");
        }
        writeln!(lines, "  {}", name.to_string_lossy()).expect("a text takes everything");
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_sha256sum_prints_it() {
        let file = std::env::temp_dir().join(format!("hashrange-sum-{}", std::process::id()));
        std::fs::write(&file, "abc").unwrap();
        let line = of(std::slice::from_ref(&file)).unwrap();
        std::fs::remove_file(&file).unwrap();
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(line, format!("{sum}  {name}\n"));
    }
}
