//! Requests as prepared bytes with a few digits to fill in.

use crate::data::ITEMS_PER_PARTITION;
use crate::random::Random;
use hashrange_auth::Signer;
use memchr::memmem;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Place of an item's number within its partition in a template.
const SORT_PLACE: &[u8] = b"####";
/// Place of a partition's number.
const PARTITION_PLACE: &[u8] = b"########";

/// Items that requests name.
#[derive(Debug)]
pub enum Numbers {
    /// Any below this.
    Random(u64),
    /// One after the other from here on.
    Sequence(AtomicU64),
    /// One after the other from 0 to below the first number, again and again; the second counts.
    Cycle(u64, AtomicU64),
}

impl Numbers {
    /// Returns the number of the next request.
    pub fn next(&self, random: &mut Random) -> u64 {
        match self {
            Self::Random(below) => (random.next() >> 11) % below,
            Self::Sequence(next) => next.fetch_add(1, Ordering::Relaxed),
            Self::Cycle(below, next) => next.fetch_add(1, Ordering::Relaxed) % below,
        }
    }
}

/// Requests, mostly of one operation.
#[derive(Debug)]
pub struct Requests {
    /// The name of the operation of templates that name none.
    pub operation: &'static str,
    /// Bodies, used in turn.
    pub templates: Vec<Template>,
    /// The items named.
    pub numbers: Numbers,
    /// Signs each request.
    pub signer: Option<Signer>,
}

/// A request body with places for numbers.
#[derive(Debug, Clone)]
pub struct Template {
    operation: Option<&'static str>,
    body: Vec<u8>,
    partitions: Vec<usize>,
    sorts: Vec<usize>,
}

impl Template {
    /// Returns the template of a text in which `########` stands for the partition's number and
    /// `####` for the item's within it.
    pub fn new(text: &str) -> Self {
        let body = text.as_bytes().to_vec();
        let (mut partitions, mut sorts) = (Vec::new(), Vec::new());
        let mut from = 0;
        while let Some(at) = memmem::find(&body[from..], SORT_PLACE).map(|at| at + from) {
            let is_partition = body[at..].starts_with(PARTITION_PLACE);
            if is_partition { &mut partitions } else { &mut sorts }.push(at);
            from = at + if is_partition { PARTITION_PLACE.len() } else { SORT_PLACE.len() };
        }
        Self { operation: None, body, partitions, sorts }
    }

    /// Returns the same template for requests of another operation than the others.
    pub fn of(self, operation: &'static str) -> Self {
        Self { operation: Some(operation), ..self }
    }

    /// Returns the body for the nth item.
    pub fn fill(&self, nth: u64) -> Vec<u8> {
        let mut body = self.body.clone();
        self.fill_in(&mut body, nth);
        body
    }

    fn fill_in(&self, body: &mut [u8], nth: u64) {
        let places = [
            (&self.partitions, PARTITION_PLACE.len(), nth / ITEMS_PER_PARTITION),
            (&self.sorts, SORT_PLACE.len(), nth % ITEMS_PER_PARTITION),
        ];
        for (places, digits, number) in places {
            for at in places {
                write_digits(&mut body[*at..*at + digits], number);
            }
        }
    }
}

/// Writes the last digits of a number.
fn write_digits(place: &mut [u8], mut number: u64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Writes the requests of one thread.
pub struct Writer<'a> {
    requests: &'a Requests,
    host: String,
    /// Name, target and request head of each operation in use.
    heads: Vec<(&'static str, String, String)>,
    random: Random,
    written: usize,
    body: Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Returns the writer of the nth thread.
    pub fn new(requests: &'a Requests, address: SocketAddr, nth: u64) -> Self {
        let host = address.to_string();
        let operations =
            requests.templates.iter().map(|t| t.operation.unwrap_or(requests.operation));
        let mut operations: Vec<_> = operations.collect();
        operations.sort_unstable();
        operations.dedup();
        let head = |operation| {
            let target = format!("DynamoDB_20120810.{operation}");
            let head = format!(
                "POST / HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/x-amz-json-1.0\r\n\
                 accept-encoding: identity\r\nuser-agent: hashrange-bench\r\nx-amz-target: \
                 {target}\r\n"
            );
            (operation, target, head)
        };
        let heads = operations.into_iter().map(head).collect();
        let random = Random::new(nth + 1);
        Self { requests, host, heads, random, written: 0, body: Vec::new() }
    }

    /// Replaces the bytes in `out` by the next request.
    pub fn write(&mut self, out: &mut Vec<u8>) {
        let template = &self.requests.templates[self.written % self.requests.templates.len()];
        self.written += 1;
        self.body.clear();
        self.body.extend_from_slice(&template.body);
        template.fill_in(&mut self.body, self.requests.numbers.next(&mut self.random));
        let operation = template.operation.unwrap_or(self.requests.operation);
        let head = self.heads.iter().find(|(name, _, _)| *name == operation);
        let (_, target, head) = head.expect("every operation has its head");
        out.clear();
        out.extend_from_slice(head.as_bytes());
        if let Some(signer) = &self.requests.signer {
            self.sign(signer, target, out);
        }
        let mut length = *b"content-length: 00000000\r\n\r\n";
        write_digits(&mut length[16..24], self.body.len() as u64);
        out.extend_from_slice(&length);
        out.extend_from_slice(&self.body);
    }

    fn sign(&self, signer: &Signer, target: &str, out: &mut Vec<u8>) {
        let headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("host", &*self.host),
            ("x-amz-target", target),
        ];
        let now = SystemTime::now().into();
        for (name, value) in signer.sign_request("POST", "/", "", &headers, &self.body, now) {
            for part in [name, ": ", &*value, "\r\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_their_places() {
        let template = Template::new(r#"{"pk":"part-########","sk":"sort-####","x":"y"}"#);
        let body = String::from_utf8(template.fill(1_234_567)).unwrap();
        assert_eq!(body, r#"{"pk":"part-00012345","sk":"sort-0067","x":"y"}"#);
        assert_eq!(Template::new("{}").fill(7), b"{}");
        let several = Template::new("a-######## b-#### c-######## d-####");
        assert_eq!(several.fill(1_234_567), b"a-00012345 b-0067 c-00012345 d-0067");
    }

    #[test]
    fn requests_differ_only_in_their_numbers() {
        let requests = Requests {
            operation: "GetItem",
            templates: vec![Template::new("########")],
            numbers: Numbers::Cycle(200, AtomicU64::new(199)),
            signer: Some(Signer::new("AKIDEXAMPLE", "secret", None, "us-east-1")),
        };
        let mut writer = Writer::new(&requests, ([127, 0, 0, 1], 8000).into(), 0);
        let mut bytes = vec![b'x'; 3];
        for body in ["00000001", "00000000"] {
            writer.write(&mut bytes);
            let text = std::str::from_utf8(&bytes).unwrap();
            let (head, sent) = text.split_once("\r\n\r\n").unwrap();
            assert_eq!(sent, body);
            assert!(head.starts_with("POST / HTTP/1.1\r\nhost: 127.0.0.1:8000\r\n"));
            assert!(head.contains("\r\nx-amz-target: DynamoDB_20120810.GetItem\r\n"));
            assert!(head.contains("\r\nauthorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"));
            assert!(head.ends_with("\r\ncontent-length: 00000008"));
        }
    }
}
