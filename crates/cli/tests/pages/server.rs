//! A server that a page starts.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing takes as long, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a free port; ends with the value.
pub struct Server {
    process: Child,
    log: Receiver<String>,
    /// The lines of the log so far.
    pub logged: Vec<String>,
    pub port: u16,
}

impl Server {
    /// Starts a server and waits until it is ready.
    pub fn start(mut command: Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let (heard, log) = channel();
        // Reads to the end: a log that nobody reads would stop the server.
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| drop(heard.send(line)));
        });
        let mut server = Self { process, log, logged: Vec::new(), port: 0 };
        let ready = server.wait_for("endpoint");
        let (_, rest) = ready.split_once("http://").expect("the line names the endpoint");
        let address = rest.split('"').next().unwrap_or_default();
        server.port = address.rsplit(':').next().unwrap_or_default().parse().unwrap();
        server
    }

    /// Waits for a line of the log that contains the text.
    pub fn wait_for(&mut self, text: &str) -> String {
        loop {
            match self.log.recv_timeout(PATIENCE) {
                Ok(line) => {
                    self.logged.push(line.clone());
                    if line.contains(text) {
                        return line;
                    }
                }
                Err(error) => panic!("no {text:?} ({error}):\n{}", self.logged.join("\n")),
            }
        }
    }

    /// Returns what the server has printed, once it has ended.
    pub fn printed(&mut self) -> String {
        let mut printed = String::new();
        let mut stdout = self.process.stdout.take().expect("is asked for once");
        stdout.read_to_string(&mut printed).unwrap();
        printed
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("a process has an id"), signal).unwrap();
    }

    /// Waits for the end, and returns the exit code; that is `None` for a process that was killed.
    pub fn ended(&mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }

    /// Ends the server as an operator does.
    pub fn stop(&mut self) {
        self.signal(Signal::TERM);
        assert_eq!(self.ended(), Some(0), "{}", self.logged.join("\n"));
    }

    /// Returns the status and the body of the answer to a GET.
    pub fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a head has a status"), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends it if the walk has not.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
