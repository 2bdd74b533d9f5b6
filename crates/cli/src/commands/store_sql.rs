//! `hashrange store init` and `store upgrade`: the SQL that creates an empty store on PostgreSQL, or changes the tables
//! of an older one. Connects to nothing.

use crate::arguments::{StoreInit, StoreUpgrade};

/// Prints the SQL that creates a store.
#[cfg(feature = "postgres")]
pub fn init(arguments: &StoreInit) -> anyhow::Result<()> {
    use crate::arguments::Sharded;
    use hashrange_storage::postgres::{PostgresOptions, Sharding, creation};

    let sharding = match arguments.sharded {
        None => Sharding::None,
        Some(Sharded::Citus) => Sharding::Citus,
    };
    let options = PostgresOptions {
        schema: arguments.schema.clone(),
        places: arguments.places,
        sharding,
        ..PostgresOptions::default()
    };
    print(creation(&options, arguments.role.as_deref()))
}

/// Prints the SQL that changes the tables of an older store.
#[cfg(feature = "postgres")]
pub fn upgrade(arguments: &StoreUpgrade) -> anyhow::Result<()> {
    print(hashrange::Database::upgrade_statements(&arguments.schema))
}

#[cfg(feature = "postgres")]
fn print(text: Result<String, String>) -> anyhow::Result<()> {
    crate::output::text(text.map_err(crate::exit::Usage)?.as_bytes())
}

/// Refuses: this program does not know PostgreSQL.
#[cfg(not(feature = "postgres"))]
pub fn init(_arguments: &StoreInit) -> anyhow::Result<()> {
    Err(super::store::without_postgres())
}

/// Refuses: this program does not know PostgreSQL.
#[cfg(not(feature = "postgres"))]
pub fn upgrade(_arguments: &StoreUpgrade) -> anyhow::Result<()> {
    Err(super::store::without_postgres())
}
