//! DynamoDB in your program: the service's operations on a database in memory, in a folder or on
//! PostgreSQL, in process, without HTTP.
//!
//! # A first table
//!
//! ```
//! use hashrange::{Database, item};
//!
//! let db = Database::memory().blocking();
//! db.create("music", "artist:S song:S").run()?;
//! db.put("music", item! { "artist": "Nina Simone", "song": "Sinnerman", "year": 1965 }).run()?;
//!
//! let found = db.get("music", item! { "artist": "Nina Simone", "song": "Sinnerman" }).run()?;
//! let song = found.expect("it was put");
//! assert_eq!(song.get_as::<u16>("year")?, 1965);
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! The data of [`Database::memory`] last as long as the program; [`Database::open`] stores them in
//! a folder, and every write that it acknowledges is on disk. With the feature `postgres`,
//! `Database::connect` takes the URL of a PostgreSQL database, which several programs can share.
//! Calls of a [`Blocking`] end with `.run()` and wait for the result. In async code leave
//! `.blocking()` away and write `.await` instead of `.run()`; any runtime will do:
//!
//! ```
//! # use hashrange::{Database, item};
//! # hashrange::block_on(async {
//! let db = Database::memory();
//! db.create("music", "artist:S song:S").await?;
//! db.put("music", item! { "artist": "Nina Simone", "song": "Sinnerman" }).await?;
//! # Ok::<(), hashrange::Error>(())
//! # })?;
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! Clone a database to share it; clones are cheap.
//!
//! # Your own types
//!
//! Every type with serde's derives can be an item, by the conventions of `serde_dynamo`
//! ([`to_item`] has them). Calls that end with `_as` and the method `typed()` read items back into
//! such types:
//!
//! ```
//! use hashrange::{Database, item};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct City { country: String, place: String, people: u32, capital: Option<bool> }
//!
//! let db = Database::memory().blocking();
//! db.create("cities", "country:S place:S").run()?;
//! let utrecht =
//!     City { country: "NL".into(), place: "09#UTRECHT".into(), people: 291_000, capital: None };
//! db.put("cities", &utrecht).run()?;
//!
//! let key = item! { "country": "NL", "place": "09#UTRECHT" };
//! assert_eq!(db.get_as::<City>("cities", key).run()?, Some(utrecht));
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! [`item!`] writes items in place, [`Item::get_as`] reads one attribute of them.
//!
//! # Conditions, as you write them
//!
//! Key conditions, filters, conditions of writes and updates are DynamoDB's own expressions, with
//! values in place and any attribute name ([`text`] has the rules). Values that come from elsewhere
//! are parameters:
//!
//! ```
//! # use hashrange::{Database, item};
//! # let db = Database::memory().blocking();
//! # db.create("cities", "country:S place:S").run()?;
//! # db.put("cities", item! { "country": "NL", "place": "07#AMSTERDAM", "people": 741_636 }).run()?;
//! # db.put("cities", item! { "country": "NL", "place": "07#EDAM", "people": 7_380 }).run()?;
//! let large = db
//!     .query("cities")
//!     .key("country = 'NL' and begins_with(place, :region)")
//!     .filter("people > 100000")
//!     .value("region", "07#")
//!     .select("place")
//!     .all()?;
//! assert_eq!(large, [item! { "place": "07#AMSTERDAM" }]);
//!
//! let key = item! { "country": "NL", "place": "07#EDAM" };
//! let edam = db
//!     .update("cities", key)
//!     .set("people = people + 1, mayor = if_not_exists(mayor, 'unknown')")
//!     .when("attribute_exists(place)")
//!     .run()?;
//! assert_eq!(edam.get_as::<u32>("people")?, 7_381);
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! # Many items
//!
//! `run()` or `.await` on a query or a scan reads one page, at most 1 MB; `all()` reads all pages
//! into a vector, `count()` counts their items, and `items()` returns one item after the other: an
//! iterator, or a `Stream` in async code. Batches have any size:
//!
//! ```
//! # use hashrange::{Database, item};
//! # let db = Database::memory().blocking();
//! # db.create("readings", "sensor:S at:N").run()?;
//! let readings = (0..1000).map(|at| item! { "sensor": "a", "at": at, "value": 20 });
//! db.batch_write().put_all("readings", readings).run()?;
//! for reading in db.query("readings").key("sensor = 'a' and at >= 990").items() {
//!     assert_eq!(reading?.get_as::<i32>("value")?, 20);
//! }
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! [`transact_write`](Blocking::transact_write) makes several writes together, or none;
//! [`stream_records`](Blocking::stream_records) returns the changes of a table in order.
//!
//! # Errors
//!
//! Every call returns [`Error`], which prints the service's own sentence. Programs match it by the
//! reaction that it asks for: [`is_condition_failed`](Error::is_condition_failed),
//! [`is_not_found`](Error::is_not_found), [`is_throttled`](Error::is_throttled), [`Error::kind`].
//!
//! # In tests
//!
//! A database in memory is ready in microseconds. [`Options`] gives it a [`Clock`] that tests set
//! and step, and a [`Profile`] with the service's limits, delays and faults; a [`Sandbox`] saves
//! the state of a whole database and puts it back:
//!
//! ```
//! use hashrange::{Clock, Database, Options, item};
//! use std::time::Duration;
//!
//! let clock = Clock::stopped_at(0);
//! let options = Options { clock: Some(clock.clone()), ..Options::default() };
//! let db = Database::memory_with(&options).blocking();
//! db.create("sessions", "id:S").time_to_live("expires").run()?;
//! db.put("sessions", item! { "id": "a", "expires": 3600 }).run()?;
//! clock.advance(Duration::from_secs(3601))?;
//! db.catch_up_with_clock();
//! assert_eq!(db.scan("sessions").count()?, 0);
//! # Ok::<(), hashrange::Error>(())
//! ```
//!
//! # Everything else
//!
//! Each operation of the service is a method with its request and response as on the wire, members
//! optional: [`Database::update_table`] takes an [`UpdateTableInput`]. The members that programs
//! read most have a method too, such as [`QueryOutput::items`]. [`Database::call`] takes and
//! returns the wire's JSON.
#![forbid(unsafe_code)]

