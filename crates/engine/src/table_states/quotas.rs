//! Quotas of the account under the profile `aws`: the number of tables and of their changes at a
//! time, the provisioned units, and the rates of decreases and of changes of settings.
//!
//! Most quotas are computed from the definitions of the tables and from the changes that look
//! unfinished; only the times of changes of settings are kept in memory. The caller holds
//! `definitions`.

use crate::capacity::{ACCOUNT_UNITS_MAX, TABLE_UNITS_MAX};
use crate::engine::Engine;
use crate::schema::{IndexKind, StorageClass, TableId, TableRecord, Throughput};
use crate::throughput::{Setting, Status};
use hashrange_model::Reason;
use hashrange_model::error::Quota;
use hashrange_storage::Store;

/// Maximum of tables. Source: developer guide, "Quotas in Amazon DynamoDB": tables per account and
/// region.
const TABLES_MAX: usize = 2500;
/// Maximum of tables in change. Source: API reference, `LimitExceededException`: simultaneous table
/// operations.
const TABLE_CHANGES_MAX: usize = 500;
/// Maximum of tables with indexes in creation. Source: API reference, `LimitExceededException`:
/// creations of tables with secondary indexes.
const INDEXED_CREATIONS_MAX: usize = 250;
/// Decreases in a day without an interval. Source: developer guide, "Quotas in Amazon DynamoDB":
/// decreases of provisioned throughput.
const FREE_DECREASES: i64 = 4;
const DECREASE_INTERVAL_MS: u64 = 60 * 60 * 1000;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Pause between changes of deletion protection, milliseconds. Source, also of the constants below:
/// answers of 2026-10.
const PROTECTION_PAUSE_MS: u64 = 15_000;
const CLASS_CHANGES_MAX: usize = 2;
const CLASS_WINDOW_MS: u64 = 30 * DAY_MS;
const FREE_ENCRYPTION_CHANGES: usize = 4;
const ENCRYPTION_WINDOW_MS: u64 = DAY_MS;
const ENCRYPTION_PAUSE_MS: u64 = 21_600 * 1000;
/// Pause between changes of time to live, milliseconds: one was refused after 1811 seconds,
/// accepted after 1872.
const TIME_TO_LIVE_PAUSE_MS: u64 = 31 * 60 * 1000;

impl<S: Store> Engine<S> {
    /// Refuses a new table that exceeds a quota of the account.
    pub(crate) fn check_new_table(&self, record: &TableRecord) -> Result<(), Reason> {
        if !self.keeps_quotas() {
            return Ok(());
        }
        let tables = self.core().catalog.all();
        if tables.len() + self.deleted_table_names().len() >= TABLES_MAX {
            return Err(Reason::Quota(Quota::Tables(TABLES_MAX)));
        }
        self.check_table_changes()?;
        let is_created = |record: &TableRecord| !record.indexes.is_empty();
        let created = tables.iter().filter(|table| self.status(table) == Status::Creating);
        let indexed = created.filter(|table| is_created(&table.record)).count();
        if is_created(record) && indexed >= INDEXED_CREATIONS_MAX {
            return Err(Reason::Quota(Quota::IndexedTableCreations));
        }
        self.check_units(None, record)
    }

    /// Refuses to change one more table while too many are in change.
    pub(crate) fn check_table_changes(&self) -> Result<(), Reason> {
        if !self.keeps_quotas() {
            return Ok(());
        }
        let tables = self.core().catalog.all();
        let changing = tables.iter().filter(|table| self.status(table) != Status::Active).count();
        if changing + self.deleted_table_names().len() >= TABLE_CHANGES_MAX {
            return Err(Reason::Quota(Quota::TableChanges(TABLE_CHANGES_MAX)));
        }
        Ok(())
    }

    /// Refuses a change of provisioned units that exceeds a quota.
    pub(crate) fn check_new_units(
        &self,
        old: &TableRecord,
        new: &TableRecord,
    ) -> Result<(), Reason> {
        if !self.keeps_quotas() {
            return Ok(());
        }
        let now_ms = (self.environment().now_ms)();
        check_decrease(&old.throughput, &new.throughput, now_ms)?;
        for index in &new.indexes {
            if let Some(known) = old.indexes.iter().find(|known| known.id == index.id) {
                check_decrease(&known.throughput, &index.throughput, now_ms)?;
            }
        }
        self.check_units(Some(old), new)
    }

