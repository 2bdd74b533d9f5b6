//! Empty: the tests are the crate.
