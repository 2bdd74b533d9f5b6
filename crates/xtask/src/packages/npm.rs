//! The npm packages: one that everybody installs, and one for each platform that holds the program.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{folder, sources};
use crate::command::{output, program, run};
use crate::fetched::{copy, copy_files, copy_folder, create_folder, empty_folder, once, write};
use crate::prerequisites;
use crate::workspace;

/// Jest configuration of the pages.
const PAGE_JEST: &str = "page-jest/jest.config.js";
const TEST_LISTS: [&str; 2] = ["package.json", "package-lock.json"];

/// Fetches vitest, jest and the SDK.
pub fn prepare() -> Result<(), String> {
    let lists = TEST_LISTS.map(|name| sources("npm/tests").join(name));
    once(&fresh(), &lists, || {
        prerequisites::check_node()?;
        copy_files(&lists, &fresh())?;
        // Not `npm ci`, which refuses a list that lacks the optional packages of other systems.
        run(npm(&["install", "--no-save"]).current_dir(fresh()))
    })
}

/// Packs both packages around a program and returns the paths of the archives.
pub fn pack(program: &Path, into: &Path) -> Result<Vec<PathBuf>, String> {
    let main = folder().join("npm/hashrange");
    empty_folder(&main)?;
    copy_folder(&sources("npm/hashrange"), &main)?;
    let manifest = read_manifest(&main.join("package.json"))?;
    let platform = folder().join("npm/platform");
    empty_folder(&platform.join("bin"))?;
    copy(program, &platform.join("bin/hashrange"))?;
    let text = format!("{:#}\n", platform_manifest(&manifest)?);
    write(&platform.join("package.json"), text)?;
    let packed = [pack_one(&main, into)?, pack_one(&platform, into)?];
    Ok(packed.into())
}

/// Installs the archives apart from our other files, and runs the package's tests there.
pub fn test(archives: &[PathBuf]) -> Result<(), String> {
    let fresh = fresh();
    let modules = fresh.join("node_modules");
    empty_folder(&modules.join("hashrange"))?;
    empty_folder(&modules.join("@hashrange"))?;
    run(npm(&["install", "--no-save", "--offline"]).args(archives).current_dir(&fresh))?;
    for name in ["server.test.mjs", "tsconfig.json"] {
        copy(&sources("npm/tests").join(name), &fresh.join(name))?;
    }
    for name in ["vitest", "jest", "page-vitest", "page-jest"] {
        empty_folder(&fresh.join(name))?;
        copy_folder(&sources("npm/tests").join(name), &fresh.join(name))?;
    }
    let commands: [&[&str]; 8] = [
        &["node", "--test", "--test-reporter=dot", "server.test.mjs"],
        &["npx", "--no-install", "tsc"],
        &["npx", "--no-install", "vitest", "run", "--root", "vitest"],
        &[
            "npx",
            "--no-install",
            "vitest",
            "run",
            "--root",
            "vitest",
            "--config",
            "with-arguments.config.mts",
        ],
        &["npx", "--no-install", "jest", "--rootDir", "jest", "--config", "jest/jest.config.js"],
        &[
            "npx",
            "--no-install",
            "jest",
            "--rootDir",
            "jest",
            "--config",
            "jest/with-arguments.config.js",
        ],
        &["npx", "--no-install", "vitest", "run", "--root", "page-vitest"],
        &["npx", "--no-install", "jest", "--rootDir", "page-jest", "--config", PAGE_JEST],
    ];
    for command in commands {
        let (name, arguments) = command.split_first().expect("each command has a name");
        run(program(name.as_ref(), arguments).current_dir(&fresh))?;
    }
    Ok(())
}

/// Returns the manifest of this machine's platform, as esbuild and others have theirs.
fn platform_manifest(main: &Value) -> Result<Value, String> {
    let (name, os, cpu) = platform()?;
    let wanted = &main["optionalDependencies"][&name];
    if wanted != &main["version"] {
        return Err(format!(
            "packages/npm/hashrange/package.json does not ask for {name} {}",
            main["version"]
        ));
    }
    Ok(json!({
        "name": name,
        "version": main["version"],
        "description": format!("The program of the package hashrange for {os} {cpu}"),
        "license": main["license"],
        "os": [os],
        "cpu": [cpu],
        "preferUnplugged": true,
        "files": ["bin", "LICENSE", "NOTICE"],
    }))
}

/// Returns the name of the platform's package, and npm's names of its system and processor.
fn platform() -> Result<(String, &'static str, &'static str), String> {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        "linux" => "linux",
        other => return Err(format!("there is no npm package for {other}")),
    };
    let cpu = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("there is no npm package for {other}")),
    };
    Ok((format!("@hashrange/{os}-{cpu}"), os, cpu))
}

fn pack_one(package: &Path, into: &Path) -> Result<PathBuf, String> {
    for name in ["LICENSE", "NOTICE"] {
        copy(&workspace::root().join(name), &package.join(name))?;
    }
    create_folder(into)?;
    let mut pack = npm(&["pack", "--json", "--pack-destination"]);
    let told = output(pack.arg(into).current_dir(package))?;
    let told: Value = serde_json::from_str(&told).map_err(|error| format!("npm pack: {error}"))?;
    let name = told[0]["filename"].as_str().ok_or("npm pack names no file")?;
    Ok(into.join(name))
}

fn read_manifest(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("read {}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn npm(arguments: &[&str]) -> std::process::Command {
    let quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    let mut npm = program("npm".as_ref(), &quiet);
    npm.args(arguments);
    npm
}

fn fresh() -> PathBuf {
    folder().join("npm/fresh")
}
