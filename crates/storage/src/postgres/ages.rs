//! Distance of PostgreSQL from a forced vacuum: the ages of its oldest transaction id, and of its
//! oldest list of lockers of a row (multixact), in this database.
//!
//! A lane asks now and then, after a commit. Ages that another engine of the family does not report
//! stay unknown.

use super::connect::Connection;
use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// Least time between two looks.
const PAUSE: Duration = Duration::from_secs(60);

const ASKS: &str = "SELECT age(datfrozenxid)::bigint, mxid_age(datminmxid)::bigint \
     FROM pg_database WHERE datname = current_database()";

/// Ages of the oldest ids that are not vacuumed yet, in ids given out since.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// Age of the oldest transaction id. PostgreSQL vacuums by force from
    /// `autovacuum_freeze_max_age` on, 200 million by default.
    pub transaction_ids: u64,
    /// Age of the oldest multixact. PostgreSQL vacuums by force from
    /// `autovacuum_multixact_freeze_max_age` on, 400 million by default.
    pub multixacts: u64,
}

/// Ages at the last look.
#[derive(Debug, Default)]
pub(super) struct AgesSeen(Mutex<LastAges>);

#[derive(Debug, Default)]
struct LastAges {
    asked: Option<Instant>,
    ages: Option<Ages>,
}

impl AgesSeen {
    /// Returns the ages, if they are known.
    pub(super) fn get(&self) -> Option<Ages> {
        self.0.lock().ages
    }

    /// Asks for the ages if it is time to.
    pub(super) async fn look(&self, connection: &Connection) {
        {
            let (mut seen, now) = (self.0.lock(), Instant::now());
            if seen.asked.is_some_and(|asked| now < asked + PAUSE) {
                return;
            }
            seen.asked = Some(now);
        }
        // If that failed, the next user of the connection gets the error.
        let asked = connection.answer(connection.client.query_one(ASKS, &[])).await;
        let Ok(row) = asked else { return };
        let age =
            |nth: usize| row.try_get::<_, i64>(nth).ok().and_then(|age| u64::try_from(age).ok());
        if let Some((transaction_ids, multixacts)) = age(0).zip(age(1)) {
            self.0.lock().ages = Some(Ages { transaction_ids, multixacts });
        }
    }
}
