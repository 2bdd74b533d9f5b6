//! The web console at `/console` of a server.

use crate::surroundings;
use bytes::Bytes;
use hashrange_console::{File, PATH, Setup, Shell};
use hashrange_server::{Page, PageFile, Pages};

/// Path of the first page.
const SHELL: &str = "/console/";

/// The files of the console, with what its first page is told about the server.
#[derive(Debug)]
pub struct Console(Setup);

impl Console {
    /// Returns the console of a server.
    pub fn new(setup: Setup) -> Self {
        Self(setup)
    }

    /// Returns the address of the first page of a server that listens on an address.
    pub fn url(address: std::net::SocketAddr) -> String {
        let port = address.port();
        if address.ip().is_unspecified() || address.ip().to_canonical().is_loopback() {
            return format!("http://localhost:{port}{SHELL}");
        }
        format!("http://{address}{SHELL}")
    }
}

impl Pages for Console {
    fn find(&self, path: &str) -> Option<Page> {
        let rest = path.strip_prefix(PATH)?;
        match rest.strip_prefix('/') {
            None => rest.is_empty().then_some(Page::Moved(SHELL)),
            Some("") => Some(Page::File(shell(&self.0))),
            Some(name) => File::find(name).map(|file| Page::File(page_of(file))),
        }
    }
}

fn shell(setup: &Setup) -> PageFile {
    let nonce = format!("{:016x}{:016x}", surroundings::random(), surroundings::random());
    let Shell { html, policy } = Shell::new(setup, &nonce);
    PageFile {
        content_type: "text/html; charset=utf-8",
        body: html.into(),
        is_gzip: false,
        tag: None,
        headers: vec![
            ("content-security-policy", policy),
            ("referrer-policy", "no-referrer".to_owned()),
        ],
    }
}

fn page_of(file: &'static File) -> PageFile {
    PageFile {
        content_type: file.content_type(),
        body: Bytes::from_static(file.gzip),
        is_gzip: true,
        tag: Some(file.tag),
        headers: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_console() {
        let console = Console::new(Setup::default());
        let found = |path: &str| match console.find(path) {
            None => "nothing".to_owned(),
            Some(Page::Moved(to)) => format!("moved to {to}"),
            Some(Page::File(file)) => file.content_type.to_owned(),
        };
        for (path, expected) in [
            ("/console", "moved to /console/"),
            ("/console/", "text/html; charset=utf-8"),
            ("/console/console.js", "text/javascript; charset=utf-8"),
            ("/console/console.css", "text/css; charset=utf-8"),
            ("/console/LICENSES.txt", "text/plain; charset=utf-8"),
            ("/console/../console.js", "nothing"),
            ("/console//console.js", "nothing"),
            ("/consoles", "nothing"),
            ("/", "nothing"),
        ] {
            assert_eq!(found(path), expected, "{path}");
        }
    }
}
