//! Placeholders of a request for tests, and the sentence of a fault.
#![allow(dead_code, reason = "each test file uses its part")]

use hashrange_expr::Placeholders;
use hashrange_model::error::{Layer, Reason};
use hashrange_model::{AttributeValue, Value};

/// Names and values of one request.
#[derive(Default)]
pub struct Request {
    names: Vec<(&'static str, &'static str)>,
    values: Vec<(&'static str, Value)>,
}

impl Request {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn name(mut self, alias: &'static str, name: &'static str) -> Self {
        self.names.push((alias, name));
        self
    }

    pub fn value(mut self, placeholder: &'static str, value: impl Into<AttributeValue>) -> Self {
        self.values.push((placeholder, value.into().to_value()));
        self
    }

    /// Runs `use_them` with the placeholders; absent where there are none.
    pub fn with<T>(
        &self,
        use_them: impl FnOnce(&mut Placeholders<'_>) -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        let names = (!self.names.is_empty()).then(|| self.names.iter().copied());
        let values =
            (!self.values.is_empty()).then(|| self.values.iter().map(|(key, value)| (*key, value)));
        use_them(&mut Placeholders::new(names, values)?)
    }
}

/// Returns the bare sentence of a fault.
pub fn sentence(reason: &Reason) -> String {
    reason.message(Layer::Current)
}
