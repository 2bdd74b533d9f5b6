//! Lays the functions that a server runs when it starts beside each other in the program, so that an
//! idle server has few pages of it in memory and the start waits for few of them
//! (docs/adr/0009-functions-of-the-start-side-by-side.md).
//!
//! `start-functions.txt` has the names of their sections; `cargo xtask start-functions` writes it. They
//! reach the linker as a script that adds a section before the rest of the code. A linker that refuses it,
//! which is tried on a program of nothing, lays out the program as ever. So it does where the program is
//! not optimised as one, as in profile `dist`: functions are others there, three times as many, and to
//! find them takes the linker longer.

#![expect(
    clippy::disallowed_methods,
    reason = "Cargo tells a build script all it needs in the environment"
)]

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

const LIST: &str = "start-functions.txt";
/// Where the linker is to tell what lies where in a program in its own order, for who writes the list:
/// valgrind knows one section of code in a program.
const MAP: &str = "HASHRANGE_LINK_MAP";
const PROBE: &str = "fn main() {}\n";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={LIST}");
    println!("cargo:rerun-if-env-changed={MAP}");
    if required("OPT_LEVEL")? != "3" || required("CARGO_CFG_TARGET_OS")? != "linux" {
        return Ok(());
    }
    if let Ok(map) = env::var(MAP) {
        println!("cargo:rustc-link-arg-bin=hashrange=-Wl,-Map={map}");
        return Ok(());
    }
    let folder = required("OUT_DIR")?;
    let folder = Path::new(&folder);
    let script = folder.join("start-functions.ld");
    fs::write(&script, linker_script(&fs::read_to_string(LIST)?))?;
    let argument = format!("-Wl,-T,{}", script.display());
    if is_taken(&argument, folder)? {
        println!("cargo:rustc-link-arg-bin=hashrange={argument}");
    }
    Ok(())
}

/// Returns a script that adds a section of the named functions to the linker's own layout. The compiler
/// puts each function into a section of its name.
fn linker_script(list: &str) -> String {
    let mut script = "SECTIONS {\n.text.start : {\n".to_owned();
    for name in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        _ = writeln!(script, "*(.text.{name})");
    }
    script + "}\n} INSERT BEFORE .text;\n"
}

/// Whether the linker of this build makes a program with this argument.
fn is_taken(argument: &str, folder: &Path) -> io::Result<bool> {
    let source = folder.join("probe.rs");
    fs::write(&source, PROBE)?;
    let mut compiler = Command::new(required("RUSTC")?);
    compiler.arg("--target").arg(required("TARGET")?);
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut flag = OsString::from("-Clinker=");
        flag.push(linker);
        compiler.arg(flag);
    }
    compiler.arg(format!("-Clink-arg={argument}"));
    compiler.arg("-o").arg(folder.join("probe")).arg(source);
    let status = compiler.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(status.success())
}

fn required(name: &str) -> io::Result<OsString> {
    let missing = || io::Error::other(format!("{name} is not set; Cargo sets it"));
    env::var_os(name).ok_or_else(missing)
}
