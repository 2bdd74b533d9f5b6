//! Plan and cost of a request: [`Database::explain`](crate::Database::explain).
//!
//! ```
//! use hashrange::explain::{Access, Mode, Step};
//! use hashrange::{Database, Operation, item};
//! let database = Database::memory().blocking();
//! database.create("cities", "country:S place:S").run()?;
//! for place in ["NE#OMAHA HEIGHTS#1", "NE#OMAHA#1", "NE#OMAHA#2", "TX#HOUSTON#1"] {
//!     database.put("cities", item! { "country": "US", "place": place }).run()?;
//! }
//! let request = r#"{"TableName": "cities",
//!     "KeyConditionExpression": "country = :c AND begins_with(place, :p)",
//!     "ExpressionAttributeValues": {":c": {"S": "US"}, ":p": {"S": "NE#OMAHA"}}}"#;
//! let explanation = database.explain(Operation::Query, request.as_bytes(), Mode::Plan)?;
//! let Some(Step::Read(read)) = explanation.steps.first() else { panic!("a Query reads") };
//! assert_eq!(read.access, Access::KeyRange);
//! assert_eq!(read.ranges[0].sort.as_deref(), Some("place >= 'NE#OMAHA' AND place < 'NE#OMAHB'"));
//! assert_eq!(read.estimate.items.at_most, Some(3));
//! assert_eq!(explanation.advice[0].remedy, "end the prefix with the delimiter: 'NE#OMAHA#'");
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! The same for an index that does not exist yet:
//! [`Database::explain_what_if`](crate::Database::explain_what_if).
//!
//! ```
//! use hashrange::explain::{Step, SupposedIndex};
//! use hashrange::{Database, Operation, item};
//! let database = Database::memory().blocking();
//! database.create("orders", "customer:S id:S").run()?;
//! for (id, price) in [("1", 5), ("2", 70), ("3", 90)] {
//!     database.put("orders", item! { "customer": "ann", "id": id, "price": price }).run()?;
//! }
//! let request = r#"{"TableName": "orders", "IndexName": "by-price",
//!     "KeyConditionExpression": "customer = :c AND price > :p",
//!     "ExpressionAttributeValues": {":c": {"S": "ann"}, ":p": {"N": "50"}}}"#;
//! let index = br#"{"IndexName": "by-price", "KeySchema": [
//!     {"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "price", "KeyType": "RANGE"}],
//!     "AttributeDefinitions": [{"AttributeName": "price", "AttributeType": "N"}]}"#;
//! let index = SupposedIndex::from_json(index)?;
//! let explanation = database.explain_what_if(Operation::Query, request.as_bytes(), &index)?;
//! let Some(Step::Read(read)) = explanation.steps.first() else { panic!("a Query reads") };
//! let supposed = read.what_if.as_ref().expect("the index is not there");
//! assert_eq!((supposed.entries.items, supposed.examined.items), (3, 2));
//! # Ok::<(), hashrange::Error>(())
//! ```

pub use hashrange_engine::{
    Access, Advice, AdviceKind, Amount, Bounds, Collection, Counted, EntryChange, Estimate,
    Explanation, FailedStep, Mode, Price, RangeRead, ReadStep, Sample, Step, Supposed,
    SupposedIndex, TableUnits, Time, Together, UnitsOn, WriteAction, WriteStep,
};
