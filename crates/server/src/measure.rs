//! Figures of the API for `/metrics`.
//!
//! The server knows names and numbers, not their meaning. The API keeps the number of labels
//! bounded.

use std::borrow::Cow;

/// A figure, with its value for each set of labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// The name, in the style of Prometheus.
    pub name: &'static str,
    /// Counter or gauge.
    pub kind: Kind,
    /// Meaning, in a sentence.
    pub help: &'static str,
    /// Labels as they are printed between braces, empty for none, and the value.
    pub values: Vec<(Cow<'static, str>, Value)>,
}

/// Behaviour of a figure over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The figure only grows.
    Counter,
    /// The figure goes up and down.
    Gauge,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A time, printed in seconds.
    Micros(u64),
}

impl Kind {
    /// Returns its name in the text.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }
}
