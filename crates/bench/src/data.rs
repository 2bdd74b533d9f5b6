//! The tables and items of the measurements: 1 KiB items, 100 of them per partition key.
//!
//! The nth item has partition `nth / 100` and sort key `nth % 100`; its payload is one of some
//! pseudo-random texts, so that making an item is cheap and blocks compress as badly as those of
//! real data.

use crate::random::Random;
use hashrange::{
    AttributeDefinition, AttributeValue, CreateTableInput, Database, GetItemInput,
    GlobalSecondaryIndex, Item, KeySchemaElement, KeyType, Options, Projection, ProjectionType,
    PutItemInput, QueryInput, ScalarAttributeType, StreamSpecification, StreamViewType, Value,
    create_table,
};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The table without indexes.
pub const TABLE: &str = "Bench";
/// The table with three global secondary indexes.
pub const INDEXED_TABLE: &str = "BenchIndexed";
/// The table with a stream of whole items.
pub const STREAM_TABLE: &str = "BenchStream";
/// The table of items of some 30 bytes, of which a page evaluates as many as fit.
pub const SMALL_TABLE: &str = "BenchSmall";
/// Items in it, more than a page evaluates.
const SMALL_ITEMS: u64 = 40_000;
/// The partition of the plain table that is larger than a page.
pub const WIDE_PARTITION: &str = "wide";
/// Items in that partition.
const WIDE_ITEMS: u64 = 1_200;
/// Items with the same partition key.
pub const ITEMS_PER_PARTITION: u64 = 100;
/// DynamoDB's size of an item.
pub const ITEM_BYTES: usize = 1024;
/// Attributes that are the partition keys of the indexes.
const INDEX_KEYS: [&str; 3] = ["owner", "status", "region"];
/// Writers at the same time.
pub const WRITERS: usize = 64;
/// Different contents of items; not a divisor of the items in a partition.
const CONTENTS_COUNT: u64 = 64;
/// The payload that makes an item [`ITEM_BYTES`] large.
const PAYLOAD_BYTES: usize = ITEM_BYTES - 91;

/// Returns the partition key of the nth item.
pub fn partition_key(nth: u64) -> String {
    format!("part-{:08}", nth / ITEMS_PER_PARTITION)
}

/// Returns the sort key of the nth item.
pub fn sort_key(nth: u64) -> String {
    format!("sort-{:04}", nth % ITEMS_PER_PARTITION)
}

/// Returns the primary key of the nth item.
pub fn key(nth: u64) -> Item {
    hashrange::item! { "pk": &*partition_key(nth), "sk": &*sort_key(nth) }
}

/// Parts of an item that vary from item to item.
struct Content {
    owner: String,
    status: String,
    region: String,
    payload: String,
}

/// Returns the contents, which items take in turn.
fn contents() -> &'static [Content] {
    static CONTENTS: OnceLock<Vec<Content>> = OnceLock::new();
    CONTENTS.get_or_init(|| {
        let mut random = Random::new(1);
        let mut content = |_| Content {
            owner: format!("owner-{:04}", random.next() % 10_000),
            status: format!("status-{:02}", random.next() % 100),
            region: format!("region-{:02}", random.next() % 100),
            payload: random.text(PAYLOAD_BYTES),
        };
        (0..CONTENTS_COUNT).map(&mut content).collect()
    })
}

/// Returns the nth item.
pub fn item(nth: u64) -> Item {
    let Content { owner, status, region, payload } = &contents()[(nth % CONTENTS_COUNT) as usize];
    hashrange::item! {
        "pk": &*partition_key(nth),
        "sk": &*sort_key(nth),
        "owner": &**owner,
        "status": &**status,
        "region": &**region,
        "hits": AttributeValue::from(1_000_000),
        "active": AttributeValue::from(true),
        "payload": &**payload,
    }
}

/// Returns bodies of PutItem with places for the numbers of the keys.
pub fn put_item_bodies() -> Vec<String> {
    put_bodies("part")
}