pub mod advisor;
mod blocking;
pub mod builders;
mod clock;
pub mod copying;
pub mod cost;
mod database;
mod error;
pub mod explain;
mod facts;
mod guard;
pub mod heat;
mod history;
mod key_templates;
mod literals;
mod sandbox;
mod sharding;
pub mod text;
mod tree;
mod typed;

pub use blocking::Blocking;
pub use builders::{Change, ChangeKind, IntoItem, Items, Page, StreamPosition, StreamRecords};
pub use clock::{Clock, ClockSetting};
pub use database::{Calling, Database, Options};
pub use error::{Error, Result};
pub use hashrange_engine::{
    Ahead, ChangesInput, ChangesOutput, ClientWork, Copied, CopyError, CopyPhase, Copying,
    Difference, HeatInput, HeatPage, HistoryDescription, HistoryState, ItemChange, JobKind,
    JobSeen, KeyPart, KeyReading, KeyTemplate, KeyTemplateDescription, NodeCounts, NodeKind,
    ParsedKey, PartitionsInput, PreviewCount, PreviewExample, Problem, Profile, Report,
    RestoreOutput, Rewriting, Rewritten, RulerBin, RulerCursor, RulerInput, RulerKind, RulerOpen,
    RulerOutput, RulerWork, ServerSeen, ServersSeen, TableSize, TemplateMode, TemplatePreview,
    TreeInput, TreeNode, TreeOutput, TreePosition, TreeWork, UndonePage, Verified,
    VersionsDescription, VersionsRecord,
};
pub use hashrange_engine::{TokenKind, is_reserved_in_statements, statement_tokens};
#[doc(hidden)]
pub use hashrange_model::bounds;
pub use hashrange_model::error::{HistoryFault, StateFault, TemplateFault};
pub use hashrange_model::moment;
pub use hashrange_model::nearest;
pub use hashrange_model::{
    ApiError, ApiResult, AttributeType, AttributeValue, ErrorKind, FromAttribute, Item,
    ListElement, Number, NumberFault, Reason, Value, ValueRef, WrongType,
};
pub use hashrange_storage::{CacheLooks, Stats, block_on};
pub use hashrange_wire::*;
pub use literals::create_table;
pub use sandbox::{Sandbox, Save};
pub use sharding::{BadSharding, Sharding};
pub use typed::{
    TypedError, binary_set, from_attribute_value, from_item, number, number_set, string_set,
    to_attribute_value, to_item,
};

/// Names that the macros expand to; not part of the interface.
#[doc(hidden)]
pub mod macro_parts {
    pub use crate::literals::Written;
}

/// A page for readers with five minutes; its snippets run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;
