//! A shell on a terminal of its own, as a person sits at it.

use pty_process::{Size, blocking};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing takes as long, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shell on a terminal of its own.
pub struct Terminal {
    child: Child,
    pty: blocking::Pty,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    /// Starts the shell on a terminal with so many columns and lines.
    pub fn start(home: &Path, arguments: &[&str], columns: u16, lines: u16) -> Self {
        let (pty, other_end) = blocking::open().unwrap();
        pty.resize(Size::new(lines, columns)).unwrap();
        let mut command = blocking::Command::new(env!("CARGO_BIN_EXE_hashrange"));
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["HASHRANGE_", "AWS_", "XDG_"].iter().any(|prefix| text.starts_with(prefix)) {
                command = command.env_remove(&name);
            }
        }
        let command = command.env("HOME", home).env("TERM", "xterm").env("NO_COLOR", "1");
        let child = command.arg("sql").args(arguments).spawn(other_end).unwrap();
        let (heard, output) = channel();
        let reading = rustix_clone(&pty);
        std::thread::spawn(move || read_on(reading, &heard));
        Self { child, pty, output, seen: String::new() }
    }

    /// Types a text.
    pub fn send(&mut self, text: &str) {
        self.pty.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the text has come, and forgets what came before it.
    pub fn expect(&mut self, text: &str) -> String {
        loop {
            if let Some(found) = self.seen.find(text) {
                let rest = self.seen.split_off(found + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("{text:?} has not come ({error}), but {:?}", self.seen),
            }
        }
    }

    /// Types a line, and waits for the answer and the next prompt.
    pub fn run(&mut self, line: &str, answer: &str) {
        self.send(&format!("{line}\r"));
        self.expect(answer);
        self.expect("sql> ");
    }

    /// Waits for its end, and returns the exit code.
    pub fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Ends it if a test has not.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn rustix_clone(pty: &blocking::Pty) -> std::fs::File {
    use std::os::fd::AsFd;
    pty.as_fd().try_clone_to_owned().unwrap().into()
}

fn read_on(mut reading: std::fs::File, heard: &std::sync::mpsc::Sender<Vec<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = reading.read(&mut bytes) {
        if heard.send(bytes[..length].to_vec()).is_err() {
            return;
        }
    }
}
