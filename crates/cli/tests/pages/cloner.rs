//! The first-time cloner: every command of the README, in its order, in a repository whose status stays
//! clean.
//!
//! `cargo install` and `cargo xtask test` are not run: the program of the tests is built already.

use super::compared::{Compared, root};
use super::scratch::Scratch;
use super::server::Server;
use hashrange_samples::page;

/// The commands of the page that the tests do not run.
const CARGO: [&str; 2] = ["cargo install --locked --path crates/cli", "cargo xtask test"];

/// A walk along the page.
struct Walk {
    scratch: Scratch,
    server: Option<Server>,
    /// Output of the last command.
    printed: Option<String>,
    /// Lines that cargo would run.
    cargo: Vec<String>,
}

impl Walk {
    fn begin() -> Self {
        let scratch = Scratch::new();
        let ignored = std::fs::read_to_string(root().join(".gitignore")).unwrap();
        scratch.write(".gitignore", &ignored);
        let made = "git init -q && git add . && \
                    git -c user.name=x -c user.email=x@example.com commit -q -m begin";
        scratch.sh(made).printed(made);
        Self { scratch, server: None, printed: None, cargo: Vec::new() }
    }

    /// Runs each line of a fence.
    fn step(&mut self, body: &str) {
        for line in body.lines() {
            if line.starts_with("cargo ") {
                self.cargo.push(line.to_owned());
            } else if line.starts_with("hashrange serve ") {
                self.serve(line);
            } else {
                self.printed = Some(self.scratch.run(line).printed(line));
            }
        }
    }

    fn serve(&mut self, line: &str) {
        let server = self.scratch.serve(line);
        self.scratch.use_server(&server);
        assert!(server.logged.iter().any(|line| line.contains("sample loaded")));
        self.server = Some(server);
    }
}

#[test]
fn every_command_in_order() {
    let page = Compared::read("README.md");
    let mut walk = Walk::begin();
    let mut printed = Vec::new();
    for fence in page::fences(&page.written) {
        match fence.kind {
            "sh" => walk.step(fence.body),
            "text" => printed.push((fence.range, walk.printed.take().expect("a command before"))),
            kind => panic!("nobody has walked this: {kind} {}", fence.body),
        }
    }
    assert_eq!(walk.cargo, CARGO);
    let status = "git status --porcelain";
    assert_eq!(walk.scratch.sh(status).printed(status), "");
    let mut server = walk.server.expect("the page starts a server");
    server.stop();
    let told = server.printed();
    assert!(told.contains("aws dynamodb query"), "it tells what to type next: {told}");
    page.end(printed);
}
