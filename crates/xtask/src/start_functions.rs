//! Writes the list of the functions that a server runs until it is idle, which the program has side by
//! side (`crates/cli/build.rs`): as callgrind sees them from a start on a folder with a table, over the
//! first answer, to the end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::command::{cargo, is_present, program, run};
use crate::fetched::{empty_folder, write as write_file};
use crate::server::Server;
use crate::workspace;

const LIST: &str = "crates/cli/start-functions.txt";
const HEAD: &str = "\
# The functions that a server runs until it is idle, as the linker knows them, without what differs from
# build to build. Written by `cargo xtask start-functions`, read by build.rs.
";

/// Long enough, also under callgrind, for what a server does when it has nothing to do.
const IDLE: Duration = Duration::from_secs(5);

const TABLE: &str = r#"{"TableName":"table","BillingMode":"PAY_PER_REQUEST",
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
        {"AttributeName":"sk","AttributeType":"S"}]}"#;
const PUT: &str = r#"{"TableName":"table","Item":{"pk":{"S":"p"},"sk":{"S":"s"},"n":{"N":"1"}}}"#;
const GET: &str = r#"{"TableName":"table","Key":{"pk":{"S":"p"},"sk":{"S":"s"}}}"#;

/// Builds the program, looks at a start of it, and writes the list.
pub fn write() -> Result<(), String> {
    if !is_present("valgrind", &["--version"]) {
        return Err("this needs valgrind (Debian: apt install valgrind)".into());
    }
    let binary = build()?;
    let folder = workspace::target().join("start-functions");
    empty_folder(&folder)?;
    let server = serve(Command::new(&binary), &folder)?;
    call(&binary, &server, "CreateTable", TABLE)?;
    call(&binary, &server, "PutItem", PUT)?;
    server.stop()?;
    let profile = folder.join("profile");
    let mut observed = Command::new("valgrind");
    observed.args(["--tool=callgrind", "--demangle=no", "--compress-strings=no"]);
    observed.arg(format!("--callgrind-out-file={}", profile.display())).arg(&binary);
    let server = serve(observed, &folder)?;
    call(&binary, &server, "GetItem", GET)?;
    std::thread::sleep(IDLE);
    server.stop()?;
    let profile = std::fs::read_to_string(&profile)
        .map_err(|error| format!("read {}: {error}", profile.display()))?;
    let lines: Vec<String> = names(&profile, &binary).into_iter().collect();
    write_file(&workspace::root().join(LIST), format!("{HEAD}{}\n", lines.join("\n")))
}

/// Builds the program as releases have it, but with names.
fn build() -> Result<PathBuf, String> {
    let mut build = cargo(&["rustc", "--profile", "dist", "--locked", "-p", "hashrange-cli"]);
    run(build.args(["--bin", "hashrange", "--", "-C", "strip=none"]))?;
    Ok(workspace::target().join("dist/hashrange"))
}

fn serve(mut command: Command, folder: &Path) -> Result<Server, String> {
    command.args(["serve", "--data-dir"]).arg(folder.join("data"));
    Server::run(command, folder.join("log"))
}

fn call(binary: &Path, server: &Server, operation: &str, request: &str) -> Result<(), String> {
    run(&mut program(binary, &["api", operation, request, "--endpoint", server.endpoint()]))
}

/// Returns the names in a profile of the functions that are the program's own.
fn names(profile: &str, binary: &Path) -> BTreeSet<String> {
    let binary = binary.to_string_lossy();
    let mut is_own = false;
    let mut names = BTreeSet::new();
    for line in profile.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            is_own = object == binary;
        } else if let Some(name) = line.strip_prefix("fn=").filter(|_| is_own) {
            names.extend(pattern(name));
        }
    }
    names
}

/// Returns what all builds have of a function's name, or nothing for what is no name.
fn pattern(name: &str) -> Option<String> {
    // Callgrind numbers what calls itself.
    let name = name.split('\'').next()?;
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte);
    if !name.bytes().all(is_of_names) || name.starts_with("0x") {
        return None;
    }
    let pattern = match name {
        older if older.starts_with("_ZN") => without_hash(older),
        newer if newer.starts_with("_R") => without_crate_hashes(newer),
        _ => None,
    };
    pattern.or_else(|| Some(name.to_owned()))
}

/// Takes the hash, and what the compiler has put after it, off a name in Rust's older form: `17h`, sixteen
/// digits, `E`.
fn without_hash(name: &str) -> Option<String> {
    let (path, hash) = name.rsplit_once("17h")?;
    (hash.as_bytes().get(16) == Some(&b'E')).then(|| format!("{path}17h*"))
}

/// Takes the hashes of crates, and what the compiler has put after it, off a name in Rust's newer form:
/// `Cs`, digits and letters, `_`.
fn without_crate_hashes(name: &str) -> Option<String> {
    let (name, end) = name.split_once('.').map_or((name, ""), |(name, _)| (name, "*"));
    let mut parts = name.split("Cs");
    let mut pattern = parts.next()?.to_owned();
    for part in parts {
        let (_hash, rest) = part.split_once('_')?;
        pattern.extend(["Cs*_", rest]);
    }
    Some(pattern + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_programs_own_and_without_hashes() {
        let profile = "\
ob=/usr/lib/libc.so.6
fn=malloc
1 2
ob=/b/hashrange
fn=_ZN5tokio7runtime7builder7Builder5build17h588b04dd2a6c15b5E
cob=/usr/lib/libc.so.6
cfn=free
fn=_ZN5fjall2db8Database7recover17hc8bfd5538790da4fE.llvm.7318
fn=_RNvNtCsjrHSEGnQ3l9_3std2rt10lang_startCs4fqI2P2rA04_9hashrange'2
fn=_RNvNtCslNYArtu3iFV_5alloc5boxed14box_new_uninit.9601
fn=_rjem_je_sc_boot
fn=(below main)
fn=0x00000000004b6560
";
        let wanted = [
            "_RNvNtCs*_3std2rt10lang_startCs*_9hashrange",
            "_RNvNtCs*_5alloc5boxed14box_new_uninit*",
            "_ZN5fjall2db8Database7recover17h*",
            "_ZN5tokio7runtime7builder7Builder5build17h*",
            "_rjem_je_sc_boot",
        ];
        let found = names(profile, Path::new("/b/hashrange"));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), wanted);
    }
}
