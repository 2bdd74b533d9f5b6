//! Tables in one line, and many items in and out, with the binary as people use it.

#![expect(
    clippy::disallowed_methods,
    reason = "whether to rewrite the golden file comes from the environment"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod definitions;
mod documents;
mod faults;
mod forms;
mod page;
mod served;
