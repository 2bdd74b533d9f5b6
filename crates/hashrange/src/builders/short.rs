//! The short calls of a [`Database`] and of a [`Blocking`].

use super::{
    AsType, BatchGet, BatchWrite, Check, CreateTable, Delete, DescribeTable, DropTable, Get,
    IntoItem, Put, Query, Scan, Statement, StreamRecords, Tables, TransactGet, TransactWrite,
    Update,
};
use crate::{Blocking, Database};
use serde::de::DeserializeOwned;

macro_rules! short_calls {
    ($handle:ident) => {
        /// Short calls. Each returns a builder that collects options; on a [`Database`] it is
        /// awaited, on a [`Blocking`] run.
        impl $handle {
            /// Creates a table with this key: the partition key, then perhaps the sort key, with
            /// their types `S`, `N` or `B`. Under the default profile it can be used at once.
            ///
            /// ```
            /// # use hashrange::{Database, StreamViewType};
            /// # let db = Database::memory().blocking();
            /// db.create("cities", "country:S place:S")
            ///     .local_index("by-population", "country:S population:N")
            ///     .global_index("by-state", "state:S city:S")
            ///     .stream(StreamViewType::NewAndOldImages)
            ///     .time_to_live("expires")
            ///     .run()?;
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn create(&self, table: impl Into<String>, key: &str) -> CreateTable<Self> {
                CreateTable::new(self.clone(), table, key)
            }

            /// Describes a table: status, keys, indexes, stream, sizes.
            pub fn describe(&self, table: impl Into<String>) -> DescribeTable<Self> {
                DescribeTable::new(self.clone(), table)
            }

            /// Deletes a table with all its items.
            pub fn drop_table(&self, table: impl Into<String>) -> DropTable<Self> {
                DropTable::new(self.clone(), table)
            }

            /// Lists the names of all tables, in order.
            ///
            /// ```
            /// # use hashrange::Database;
            /// let db = Database::memory().blocking();
            /// db.create("shop", "id:S").run()?;
            /// assert_eq!(db.tables().run()?, ["shop"]);
            /// assert_eq!(db.describe("shop").run()?.key_schema()[0].attribute_name(), Some("id"));
            /// db.drop_table("shop").run()?;
            /// assert!(db.describe("shop").run().unwrap_err().is_not_found());
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn tables(&self) -> Tables<Self> {
                Tables::new(self.clone())
            }

            /// Reads one item: `Option<Item>`.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:S").run()?;
            /// # db.put("shop", item! { "id": "ORDER#1", "total": 129 }).run()?;
            /// let order = db.get("shop", item! { "id": "ORDER#1" }).select("total").run()?;
            /// assert_eq!(order, Some(item! { "total": 129 }));
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn get(&self, table: impl Into<String>, key: impl IntoItem) -> Get<Self> {
                Get::new(self.clone(), table, key)
            }

            /// Reads one item as a type with serde's `Deserialize`: `Option<T>`.
            pub fn get_as<T: DeserializeOwned + Send + 'static>(
                &self,
                table: impl Into<String>,
                key: impl IntoItem,
            ) -> Get<Self, AsType<T>> {
                self.get(table, key).typed()
            }

            /// Writes an item and returns the one that it replaced, if there was one.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:S").run()?;
            /// let order = item! { "id": "ORDER#1", "total": 129 };
            /// let old = db.put("shop", order).when("attribute_not_exists(id)").run()?;
            /// assert_eq!(old, None);
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn put(&self, table: impl Into<String>, item: impl IntoItem) -> Put<Self> {
                Put::new(self.clone(), table, item)
            }

            /// Changes attributes of an item, which is created if there is none, and returns the
            /// item after the change.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:S").run()?;
            /// let counted = db
            ///     .update("shop", item! { "id": "COUNT" })
            ///     .set("name = 'orders'")
            ///     .add("orders 1")
            ///     .run()?;
            /// assert_eq!(counted, item! { "id": "COUNT", "name": "orders", "orders": 1 });
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn update(&self, table: impl Into<String>, key: impl IntoItem) -> Update<Self> {
                Update::new(self.clone(), table, key)
            }

            /// Removes an item and returns it, if there was one.
            pub fn delete(&self, table: impl Into<String>, key: impl IntoItem) -> Delete<Self> {
                Delete::new(self.clone(), table, key)
            }

            /// Reads the items of one partition, in the order of the sort key: a
            /// [`Page`](crate::Page), all pages with `all()`, or one item after the other with
            /// `items()`.
            ///
            /// Conditions are DynamoDB's own, with values in place or as parameters; see
            /// [`text`](crate::text).
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("cities", "country:S place:S").run()?;
            /// # db.put("cities", item! { "country": "NL", "place": "07#A", "people": 5 }).run()?;
            /// # db.put("cities", item! { "country": "NL", "place": "08#B", "people": 9 }).run()?;
            /// let cities = db
            ///     .query("cities")
            ///     .key("country = 'NL' and begins_with(place, '07#')")
            ///     .filter("people > :least")
            ///     .value("least", 3)
            ///     .all()?;
            /// assert_eq!(cities, [item! { "country": "NL", "place": "07#A", "people": 5 }]);
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn query(&self, table: impl Into<String>) -> Query<Self> {
                Query::new(self.clone(), table)
            }

            /// Reads the items of one partition as a type with serde's `Deserialize`.
            pub fn query_as<T: DeserializeOwned + Send + 'static>(
                &self,
                table: impl Into<String>,
            ) -> Query<Self, AsType<T>> {
                self.query(table).typed()
            }

            /// Reads a whole table or index, in no particular order.
            pub fn scan(&self, table: impl Into<String>) -> Scan<Self> {
                Scan::new(self.clone(), table)
            }

            /// Reads a whole table or index as a type with serde's `Deserialize`.
            pub fn scan_as<T: DeserializeOwned + Send + 'static>(
                &self,
                table: impl Into<String>,
            ) -> Scan<Self, AsType<T>> {
                self.scan(table).typed()
            }

            /// Runs a PartiQL statement, with values in place or as `?`, and returns the items that
            /// it reads, of all pages.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("cities", "country:S place:S").run()?;
            /// db.statement("INSERT INTO cities VALUE {'country': ?, 'place': '07#A', 'people': 5}")
            ///     .value("NL")
            ///     .run()?;
            /// let people = db
            ///     .statement("SELECT people FROM cities WHERE country = ? AND begins_with(place, ?)")
            ///     .value("NL")
            ///     .value("07#")
            ///     .run()?;
            /// assert_eq!(people, [item! { "people": 5 }]);
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn statement(&self, text: impl Into<String>) -> Statement<Self> {
                Statement::new(self.clone(), text)
            }

            /// Reads any number of items of a table, in no particular order. After a pause it asks
            /// again for keys that the database puts off.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:N").run()?;
            /// let orders = (0..60).map(|id| item! { "id": id });
            /// db.batch_write().put_all("shop", orders).run()?;
            /// let keys = (50..200).map(|id| item! { "id": id });
            /// assert_eq!(db.batch_get("shop", keys).run()?.len(), 10);
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn batch_get<K: IntoItem>(
                &self,
                table: impl Into<String>,
                keys: impl IntoIterator<Item = K>,
            ) -> BatchGet<Self> {
                BatchGet::new(self.clone(), table, keys)
            }

            /// Puts and deletes any number of items, in requests of 25, each write by itself. After
            /// a pause it tries again the writes that the database puts off;
            /// [`Error::Batch`](crate::Error::Batch) says how many were written before an error.
            pub fn batch_write(&self) -> BatchWrite<Self> {
                BatchWrite::new(self.clone())
            }

            /// Makes several writes and checks together, or none.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:S").run()?;
            /// let place = || {
            ///     let order = item! { "id": "ORDER#1", "total": 129 };
            ///     db.transact_write()
            ///         .with(db.put("shop", order).when("attribute_not_exists(id)"))
            ///         .with(db.update("shop", item! { "id": "COUNT" }).add("orders 1"))
            ///         .run()
            /// };
            /// place()?;
            /// // The order exists now, so nothing of the second transaction is done.
            /// assert!(place().unwrap_err().is_condition_failed());
            /// let count = db.get("shop", item! { "id": "COUNT" }).run()?;
            /// assert_eq!(count, Some(item! { "id": "COUNT", "orders": 1 }));
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn transact_write(&self) -> TransactWrite<Self> {
                TransactWrite::new(self.clone())
            }

            /// Returns a check for [`transact_write`](Self::transact_write): a condition of an item
            /// that is not written.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:S").run()?;
            /// let refused = db
            ///     .transact_write()
            ///     .with(db.require("shop", item! { "id": "USER#1" }, "attribute_exists(id)"))
            ///     .with(db.put("shop", item! { "id": "ORDER#1" }))
            ///     .run();
            /// assert!(refused.unwrap_err().is_condition_failed());
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn require(
                &self,
                table: impl Into<String>,
                key: impl IntoItem,
                condition: impl Into<String>,
            ) -> Check {
                Check::new(table, key, condition)
            }

            /// Reads several items, of several tables, as of one moment: `Vec<Option<Item>>`.
            ///
            /// ```
            /// # use hashrange::{Database, item};
            /// # let db = Database::memory().blocking();
            /// # db.create("shop", "id:S").run()?;
            /// # db.put("shop", item! { "id": "ORDER#1" }).run()?;
            /// let (order, count) = (item! { "id": "ORDER#1" }, item! { "id": "COUNT" });
            /// let found =
            ///     db.transact_get().with(db.get("shop", order)).with(db.get("shop", count)).run()?;
            /// assert_eq!(found, [Some(item! { "id": "ORDER#1" }), None]);
            /// # Ok::<(), hashrange::Error>(())
            /// ```
            pub fn transact_get(&self) -> TransactGet<Self> {
                TransactGet::new(self.clone())
            }

            /// Follows the changes of a table that has a stream, across its shards; see
            /// [`StreamRecords`].
            pub fn stream_records(&self, table: impl Into<String>) -> StreamRecords<Self> {
                StreamRecords::new(self.clone(), table)
            }
        }
    };
}

short_calls!(Database);
short_calls!(Blocking);
