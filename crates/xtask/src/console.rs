//! The web console: its packages, its build, a proof that the built files come from the sources, its tests in a
//! browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{ends_well_within, is_present, program, run, step};
use crate::conformance;
use crate::fetched::{empty_folder, is_fetched, once};
use crate::prerequisites;
use crate::terminal::say;
use crate::workspace;

/// The variable by which tests learn the browser.
const BROWSER_VARIABLE: &str = "CHROMIUM";
/// Names of the browser that drives the tests.
const BROWSERS: [&str; 2] = ["chromium", "chromium-browser"];

/// Builds the console into `console/built`.
pub fn build() -> Result<(), String> {
    fetch()?;
    run(&mut npm(&["run", "--silent", "build"]))
}

/// Tests the console: types, that the built files are those of the sources, unit tests, every screen in a browser.
pub fn test() -> Result<(), String> {
    let binary = conformance::build()?;
    test_with(&binary)
}

/// Tests the console of a program.
pub fn test_with(binary: &Path) -> Result<(), String> {
    step("prepare the console", fetch)?;
    step("the console: types, built files, unit tests", || {
        run(&mut npm(&["run", "--silent", "check"]))?;
        check_built()?;
        run(&mut npm(&["test", "--silent"]))
    })?;
    let Some(browser) = browser()? else {
        say(
            "=== the console in a browser is left out: no chromium, and no apt-get that may install it",
        );
        return Ok(());
    };
    step("the console in a browser", || run(driven("browser", binary, &browser).as_mut()))
}

/// Makes the pictures of the README and the pages from the running product.
pub fn pictures() -> Result<(), String> {
    let binary = conformance::build()?;
    fetch()?;
    let browser = browser()?.ok_or("pictures need chromium (Debian: apt install chromium)")?;
    run(driven("pictures", &binary, &browser).as_mut())
}

/// Returns one of the console's scripts that drive a browser.
fn driven(script: &str, binary: &Path, browser: &Path) -> Box<Command> {
    let mut command = npm(&["run", "--silent", script]);
    command.env("HASHRANGE", binary).env(BROWSER_VARIABLE, browser);
    command.env("SHOTS", workspace::target().join("console/pictures"));
    Box::new(command)
}

fn folder() -> PathBuf {
    workspace::root().join("console")
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = program("npm".as_ref(), arguments);
    command.current_dir(folder());
    command
}

/// Fetches the packages of the list.
fn fetch() -> Result<(), String> {
    let lists = ["package.json", "package-lock.json"].map(|name| folder().join(name));
    let stamp = workspace::target().join("console/packages");
    // The packages lie beside the sources, where a fresh clone has none.
    if !folder().join("node_modules").is_dir() && is_fetched(&stamp, &lists) {
        empty_folder(&stamp)?;
    }
    once(&stamp, &lists, || {
        prerequisites::check_node()?;
        run(&mut npm(&["ci", "--silent", "--no-audit", "--no-fund"]))
    })
}

/// Builds the console beside the committed files and compares the two.
fn check_built() -> Result<(), String> {
    let fresh = workspace::target().join("console/built");
    empty_folder(&fresh)?;
    run(program("node".as_ref(), &["build.mjs"]).arg(&fresh).current_dir(folder()))?;
    let (fresh, committed) = (files(&fresh)?, files(&folder().join("built"))?);
    if fresh == committed {
        return Ok(());
    }
    let names = fresh
        .iter()
        .chain(&committed)
        .filter(|file| !(fresh.contains(file) && committed.contains(file)));
    let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    Err(format!("console/built is not of its sources ({names}): cargo xtask console build"))
}

/// Returns the files of a folder, by name.
fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let bad = |error: std::io::Error| format!("read {}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(bad)? {
        let entry = entry.map_err(bad)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.push((name, fs::read(entry.path()).map_err(bad)?));
    }
    files.sort();
    Ok(files)
}

/// Returns the browser; installs it where the user may, from Debian's packages.
fn browser() -> Result<Option<PathBuf>, String> {
    if let Some(found) = found_browser() {
        return Ok(Some(found));
    }
    let is_root = ends_well_within(10, Command::new("sh").args(["-c", "test \"$(id -u)\" = 0"]));
    if !is_root || !is_present("apt-get", &["--version"]) {
        return Ok(None);
    }
    step("install chromium", || {
        let install = || {
            let mut command = Command::new("apt-get");
            command.args(["-qq", "install", "-y", "--no-install-recommends", "chromium"]);
            command.args(["fonts-dejavu-core"]);
            command.env("DEBIAN_FRONTEND", "noninteractive");
            command
        };
        if run(&mut install()).is_err() {
            run(Command::new("apt-get").args(["-qq", "update"]))?;
            run(&mut install())?;
        }
        Ok(())
    })?;
    Ok(found_browser())
}

fn found_browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(BROWSER_VARIABLE) {
        return Some(named.into());
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    let candidates = BROWSERS.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    candidates.into_iter().find(|path| path.is_file())
}
