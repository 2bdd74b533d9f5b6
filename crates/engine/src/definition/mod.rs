//! Definitions of tables in CreateTable, UpdateTable and TagResource: checks each part of a
//! request, and turns it into a part of a table's record or into the fault that the service
//! reports.
//!
//! | file | idea |
//! |---|---|
//! | `indexes.rs` | keys and indexes |
//! | `throughput.rs` | billing mode, provisioned, on-demand and warm throughput |
//! | `stream.rs` | requested stream settings |
//! | `encryption.rs` | requested encryption |
//! | `tags.rs` | tags |
//!
//! Pure functions of requests and records: they know no store and no table in use.

pub(crate) mod encryption;
pub(crate) mod indexes;
pub(crate) mod stream;
pub(crate) mod tags;
pub(crate) mod throughput;

use crate::schema::StorageClass;
use hashrange_wire::TableClass;

/// Returns the storage class.
pub(crate) fn storage_class(class: TableClass) -> StorageClass {
    match class {
        TableClass::Standard => StorageClass::Standard,
        TableClass::StandardInfrequentAccess => StorageClass::InfrequentAccess,
    }
}
