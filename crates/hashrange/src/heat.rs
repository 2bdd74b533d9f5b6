//! Hot keys: consumption by partition key, by item and by range of the hash space, minute by
//! minute.
//!
//! ```
//! use hashrange::{Database, HeatInput, Options, item};
//! use hashrange::heat::{Measure, map};
//!
//! let database = Database::memory_with(&Options { heat: true, ..Options::default() }).blocking();
//! database.create("cities", "country:S place:S").run()?;
//! for place in ["07#EDAM", "09#UTRECHT"] {
//!     database.put("cities", item! { "country": "NL", "place": place }).run()?;
//! }
//! let page = database.describe_heat(HeatInput::default())?;
//! let hottest = &page.places[0].summary().keys.accessed.keys[0];
//! assert_eq!((&*hottest.key, hottest.sums.write_units), ("country = 'NL'", 2.0));
//! assert_eq!(map(&page.places[0], Measure::Units, 16, 60).rows.len(), 16);
//! # Ok::<(), hashrange::Error>(())
//! ```

pub use hashrange_heat::{
    Advice, Hot, HotKey, MINUTES_MAX, Map, MapRow, Measure, MinuteHeat, PlaceHeat, RANGES,
    READ_UNITS_MAX, ReportFault, Summary, Sums, Top, WRITE_UNITS_MAX, advice, map,
};

use crate::Blocking;
use crate::database::{Calling, Database};
use hashrange_engine::{HeatInput, HeatPage, Running};
use hashrange_model::ApiResult;
use hashrange_storage::block_on;

impl Database {
    /// Describes the hot keys of the watched tables: all with
    /// [`Options::heat`](crate::Options::heat), else those on which Contributor Insights is
    /// enabled.
    ///
    /// The figures cover the requests to this database. [`PlaceHeat::add`] sums them with those of
    /// other databases on the same store.
    pub fn describe_heat(&self, input: HeatInput) -> Calling<'_, HeatPage> {
        let engine = &self.engine;
        Box::pin(async move {
            let run = || -> Running<'_, _> { Box::pin(engine.describe_heat(input.clone())) };
            engine.on_newest_to_describe(run).await
        })
    }
}

impl Blocking {
    /// Describes the hot keys; see [`Database::describe_heat`].
    pub fn describe_heat(&self, input: HeatInput) -> ApiResult<HeatPage> {
        block_on(self.database().describe_heat(input))
    }
}
