//! The pages, walked as newcomers walk them: every command of a page runs against the binary in a
//! scratch folder, and what is printed is compared with the page.
//!
//! | module | newcomer | pages |
//! |---|---|---|
//! | `cloner` | has cloned the project | `README.md` |
//! | `operator` | runs a server | `docs/operating.md` |
//! | `shell` | lives in the shell | `docs/shell.md` |
//! | `modeller` | designs keys | `docs/tutorial.md`, `docs/partiql.md`, `docs/explain.md`, `docs/tree.md`, `docs/ruler.md`, `docs/key-templates.md`, `docs/lint.md`, `docs/cost.md`, `docs/advise.md`, `docs/history.md`, `docs/heat.md`, `docs/samples/` |
//! | `ci` | has tests in CI | `docs/ci.md`, the pages of the packages |
//! | `testing` | writes tests | `docs/testing.md`, `docs/coming-from-dynamodb-local.md` |
//! | `answers` | has a question | `docs/answers.md`, and the flags that any page names |
//!
//! The page for users of the library and its examples are tests of the crate `hashrange`. The page of
//! import and export runs in the tests `bulk`, beside the faults that it speaks of.
//!
//! `HASHRANGE_BLESS=1` writes what is printed into the pages instead of comparing. What differs from
//! run to run stands as `...` in a page: it is any text within a line.
//!
//! A command of a program that is not here is left out; each place says so by
//! [`scratch::Scratch::has`]. `cargo xtask test` runs the pages once more behind the tests with real
//! clients, when the AWS CLI and boto3 are there. Nothing needs the network.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "variables of whoever runs the tests are kept from the commands"
)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod ci;
mod cloner;
mod compared;
mod modeller;
mod operator;
#[path = "../terminal/pty.rs"]
mod pty;
mod scratch;
mod server;
mod shell;
mod testing;
mod tried;
