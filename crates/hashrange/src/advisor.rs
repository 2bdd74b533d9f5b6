//! Advice on secondary indexes: [`advise`] reads a recording of requests and names the indexes that
//! are worth adding and those that can go.
//!
//! ```
//! use hashrange::advisor::advise;
//! use hashrange::cost::{PriceList, Recorder, metered};
//! use hashrange::{Database, Operation, item};
//! # hashrange::block_on(async {
//! let database = Database::memory();
//! database.create("orders", "id:S").await?;
//! for nth in 0..200 {
//!     let customer = format!("c{}", nth % 50);
//!     let note = "x".repeat(500);
//!     database.put("orders", item! { "id": nth.to_string(), "customer": customer, "note": note }).await?;
//! }
//! let recorder = Recorder::default();
//! recorder.start(0);
//! let scan = br#"{"TableName": "orders", "FilterExpression": "customer = :c",
//!     "ExpressionAttributeValues": {":c": {"S": "c7"}}}"#;
//! let (answer, usage) = metered(database.call(Operation::Scan, scan)).await;
//! answer?;
//! recorder.add(1, "Scan", "", &usage, false);
//!
//! let mut recording = recorder.recording(3_600_000);
//! recording.tables.push(database.facts("orders").await?);
//! let prices = PriceList::of_region("us-east-1").expect("it comes with the program");
//! let report = advise(&recording, &prices);
//! assert_eq!(report.add[0].definition, "by-customer=customer:S");
//! assert_eq!(report.add[0].answers[0].instead.pattern.to_string(), "customer = ?");
//! # Ok::<(), hashrange::Error>(())
//! # })?;
//! # Ok::<(), hashrange::Error>(())
//! ```

pub use hashrange_advisor::{
    Answered, Entries, KeyAttribute, Money, NewIndex, Report, Request, Spare, SpareIndex,
    TRAFFIC_MIN_MS, TRAFFIC_MIN_REQUESTS, TooLittle, UnusedKey, advise, shell_word,
};
