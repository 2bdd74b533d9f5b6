//! Tables as the command line defines them: common parts of `create` and `alter`.
//!
//! | file | idea |
//! |---|---|
//! | `grammar.rs` | keys and indexes as people write them |
//! | `request.rs` | the same as members of a request |
//! | `settle.rs` | waiting until a change is done |

pub mod grammar;
pub mod request;
pub mod settle;
