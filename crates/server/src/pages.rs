//! Files for browsers, which a server has beside its API.

use bytes::Bytes;
use std::fmt;

/// Files that a server has for browsers.
pub trait Pages: fmt::Debug + Send + Sync {
    /// Returns what is at a path; none if nothing is.
    fn find(&self, path: &str) -> Option<Page>;
}

/// Answer to the request for a path.
#[derive(Debug, Clone)]
pub enum Page {
    /// The file is at this path instead.
    Moved(&'static str),
    /// A file.
    File(PageFile),
}

/// A file.
#[derive(Debug, Clone)]
pub struct PageFile {
    /// Its type.
    pub content_type: &'static str,
    /// Its content.
    pub body: Bytes,
    /// True if the content is compressed by gzip.
    pub is_gzip: bool,
    /// Tag of the content, without quotes; none for a file that is made for each request.
    pub tag: Option<&'static str>,
    /// Further headers, with names in small letters.
    pub headers: Vec<(&'static str, String)>,
}
