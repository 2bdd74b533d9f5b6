//! Answers with files for browsers, to GET and HEAD from any client by a name of the server.
//!
//! Source: RFC 9110 sections 8.8.3 (entity tags) and 15.4.5 (304), RFC 9111 (no-cache: ask each time).

use crate::answer::Answer;
use crate::content_coding::Coding;
use crate::pages::{Page, PageFile};
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Largest file before compression, in bytes.
const FILE_MAX_BYTES: usize = 4 << 20;

/// Returns the answer to a request with these headers.
pub fn answer(page: Page, asked: &HeaderMap) -> Answer {
    match page {
        Page::Moved(path) => {
            let mut answer = Answer::new(StatusCode::PERMANENT_REDIRECT, Bytes::new());
            answer.extra.push((header::LOCATION, HeaderValue::from_static(path)));
            answer
        }
        Page::File(file) => of_file(file, asked),
    }
}

fn of_file(file: PageFile, asked: &HeaderMap) -> Answer {
    let tag = file.tag.map(|tag| format!("\"{tag}\""));
    let known = asked.get(header::IF_NONE_MATCH).map(HeaderValue::as_bytes);
    let mut answer = if tag.is_some() && known == tag.as_deref().map(str::as_bytes) {
        Answer::new(StatusCode::NOT_MODIFIED, Bytes::new())
    } else {
        whole(&file, asked)
    };
    let kept = if tag.is_some() { "no-cache" } else { "no-store" };
    let fixed = [
        (header::CACHE_CONTROL, kept.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::VARY, "accept-encoding".to_owned()),
    ];
    let tag = tag.map(|tag| (header::ETAG, tag));
    let own = file.headers.into_iter().map(|(name, text)| (HeaderName::from_static(name), text));
    for (name, text) in fixed.into_iter().chain(tag).chain(own) {
        if let Ok(value) = HeaderValue::try_from(text) {
            answer.extra.push((name, value));
        }
    }
    answer
}

/// Returns a file with its content, without compression for a client that does not take it.
fn whole(file: &PageFile, asked: &HeaderMap) -> Answer {
    let content_type = HeaderValue::from_static(file.content_type);
    let answer = |body| Answer::new(StatusCode::OK, body).of_type(&content_type);
    if !file.is_gzip {
        return answer(file.body.clone());
    }
    let accepted = asked.get(header::ACCEPT_ENCODING).and_then(Coding::accepted);
    if accepted == Some(Coding::Gzip) {
        return Answer { coding: Some(Coding::Gzip), ..answer(file.body.clone()) };
    }
    match Coding::Gzip.decompress(&file.body, FILE_MAX_BYTES) {
        Ok(body) => answer(body),
        Err(_) => Answer::new(StatusCode::INTERNAL_SERVER_ERROR, Bytes::new()),
    }
}
