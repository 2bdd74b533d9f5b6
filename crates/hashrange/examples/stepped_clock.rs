//! Time in tests: sessions that expire when the test says so.
//! `cargo run -p hashrange --example stepped_clock`.

use hashrange::{Clock, Database, Options, item};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// Runs the example.
pub fn main() -> hashrange::Result<()> {
    let clock = Clock::stopped_at(1_700_000_000_000);
    let options = Options { clock: Some(clock.clone()), ..Options::default() };
    let db = Database::memory_with(&options).blocking();
    db.create("sessions", "id:S").time_to_live("expires").run()?;

    let expires = clock.now_ms() / 1000 + HOUR.as_secs();
    db.put("sessions", item! { "id": "a", "expires": expires }).run()?;

    clock.advance(HOUR)?;
    db.catch_up_with_clock();
    assert!(db.get("sessions", item! { "id": "a" }).run()?.is_some());

    clock.advance(Duration::from_secs(1))?;
    db.catch_up_with_clock();
    assert!(db.get("sessions", item! { "id": "a" }).run()?.is_none());
    Ok(())
}
