//! The operations, one file each: check, plan, run, answer.

mod batch_get_item;
mod batch_write_item;
mod condition;
mod create_table;
pub(crate) mod delete_item;
mod delete_table;
mod describe_table;
mod dispatch;
mod execute_statement;
mod get_item;
mod index_definition;
pub(crate) mod key_range;
mod legacy;
mod list_tables;
mod per_table;
pub(crate) mod put_item;
mod query;
mod scan;
pub(crate) mod select;
mod service_limits;
pub(crate) mod stream;
mod streams;
mod tags;
mod throughput;
mod time_to_live;
mod transact_get_items;
mod transact_write_items;
pub(crate) mod update_item;
mod update_table;

pub(crate) use update_item::check_targets as check_update_targets;
