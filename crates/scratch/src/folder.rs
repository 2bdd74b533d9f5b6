//! Copies of folders.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Copies a folder with everything in it; `to` need not exist. Leaves out a file that disappears
/// while its folder is copied, as in a store that is open.
pub fn copy_folder(from: &Path, to: &Path) {
    let copied = copy(from, to);
    copied.unwrap_or_else(|error| panic!("copy {} to {}: {error}", from.display(), to.display()));
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        let copied = if path.is_dir() {
            copy(&path, &to.join(name))
        } else {
            fs::copy(&path, to.join(name)).map(drop)
        };
        match copied {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Err(_) | Ok(()) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_in_a_folder_is_in_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("inner")).unwrap();
        fs::write(from.join("a"), "1").unwrap();
        fs::write(from.join("inner/b"), "2").unwrap();
        copy_folder(&from, &to);
        assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "1");
        assert_eq!(fs::read_to_string(to.join("inner/b")).unwrap(), "2");
    }
}
