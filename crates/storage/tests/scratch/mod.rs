//! The PostgreSQL servers of these tests: `server` of this process, `shared` of all that run.

#![allow(unused_imports, clippy::allow_attributes, reason = "each test program uses a part of it")]

pub use hashrange_scratch::{Server, is_left_out, server, shared};
