//! The same calls in async code: items of all pages as a stream.
//! `cargo run -p hashrange --example async_pages`.

use hashrange::{Database, item};

/// Runs the example. Any runtime will do; this one is the library's own, for one future.
pub fn main() -> hashrange::Result<()> {
    hashrange::block_on(async {
        let db = Database::memory();
        db.create("readings", "sensor:S at:N").await?;
        let readings = (0..500).map(|at| item! { "sensor": "a", "at": at, "value": (at % 7) });
        db.batch_write().put_all("readings", readings).await?;

        // `Items` is a `futures_core::Stream`, so the adapters of `futures` work on it too.
        let mut readings = db.query("readings").key("sensor = 'a'").reverse().limit(50).items();
        let mut sum = 0;
        while let Some(reading) = readings.next().await {
            sum += reading?.get_as::<u64>("value")?;
        }
        assert_eq!(sum, (0..500).map(|at| at % 7).sum::<u64>());
        Ok(())
    })
}
