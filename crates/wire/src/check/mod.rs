//! The exhaustive check of a request against the constraints of the model.
pub mod shape;