/// Returns bodies of TransactWriteItems that put four items each, in partitions of their own.
pub fn transact_write_bodies() -> Vec<String> {
    let puts = ["par1", "par2", "par3", "par4"].map(put_bodies);
    let body = |nth: usize| {
        let puts: Vec<_> =
            puts.iter().map(|bodies| format!(r#"{{"Put":{}}}"#, bodies[nth])).collect();
        format!(r#"{{"TransactItems":[{}]}}"#, puts.join(","))
    };
    (0..contents().len()).map(body).collect()
}

/// Returns bodies of BatchWriteItem that put 25 items each, in partitions of their own.
pub fn batch_write_bodies() -> Vec<String> {
    let puts: Vec<_> = (0..25).map(|nth| put_bodies(&format!("b{nth:02}"))).collect();
    let body = |nth: usize| {
        let item = |body: &String| {
            let from = body.find(r#""Item""#).expect("a PutItem has an item");
            format!(r#"{{"PutRequest":{{{}}}"#, &body[from..])
        };
        let puts: Vec<_> = puts.iter().map(|bodies| item(&bodies[nth])).collect();
        format!(r#"{{"RequestItems":{{"{TABLE}":[{}]}}}}"#, puts.join(","))
    };
    (0..contents().len()).map(body).collect()
}

fn put_bodies(partition: &str) -> Vec<String> {
    let body = |content: &Content| {
        let Content { owner, status, region, payload } = content;
        format!(
            r#"{{"TableName":"{TABLE}","Item":{{"pk":{{"S":"{partition}-########"}},"sk":{{"S":"sort-####"}},"owner":{{"S":"{owner}"}},"status":{{"S":"{status}"}},"region":{{"S":"{region}"}},"hits":{{"N":"1000000"}},"active":{{"BOOL":true}},"payload":{{"S":"{payload}"}}}}}}"#
        )
    };
    contents().iter().map(body).collect()
}

/// Returns the definition of the table without indexes.
pub fn plain_table() -> CreateTableInput<'static> {
    create_table(TABLE, ("pk", "S"), Some(("sk", "S")))
}

/// Returns the definition of the table with three indexes that hold whole items.
pub fn indexed_table() -> CreateTableInput<'static> {
    let mut table = create_table(INDEXED_TABLE, ("pk", "S"), Some(("sk", "S")));
    let key = |name: &str, role| KeySchemaElement {
        attribute_name: Some(name.to_owned()),
        key_type: Some(role),
    };
    let attributes = table.attribute_definitions.get_or_insert_default();
    attributes.extend(INDEX_KEYS.iter().map(|name| AttributeDefinition {
        attribute_name: Some((*name).to_owned()),
        attribute_type: ScalarAttributeType::from_wire("S"),
    }));
    let indexes = INDEX_KEYS.iter().map(|name| GlobalSecondaryIndex {
        index_name: Some(format!("by-{name}")),
        key_schema: Some(vec![key(name, KeyType::Hash), key("pk", KeyType::Range)]),
        projection: Some(Projection {
            projection_type: Some(ProjectionType::All),
            ..Projection::default()
        }),
        ..GlobalSecondaryIndex::default()
    });
    table.global_secondary_indexes = Some(indexes.collect());
    table
}

/// Returns the definition of the table with a stream of whole items.
pub fn stream_table() -> CreateTableInput<'static> {
    CreateTableInput {
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(StreamViewType::NewAndOldImages),
        }),
        ..create_table(STREAM_TABLE, ("pk", "S"), Some(("sk", "S")))
    }
}

/// Returns a request for the nth item.
pub fn get_item(nth: u64) -> GetItemInput<'static> {
    GetItemInput {
        table_name: Some(TABLE.into()),
        key: Some(key(nth).into()),
        ..GetItemInput::default()
    }
}

/// Returns a request for the 100 items of the partition of the nth item.
pub fn query(nth: u64) -> QueryInput<'static> {
    let values = [(":p".into(), Value::from(AttributeValue::from(&*partition_key(nth))).into())];
    QueryInput {
        table_name: Some(TABLE.into()),
        key_condition_expression: Some("pk = :p".into()),
        expression_attribute_values: Some(values.into_iter().collect()),
        ..QueryInput::default()
    }
}

/// Returns a request that writes the nth item.
pub fn put_item(table: &'static str, nth: u64) -> PutItemInput<'static> {
    PutItemInput {
        table_name: Some(table.into()),
        item: Some(item(nth).into()),
        ..PutItemInput::default()
    }
}

/// Fills a data folder with a table of `items` items, and closes it.
pub fn fill_folder(folder: &Path, items: u64) -> Result<(), String> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let database = open(folder, Options::default().cache_bytes)?;
        fill_and_close(&database, items).await
    })
}

