//! The web console: its files, compressed, and its first page, which is made for each answer.
//!
//! The sources are in `console/`; `console/built` is committed, so that `cargo build` needs no Node.
//!
//! Left to others: serving the files over HTTP, and the operations that the console calls.
//!
//! Invariants: the policy of [`Shell`] lets no script run but those of the files; every text of [`Setup`] is escaped.
//!
//! Source: Content Security Policy Level 3, W3C.
#![forbid(unsafe_code)]

use serde::Serialize;
use std::fmt::Write;

/// Path below which the console is served.
pub const PATH: &str = "/console";

/// A file of the console.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its name below [`PATH`].
    pub name: &'static str,
    /// Tag of its content: another content has another tag.
    pub tag: &'static str,
    /// Its content, compressed by gzip.
    pub gzip: &'static [u8],
}

const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

impl File {
    /// Returns the file of a name; none if there is none.
    pub fn find(name: &str) -> Option<&'static Self> {
        FILES.iter().find(|file| file.name == name)
    }

    /// Returns all files.
    pub fn all() -> &'static [Self] {
        FILES
    }

    /// Returns its type, as `Content-Type` has it.
    pub fn content_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        }
    }
}

/// Facts about the server that the first page has for its scripts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Setup {
    /// Version of the program.
    pub version: String,
    /// Endpoint to which the page's server passes requests on; none if it answers them itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// True if the page's server signs requests.
    pub signs: bool,
    /// True if requests must be signed with keys that the user types in.
    pub needs_keys: bool,
    /// Region of the endpoint.
    pub region: String,
    /// Text of the operator that the page always shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banner: Option<String>,
    /// True if each access key has tables of its own.
    pub namespaces: bool,
}

/// The first page of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// The page, in HTML.
    pub html: String,
    /// Its `Content-Security-Policy`.
    pub policy: String,
}

impl Shell {
    /// Returns the page. `nonce` is a number that nobody can guess, in letters and digits, new for each page.
    pub fn new(setup: &Setup, nonce: &str) -> Self {
        let setup = serde_json::to_string(setup).unwrap_or_default();
        let html = include_str!("shell.html")
            .replace("{nonce}", nonce)
            .replace("{setup}", &escaped(&setup));
        let policy = include_str!("policy.txt").trim().replace("{nonce}", nonce);
        Self { html, policy }
    }
}

/// Returns a text for the value of an attribute of HTML in double quotes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '"' | '<' | '>' | '\'' => {
                write!(escaped, "&#{};", u32::from(character)).unwrap_or_default();
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_attribute() {
        let banner = "\"><script nonce={nonce}>alert('&')</script>{setup}".to_owned();
        let setup = Setup { banner: Some(banner), ..Setup::default() };
        let shell = Shell::new(&setup, "abc123");
        assert_eq!(shell.html.matches("<script").count(), 1, "{}", shell.html);
        assert_eq!(shell.html.matches("nonce=\"abc123\"").count(), 1, "{}", shell.html);
        assert!(shell.policy.contains("script-src 'nonce-abc123'"), "{}", shell.policy);
        assert!(!shell.policy.contains("unsafe"), "{}", shell.policy);
    }

    #[test]
    fn the_first_page_names_files_that_are_there() {
        let shell = Shell::new(&Setup::default(), "n").html;
        for file in File::all() {
            assert!(!file.gzip.is_empty() && !file.tag.is_empty(), "{}", file.name);
        }
        for name in ["console.js", "console.css"] {
            assert!(shell.contains(&format!("{PATH}/{name}\"")), "{name}");
            assert!(File::find(name).is_some(), "{name}");
        }
        assert_eq!(
            File::find("console.js").map(File::content_type),
            Some("text/javascript; charset=utf-8")
        );
    }
}