    fn keeps_quotas(&self) -> bool {
        self.limiter().is_some_and(|limiter| !limiter.is_hostile())
    }

    /// Refuses more units than a table, an index and the account may have. A decrease is never
    /// refused.
    fn check_units(&self, old: Option<&TableRecord>, new: &TableRecord) -> Result<(), Reason> {
        let region = &self.environment().region;
        let known = old.map(|old| &old.throughput);
        check_maximum(None, known, &new.throughput, region)?;
        for index in new.visible_indexes().filter(|index| index.kind == IndexKind::Global) {
            let known = old.and_then(|old| old.indexes.iter().find(|one| one.id == index.id));
            let known = known.map(|known| &known.throughput);
            check_maximum(Some(&index.name), known, &index.throughput, region)?;
        }
        self.check_on_demand_maxima(new)?;
        let tables = self.core().catalog.all();
        let reserved = tables
            .iter()
            .map(|table| units(&table.record))
            .fold((0, 0), |sum: (i64, i64), of| (sum.0 + of.0, sum.1 + of.1));
        let (known, new) = (old.map_or((0, 0), units), units(new));
        for (is_write, reserved, requested) in
            [(false, reserved.0, new.0 - known.0), (true, reserved.1, new.1 - known.1)]
        {
            if requested > 0 && reserved.saturating_add(requested) > ACCOUNT_UNITS_MAX {
                return Err(Reason::Quota(Quota::AccountUnits {
                    is_write,
                    reserved,
                    requested,
                    limit: ACCOUNT_UNITS_MAX,
                    region: region.clone(),
                }));
            }
        }
        Ok(())
    }

    fn check_on_demand_maxima(&self, new: &TableRecord) -> Result<(), Reason> {
        let of_table = (None, new.on_demand);
        let of_indexes = new.visible_indexes().map(|index| (Some(&index.name), index.on_demand));
        for (index, maxima) in std::iter::once(of_table).chain(of_indexes) {
            let maxima = maxima.unwrap_or_default();
            for (is_write, maximum) in [(false, maxima.read), (true, maxima.write)] {
                if maximum.is_some_and(|maximum| maximum > TABLE_UNITS_MAX) {
                    let (index, region) = (index.cloned(), self.environment().region.clone());
                    return Err(Reason::Quota(Quota::OnDemandMaximum { index, is_write, region }));
                }
            }
        }
        Ok(())
    }

    /// Refuses a change of a setting too soon after others.
    pub(crate) fn check_new_settings(
        &self,
        old: &TableRecord,
        new: &TableRecord,
        is_encryption_asked: bool,
    ) -> Result<(), Reason> {
        let Some(limiter) = self.limiter().filter(|_| self.keeps_quotas()) else {
            return Ok(());
        };
        let now_ms = (self.environment().now_ms)();
        let history = limiter.history();
        for setting in changed_settings(old, new, is_encryption_asked) {
            let times = history.of(new.id, setting);
            let exceeded = match setting {
                Setting::Protection => protection_exceeded(times, now_ms, &new.name),
                Setting::Class => class_exceeded(times, now_ms),
                Setting::Encryption => encryption_exceeded(times, now_ms),
                Setting::TimeToLive => None, // judged where it is changed
            };
            if let Some(quota) = exceeded {
                return Err(Reason::Quota(quota));
            }
        }
        Ok(())
    }

    /// Refuses a change of time to live soon after another.
    pub(crate) fn check_time_to_live_pause(&self, table: TableId) -> Result<(), Reason> {
        let Some(limiter) = self.limiter().filter(|_| self.keeps_quotas()) else {
            return Ok(());
        };
        let now_ms = (self.environment().now_ms)();
        match limiter.history().of(table, Setting::TimeToLive).last() {
            Some(last) if now_ms < last + TIME_TO_LIVE_PAUSE_MS => Err(Reason::TimeToLiveChanging),
            Some(_) | None => Ok(()),
        }
    }

    /// Records the time of a change of time to live.
    pub(crate) fn remember_time_to_live(&self, table: TableId) {
        let Some(limiter) = self.limiter() else { return };
        let now_ms = (self.environment().now_ms)();
        limiter.history().set(table, Setting::TimeToLive, now_ms);
    }