/// Fills a database with the same table, and closes it.
pub fn fill_database(database: &Database, items: u64) -> Result<(), String> {
    runtime()?.block_on(fill_and_close(database, items))
}

async fn fill_and_close(database: &Database, items: u64) -> Result<(), String> {
    database.create_table(plain_table()).await.map_err(|error| error.to_string())?;
    fill(database, items, |nth| put_item(TABLE, nth)).await?;
    database.close().await.map_err(|error| error.to_string())
}

/// Adds the items that long pages read to a folder with a table.
pub fn add_long_pages(folder: &Path) -> Result<(), String> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let database = open(folder, Options::default().cache_bytes)?;
        let small = create_table(SMALL_TABLE, ("pk", "S"), None);
        database.create_table(small).await.map_err(|error| error.to_string())?;
        fill(&database, SMALL_ITEMS, put_small).await?;
        fill(&database, WIDE_ITEMS, put_wide).await?;
        database.close().await.map_err(|error| error.to_string())
    })
}

fn put_small(nth: u64) -> PutItemInput<'static> {
    let item = hashrange::item! {
        "pk": &*format!("small-{nth:08}"),
        "hits": AttributeValue::from(1_000_000 + nth),
    };
    PutItemInput {
        table_name: Some(SMALL_TABLE.into()),
        item: Some(item.into()),
        ..PutItemInput::default()
    }
}

fn put_wide(nth: u64) -> PutItemInput<'static> {
    let Content { payload, .. } = &contents()[(nth % CONTENTS_COUNT) as usize];
    let item = hashrange::item! {
        "pk": WIDE_PARTITION,
        "sk": &*format!("sort-{nth:04}"),
        "payload": &**payload,
    };
    PutItemInput {
        table_name: Some(TABLE.into()),
        item: Some(item.into()),
        ..PutItemInput::default()
    }
}

/// Opens the database in a folder.
pub fn open(folder: &Path, cache_bytes: u64) -> Result<Database, String> {
    let options = Options { cache_bytes, ..Options::default() };
    Database::open(folder, &options).map_err(|error| error.to_string())
}

/// Returns a runtime like that of the server.
pub fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().worker_threads(2).build().map_err(|error| error.to_string())
}

/// Puts items 0 to `items` - 1 with as many writers as the measurements have.
async fn fill(
    database: &Database,
    items: u64,
    put: fn(u64) -> PutItemInput<'static>,
) -> Result<(), String> {
    let next = Arc::new(AtomicU64::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (database, next) = (database.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    if nth >= items {
                        return Ok::<(), String>(());
                    }
                    let put = database.put_item(put(nth)).await;
                    put.map_err(|error| error.to_string())?;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.map_err(|error| error.to_string())??;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_the_size_and_keys_they_should_have() {
        for nth in [0, 99, 100, 12_345_678] {
            assert_eq!(item(nth).size(), ITEM_BYTES);
            assert_eq!(key(nth), item(nth).retain(|name| name == "pk" || name == "sk"));
        }
    }

    #[test]
    fn requests_are_accepted() {
        let database = Database::memory().blocking();
        database.create_table(plain_table()).unwrap();
        database.create_table(indexed_table()).unwrap();
        for nth in 0..100 {
            database.put_item(put_item(TABLE, nth)).unwrap();
        }
        database.put_item(put_item(INDEXED_TABLE, 7)).unwrap();
        let body = crate::load::Template::new(&put_item_bodies()[7]).fill(7);
        database.call(hashrange::Operation::PutItem, &body).unwrap();
        let body = crate::load::Template::new(&transact_write_bodies()[7]).fill(7);
        database.call(hashrange::Operation::TransactWriteItems, &body).unwrap();
        let body = crate::load::Template::new(&batch_write_bodies()[7]).fill(7);
        database.call(hashrange::Operation::BatchWriteItem, &body).unwrap();
        assert_eq!(database.get_item(get_item(7)).unwrap().item, Some(item(7)));
        assert_eq!(database.query_page(query(7)).unwrap().count, Some(100));
    }
}
