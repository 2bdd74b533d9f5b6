//! Rules about files: a header on every source file, no names that say nothing, nothing large.

use std::path::{Path, PathBuf};

use super::read;
use crate::workspace;

/// Names under which anything could hide.
const BANNED_NAMES: &[&str] = &["helpers", "helper", "utils", "util", "common", "misc", "stuff"];

/// The largest file that may be tracked, in bytes.
const MAX_FILE_BYTES: u64 = 512 * 1024;

/// Tracked files that may be larger, with the reason.
const LARGE_FILES: &[(&str, &str)] =
    &[("crates/samples/data/world/cities.tsv.gz", "a sample data set of real size, compressed")];

/// Returns each file that breaks a rule.
pub fn complaints(files: &[PathBuf]) -> Vec<String> {
    let rules = [without_header, banned_name, large, printing];
    let broken = files.iter().flat_map(|file| rules.iter().filter_map(move |rule| rule(file)));
    broken.collect()
}

fn without_header(file: &Path) -> Option<String> {
    if file.extension()? != "rs" {
        return None;
    }
    let text = read(file).ok()?;
    let complaint = || format!("{}: the first line is not a `//!` header", file.display());
    (!text.starts_with("//!")).then(complaint)
}

fn banned_name(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?;
    let banned = BANNED_NAMES.contains(&stem) || stem.ends_with("_more");
    banned.then(|| format!("{}: name the idea instead", file.display()))
}

/// Refuses printing past `cli/src/output`, which escapes terminal control characters.
fn printing(file: &Path) -> Option<String> {
    let is_of_commands = file.starts_with("crates/cli/src") && file.extension()? == "rs";
    if !is_of_commands || file.starts_with("crates/cli/src/output") {
        return None;
    }
    let text = read(file).ok()?;
    let text = text.replace("use_stderr()", "");
    let prints = ["stdout()", "stderr()"].iter().any(|stream| text.contains(stream));
    prints.then(|| format!("{}: prints around crates/cli/src/output", file.display()))
}

fn large(file: &Path) -> Option<String> {
    let size = std::fs::metadata(workspace::root().join(file)).ok()?.len();
    let listed = LARGE_FILES.iter().any(|(name, _)| file == Path::new(name));
    (size > MAX_FILE_BYTES && !listed)
        .then(|| format!("{}: {size} bytes, at most {MAX_FILE_BYTES}", file.display()))
}