    /// Records the times of changes of settings.
    pub(crate) fn remember_settings(
        &self,
        old: &TableRecord,
        new: &TableRecord,
        is_encryption_asked: bool,
    ) {
        let Some(limiter) = self.limiter() else { return };
        let now_ms = (self.environment().now_ms)();
        for setting in changed_settings(old, new, is_encryption_asked) {
            limiter.history().add(new.id, setting, now_ms);
        }
    }
}

fn changed_settings(
    old: &TableRecord,
    new: &TableRecord,
    is_encryption_asked: bool,
) -> impl Iterator<Item = Setting> {
    let changed_at = |record: &TableRecord| record.class.and_then(|(_, changed_at)| changed_at);
    let changed = [
        (Setting::Protection, old.protected != new.protected),
        (Setting::Class, class(old) != class(new) || changed_at(old) != changed_at(new)),
        (Setting::Encryption, is_encryption_asked),
    ];
    changed.into_iter().filter(|(_, is_changed)| *is_changed).map(|(setting, _)| setting)
}

fn class(record: &TableRecord) -> StorageClass {
    record.class.map_or(StorageClass::Standard, |(class, _)| class)
}

fn protection_exceeded(times: &[u64], now_ms: u64, table: &str) -> Option<Quota> {
    let until_ms = times.last()? + PROTECTION_PAUSE_MS;
    (now_ms < until_ms).then(|| Quota::Protection { table: table.to_owned(), until_ms })
}

fn class_exceeded(times: &[u64], now_ms: u64) -> Option<Quota> {
    let recent = times.iter().filter(|time| now_ms < *time + CLASS_WINDOW_MS).count();
    (recent >= CLASS_CHANGES_MAX).then_some(Quota::ClassChanges)
}

fn encryption_exceeded(times: &[u64], now_ms: u64) -> Option<Quota> {
    let mut recent = times.iter().filter(|time| now_ms < *time + ENCRYPTION_WINDOW_MS);
    let count = recent.clone().count();
    let (first_ms, last_ms) = (*recent.next()?, *times.last()?);
    let next_ms = last_ms + ENCRYPTION_PAUSE_MS;
    let window_ms = first_ms + ENCRYPTION_WINDOW_MS;
    (count >= FREE_ENCRYPTION_CHANGES && now_ms < next_ms).then_some(Quota::EncryptionChanges {
        count,
        window_ms,
        last_ms,
        next_ms,
    })
}

fn check_maximum(
    index: Option<&str>,
    known: Option<&Throughput>,
    new: &Throughput,
    region: &str,
) -> Result<(), Reason> {
    let known = known.map_or((0, 0), |known| (known.read, known.write));
    for (is_write, known, requested) in [(false, known.0, new.read), (true, known.1, new.write)] {
        if requested > known && requested > TABLE_UNITS_MAX {
            return Err(Reason::Quota(Quota::Units {
                index: index.map(str::to_owned),
                is_write,
                requested,
                limit: TABLE_UNITS_MAX,
                region: region.to_owned(),
            }));
        }
    }
    Ok(())
}

/// Returns the units of a table and its global indexes, for reads and for writes.
fn units(record: &TableRecord) -> (i64, i64) {
    let indexes = record.visible_indexes().filter(|index| index.kind == IndexKind::Global);
    let throughputs = indexes.map(|index| &index.throughput).chain([&record.throughput]);
    throughputs.fold((0, 0), |(read, write): (i64, i64), throughput| {
        (read.saturating_add(throughput.read), write.saturating_add(throughput.write))
    })
}

fn check_decrease(old: &Throughput, new: &Throughput, now_ms: u64) -> Result<(), Reason> {
    let is_lowered =
        (new.read, new.write) != (0, 0) && (new.read < old.read || new.write < old.write);
    let today = old.decreases_on_day_of(now_ms);
    let Some(last_ms) = old.decreased_at_ms.filter(|_| is_lowered && today >= FREE_DECREASES)
    else {
        return Ok(());
    };
    let midnight_ms = (now_ms / DAY_MS + 1) * DAY_MS;
    let next_ms = (last_ms + DECREASE_INTERVAL_MS).min(midnight_ms);
    if now_ms >= next_ms {
        return Ok(());
    }
    Err(Reason::Quota(Quota::Decreases { today, last_ms, next_ms }))
}
