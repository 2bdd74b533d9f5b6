//! Terraform's block `aws_dynamodb_table`, written and read. Source: documentation of the provider hashicorp/aws.
//!
//! | file | idea |
//! |---|---|
//! | `write.rs` | tables as blocks |
//! | `read.rs` | blocks as requests of CreateTable |
//! | `tree.rs` | attributes and blocks of a text in Terraform's language |
//! | `cursor.rs` | characters of the text, with their lines |
//!
//! The reader understands literals only: what a variable, a function or a heredoc says is not known here. A table
//! that needs one of them is refused, with its line.

mod cursor;
mod read;
mod tree;
mod write;

pub use cursor::{TEXT_MAX_BYTES, TerraformFault};
pub use read::{Contents, Table, read};
pub use write::write;
