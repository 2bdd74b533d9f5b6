//! DynamoDB's operations over a byte store.
//!
//! An operation is check, plan, run, answer: its file in `ops` checks the parameters in the order
//! in which the service reports faults and plans it; the shared pipelines run it (`write`, `read`,
//! `index`), one commit or one view of the store each. `partiql` plans statements for the same
//! pipelines. ARCHITECTURE.md says which module stands above which.
//!
//! Invariants as absences: no HTTP, no files, no clock and no randomness but the environment's,
//! and no knowledge of which store is below.
#![forbid(unsafe_code)]

mod answer;
mod arn;
mod capacity;
mod change_log;
mod copying;
mod core;
mod definition;
mod describe;
mod engine;
mod environment;
mod expiry;
mod explain;
mod fault;
mod filling;
mod heat;
mod history;
mod index;
mod intent;
mod jobs;
mod layout;
mod ops;
mod options;
mod partiql;
mod profile;
mod read;
mod request;
mod schema;
mod stations;
mod swept;
mod table_states;
mod throughput;
mod transaction;
mod tree;
mod usage;
mod verify;
mod write;

pub use crate::core::OpenError;
pub use crate::layout::fence;
pub use copying::{
    Copied, CopyError, CopyPhase, Copying, Difference, Served, copy, finish_move, read_moved,
    reopen, server_rows,
};
pub use engine::{Engine, TableSize};
pub use environment::{Environment, UnitPrice, UnitPrices};
pub use explain::{
    Access, Advice, AdviceKind, Amount, Attribute, Attributes, Bounds, Collection, Counted,
    EntryChange, Estimate, Explanation, FailedStep, Mode, Price, RangeRead, ReadStep, Sample, Step,
    Supposed, TableUnits, Time, Together, UnitsOn, WriteAction, WriteStep,
};
pub use hashrange_expr::partiql::{
    TokenKind, is_reserved as is_reserved_in_statements, tokens as statement_tokens,
};
pub use hashrange_expr::{KeyPart, KeyReading, KeyTemplate};
pub use heat::HeatPage;
pub use history::{Ahead, ItemChange};
pub use intent::{Access as IntentAccess, Intent, Returns as IntentReturns, Verb};
pub use jobs::{JobKind, JobSeen, ServerSeen, ServersSeen};
pub use ops::{
    ChangesInput, ChangesOutput, HeatInput, HistoryDescription, KeyTemplateDescription, ParsedKey,
    PartitionsInput, RestoreOutput, Rewriting, RulerInput, Running, SupposedIndex, TreeInput,
    UndonePage, VersionsDescription,
};
pub use options::EngineOptions;
pub use profile::Profile;
pub use schema::{HistoryState, Rewritten, TemplateMode, VersionsRecord};
pub use tree::ruler::{RulerBin, RulerCursor, RulerKind, RulerOpen, RulerOutput, RulerWork};
pub use tree::{ClientWork, NodeCounts, NodeKind, TreeNode, TreeOutput, TreePosition, TreeWork};
pub use usage::{Gate, behind, metered, metered_for};
pub use verify::{Problem, Report, Verified, verify, verify_heard};
pub use write::{PreviewCount, PreviewExample, TemplatePreview};
