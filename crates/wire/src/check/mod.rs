//! The exhaustive check of a request against the constraints of the model, and its wording.
//!
//! The decoders only notice that something may be wrong. This walk over the body finds the
//! violations and words them as the service does: the operation's policy decides which violations
//! are reported together, in which order and in which of two forms (`policy`).
//!
//! The check is slow beside decoding and runs only for requests that will be refused. The walk
//! recurses along the shapes of the model, which do not nest without end; it does not enter
//! attribute values.

use std::fmt;

use crate::generated::constraints::input;
use crate::json::parser::Parser;
use crate::{Constrained, Encode, Operation};

mod echo;
mod policy;
mod render;
pub(crate) mod shape;
mod violation;
mod walk;

pub use violation::{Constraint, Path, Segment, Violation};

/// Most violations that one answer lists. Source: wire captures of the service.
const LISTED_MAX: usize = 10;

/// Nesting of a body beyond which all violations are reported in the old form: that of an attribute
/// value of 62 levels, each an object with a list or map in it. Source: wire captures of the
/// service.
const OLD_FORM_NESTING: usize = 1 + 1 + 2 * 62;

/// Violations of a request: the reason for a `ValidationException`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintViolations {
    /// Violations that the answer lists, in its order.
    pub violations: Vec<Violation>,
    /// Message of the answer, complete with its prefix.
    pub message: String,
}

impl fmt::Display for ConstraintViolations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Returns the violations of the constraints of an operation's request in a body, if any. A body
/// that does not decode has no violations.
pub fn check(operation: Operation, body: &[u8]) -> Option<ConstraintViolations> {
    let parser = Parser::new(body).ok()?;
    let policy = policy::of(operation);
    let found = walk::violations(&parser, input(operation), policy);
    let rules = if nesting(body) > OLD_FORM_NESTING { &[] } else { policy.rules };
    render::answer(found, rules)
}

/// Returns the nesting depth of the objects and arrays of a body.
fn nesting(body: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Returns the violations of a request made in the same process, if any.
pub fn check_value<T: Constrained + Encode>(
    operation: Operation,
    request: &T,
) -> Option<ConstraintViolations> {
    if !request.may_violate() {
        return None;
    }
    let mut body = Vec::new();
    request.encode(&mut body);
    check(operation, &body)
}
