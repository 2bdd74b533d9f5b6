//! Writes the list of the functions that a server runs until it is idle, which the program has side by
//! side (`crates/cli/build.rs`): callgrind tells the addresses that a start on a folder with a table, the
//! first answer and the end have run, and the linker's map whose they are.
//!
//! The program looked at is the one of profile `dist` as it is, which has no names of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::command::{cargo, is_present, program, run};
use crate::fetched::{empty_folder, write as write_file};
use crate::server::Server;
use crate::workspace;

const LIST: &str = "crates/cli/start-functions.txt";
const HEAD: &str = "\
# The sections of the functions that a server runs until it is idle, without what differs from build to
# build. Written by `cargo xtask start-functions`, read by build.rs.
";

/// Where the compiler puts functions that it takes for rarely run.
const RARE: &str = "unlikely.";

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
    let folder = workspace::target().join("start-functions");
    empty_folder(&folder)?;
    let (map, profile) = (folder.join("map"), folder.join("profile"));
    let mut build = cargo(&["build", "--profile", "dist", "--locked", "-p", "hashrange-cli"]);
    run(build.env("HASHRANGE_LINK_MAP", &map))?;
    let binary = workspace::target().join("dist/hashrange");
    let server = serve(Command::new(&binary), &folder)?;
    call(&binary, &server, "CreateTable", TABLE)?;
    call(&binary, &server, "PutItem", PUT)?;
    server.stop()?;
    let mut observed = Command::new("valgrind");
    observed.args(["--tool=callgrind", "--dump-instr=yes"]);
    observed.args(["--compress-pos=no", "--compress-strings=no"]);
    observed.arg(format!("--callgrind-out-file={}", profile.display())).arg(&binary);
    let server = serve(observed, &folder)?;
    call(&binary, &server, "GetItem", GET)?;
    std::thread::sleep(IDLE);
    server.stop()?;
    let names = names(&read(&map)?, &addresses(&read(&profile)?, &binary));
    let lines: Vec<String> = names.into_iter().collect();
    write_file(&workspace::root().join(LIST), format!("{HEAD}{}\n", lines.join("\n")))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("read {}: {error}", path.display()))
}

fn serve(mut command: Command, folder: &Path) -> Result<Server, String> {
    command.args(["serve", "--data-dir"]).arg(folder.join("data"));
    Server::run(command, folder.join("log"))
}

fn call(binary: &Path, server: &Server, operation: &str, request: &str) -> Result<(), String> {
    run(&mut program(binary, &["api", operation, request, "--endpoint", server.endpoint()]))
}

/// Returns the names of the sections in a map that have one of the addresses.
fn names(map: &str, addresses: &BTreeSet<u64>) -> BTreeSet<String> {
    let sections = sections(map);
    let name = |address: &u64| {
        let (start, (size, name)) = sections.range(..=address).next_back()?;
        (address - start < *size).then(|| pattern(name))?
    };
    addresses.iter().filter_map(name).collect()
}

/// Returns where the instructions in a profile are that are the program's own.
fn addresses(profile: &str, binary: &Path) -> BTreeSet<u64> {
    let binary = binary.to_string_lossy();
    let mut is_own = false;
    let mut addresses = BTreeSet::new();
    for line in profile.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            is_own = object == binary;
        } else if let Some(cost) = line.strip_prefix("0x").filter(|_| is_own) {
            let digits = cost.split(' ').next().unwrap_or_default();
            addresses.extend(u64::from_str_radix(digits, 16));
        }
    }
    addresses
}

/// Returns the sections of functions in a map of LLD's, by address, with size and name. A line of one is
/// `address address size alignment file:(section)`.
fn sections(map: &str) -> BTreeMap<u64, (u64, &str)> {
    let section = |line| {
        let (place, name) = str::split_once(line, ":(.text.")?;
        let mut numbers = place.split_ascii_whitespace();
        let mut hexadecimal = || u64::from_str_radix(numbers.next()?, 16).ok();
        let (address, _, size) = (hexadecimal()?, hexadecimal()?, hexadecimal()?);
        Some((address, (size, name.strip_suffix(')')?)))
    };
    map.lines().filter_map(section).collect()
}

/// Returns what all builds have of a section's name, or nothing for what the linker's script cannot tell.
fn pattern(name: &str) -> Option<String> {
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte);
    if !name.bytes().all(is_of_names) {
        return None;
    }
    let (rare, function) = name.strip_prefix(RARE).map_or(("", name), |name| (RARE, name));
    let pattern = function.starts_with("_R").then(|| without_crate_hashes(function)).flatten();
    Some(rare.to_owned() + &pattern.unwrap_or_else(|| function.to_owned()))
}

/// Takes the hashes of crates, and what the compiler has put after it, off a name of Rust's: `Cs`, digits
/// and letters, `_`.
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
    fn addresses_are_those_of_the_program() {
        let profile = "\
ob=/usr/lib/libc.so.6
fn=malloc
0x10 0 2
ob=/b/hashrange
fn=0x20
0x20 0 3
cob=/usr/lib/libc.so.6
cfn=free
calls=3 0x11 0
0x2f 0 696
";
        assert_eq!(addresses(profile, Path::new("/b/hashrange")), BTreeSet::from([0x20, 0x2f]));
    }

    #[test]
    fn sections_are_read_from_a_map() {
        let map = "\
             VMA              LMA     Size Align Out     In      Symbol
           4b64b0           4b64b0       b9    16         /c/crtbeginS.o:(.text)
           4b6570           4b6570       27    16         /b/a-cgu.0.rcgu.o:(.text.main)
           4b6570           4b6570       27     1                 main
           4b65a0           4b65a0       1c    16         /b/a-cgu.0.rcgu.o:(.text.unlikely._ZN1a1b17h0E)
";
        let wanted = [(0x4b_6570, (0x27, "main")), (0x4b_65a0, (0x1c, "unlikely._ZN1a1b17h0E"))];
        assert_eq!(sections(map), BTreeMap::from(wanted));
        assert_eq!(names(map, &[0x4b_64b1, 0x4b_6596].into()), ["main".to_owned()].into());
    }

    #[test]
    fn names_are_without_hashes() {
        let cases = [
            ("_rjem_je_sc_boot", "_rjem_je_sc_boot"),
            (
                "unlikely._RNvMs1_NtCs4fqI2P2rA04_5fjall2dbNtB5_8Database7recover.llvm.7318",
                "unlikely._RNvMs1_NtCs*_5fjall2dbNtB5_8Database7recover*",
            ),
            (
                "_RNvNtCsjrHSEGnQ3l9_3std2rt10lang_startCs4fqI2P2rA04_9hashrange",
                "_RNvNtCs*_3std2rt10lang_startCs*_9hashrange",
            ),
            (
                "_RNvNtCslNYArtu3iFV_5alloc5boxed14box_new_uninit.9601",
                "_RNvNtCs*_5alloc5boxed14box_new_uninit*",
            ),
        ];
        for (name, wanted) in cases {
            assert_eq!(pattern(name).as_deref(), Some(wanted), "{name}");
        }
        assert_eq!(pattern("a(b)"), None);
    }
}
