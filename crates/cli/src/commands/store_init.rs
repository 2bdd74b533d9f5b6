//! `hashrange store init`: the SQL that creates an empty store on PostgreSQL. Connects to nothing.

#[cfg(feature = "postgres")]
use crate::arguments::Sharded;
use crate::arguments::StoreInit;

/// Prints the SQL.
#[cfg(feature = "postgres")]
pub fn run(arguments: &StoreInit) -> anyhow::Result<()> {
    use crate::exit::Usage;
    use crate::output;
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
    let text = creation(&options, arguments.role.as_deref());
    output::text(text.map_err(Usage)?.as_bytes())
}

/// Refuses: this program does not know the tables.
#[cfg(not(feature = "postgres"))]
pub fn run(_arguments: &StoreInit) -> anyhow::Result<()> {
    Err(super::store::without_postgres())
}
