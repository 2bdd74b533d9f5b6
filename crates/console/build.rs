//! Compresses the built files of the console (`console/built`) and lists them for the program.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let out = variable("OUT_DIR");
    let built = variable("CARGO_MANIFEST_DIR").join("../../console/built");
    println!("cargo::rerun-if-changed={}", built.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(&built)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut list = String::from("[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
        let plain = fs::read(file)?;
        fs::write(out.join(format!("{name}.gz")), compressed(&plain)?)?;
        let tag = crc32fast::hash(&plain);
        let content = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.gz\"))");
        let entry =
            format!("name: \"{name}\", tag: \"{tag:08x}-{}\", gzip: {content}", plain.len());
        writeln!(list, "File {{ {entry} }},").map_err(io::Error::other)?;
    }
    list.push(']');
    fs::write(out.join("files.rs"), list)
}

#[expect(clippy::disallowed_methods, reason = "a build script gets its folders in variables")]
fn variable(name: &str) -> PathBuf {
    Path::new(&env::var_os(name).unwrap_or_default()).to_owned()
}

fn compressed(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}
