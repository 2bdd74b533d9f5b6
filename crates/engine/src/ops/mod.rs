//! The operations, one file each: check, plan, run, answer.

mod batch_execute_statement;
mod batch_get_item;
mod batch_write_item;
mod contributor_insights;
mod create_table;
mod delete_item;
mod delete_table;
mod describe_table;
mod dispatch;
mod drive;
mod execute_statement;
mod execute_transaction;
mod explain;
mod features_off;
mod get_item;
mod heat;
mod history;
mod history_changes;
mod item_write;
mod key_templates;
mod list_tables;
mod newest;
mod paged_read;
mod partitions;
mod put_item;
mod query;
mod scan;
mod service_limits;
#[cfg(test)]
mod stations;
mod streams;
mod tags;
mod time_to_live;
mod transact_get_items;
mod transact_write_items;
mod tree;
mod update_item;
mod update_table;

pub use heat::HeatInput;
pub use history::HistoryDescription;
pub use history_changes::{ChangesInput, ChangesOutput, RestoreOutput};
pub use key_templates::{KeyTemplateDescription, ParsedKey, Rewriting};
pub use newest::Running;
pub use partitions::PartitionsInput;
pub use tree::TreeInput;
pub use update_table::SupposedIndex;
