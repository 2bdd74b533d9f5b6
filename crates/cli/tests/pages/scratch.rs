//! A place where nobody has been: a home, an empty folder to work in, and `hashrange` on the path.
//!
//! Nothing of whoever runs the tests is a setting there. Commands find the server of the walk by
//! `HASHRANGE_ENDPOINT`; a server that they start takes a free port.

use super::server::Server;
use hashrange_samples::page;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Programs that the tests with real clients fetch or need.
const FETCHED: [&str; 3] = ["aws", "node", "python3"];
/// Begin the names of variables that are settings.
const SETTINGS: [&str; 3] = ["HASHRANGE_", "AWS_", "XDG_"];

/// A scratch folder.
pub struct Scratch {
    folder: tempfile::TempDir,
    /// Further variables of every command.
    variables: Vec<(String, String)>,
}

/// What a command ended with.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Returns what a command has printed that succeeded.
    pub fn printed(self, command: &str) -> String {
        assert_eq!(self.code, 0, "{command}\n{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

impl Scratch {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "bin", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_hashrange"), folder.path().join("bin/hashrange")).unwrap();
        Self { folder, variables: Vec::new() }
    }

    /// Returns the folder in which commands run.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file that the reader of the page has.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Gives every further command a variable.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Lets every further command talk to the server.
    pub fn use_server(&mut self, server: &Server) {
        self.set("HASHRANGE_ENDPOINT", &format!("http://127.0.0.1:{}", server.port));
    }

    /// Returns whether a program is installed. A page's commands of one that is not are left out, but
    /// none of those that are fetched, where `HASHRANGE_PAGES=whole` says that they were.
    pub fn has(&self, program: &str) -> bool {
        let is_there = match program {
            // With the packages that pages import.
            "python3" => "python3 -c 'import boto3, pytest'",
            _ => &format!("command -v {program}"),
        };
        let is_there = self.sh(is_there).code == 0;
        let is_whole = std::env::var_os("HASHRANGE_PAGES").is_some_and(|value| value == "whole");
        assert!(is_there || !is_whole || !FETCHED.contains(&program), "{program} is not there");
        is_there
    }

    /// Returns a command that runs here.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if SETTINGS.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        command.env("PATH", self.search_path()).env("HOME", self.home()).current_dir(self.work());
        command.env("HASHRANGE_PORT", "0").envs(self.variables.iter().cloned());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns our own command with the words of a plain command line that begins with `hashrange`.
    pub fn hashrange(&self, line: &str) -> Command {
        let words = page::words(line).unwrap_or_else(|| panic!("not plain: {line}"));
        let (program, arguments) = words.split_first().expect("a command has words");
        assert_eq!(program, "hashrange", "{line}");
        let mut command = self.command(env!("CARGO_BIN_EXE_hashrange"));
        command.args(arguments);
        command
    }

    /// Runs our own command and returns what it ends with.
    pub fn run(&self, line: &str) -> Ended {
        ended(self.hashrange(line), "")
    }

    /// Runs our own command with this on its standard input.
    pub fn run_on(&self, line: &str, input: &str) -> Ended {
        ended(self.hashrange(line), input)
    }

    /// Runs lines as a shell does that stops at the first one that fails.
    pub fn sh(&self, script: &str) -> Ended {
        let mut shell = self.command("sh");
        shell.args(["-e", "-c", script]);
        ended(shell, "")
    }

    /// Starts a server with a line that begins with `hashrange serve`.
    pub fn serve(&self, line: &str) -> Server {
        Server::start(self.hashrange(line))
    }

    /// The program itself, the AWS CLI of the tests with real clients if they were prepared, and what
    /// is installed.
    fn search_path(&self) -> OsString {
        let binary = Path::new(env!("CARGO_BIN_EXE_hashrange"));
        let target = binary.ancestors().nth(2).expect("a profile's folder in that of results");
        let mut folders = vec![self.folder.path().join("bin"), target.join("e2e/venv/bin")];
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        std::env::join_paths(folders).unwrap()
    }
}

/// Runs a command with this on its standard input.
pub fn ended(mut command: Command, input: &str) -> Ended {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let input = input.to_owned();
    // A command may end before it has read all.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let Output { status, stdout, stderr } = process.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
}
