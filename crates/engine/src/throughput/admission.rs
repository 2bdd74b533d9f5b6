//! Admission of one request: the request asks for every table and index that it touches, the units
//! admitted before are taken into account, and in the end it reports the units that it used.
//!
//! The service admits a request while there are units and counts the used ones afterwards.

use super::dice::Dice;
use super::meter::{Meter, Rate, Reserved};
use super::{MeterKey, Rules};
use crate::capacity::{Charge, Units};
use crate::environment::Environment;
use crate::heat::{Heat, ThrottledKey, Touched};
use crate::layout::{self, ItemKey};
use crate::schema::{Billing, Index, IndexId, IndexKind, Table};
use crate::write::Admit;
use hashrange_model::error::{Throttle, ThrottleLimit};
use hashrange_model::{Item, Reason};
use hashrange_storage::Key;

/// Under the hostile profile one in this many requests meets faults.
const FAULTY_REQUESTS: u64 = 4;
/// One in this many charges of a faulty request fails.
const FAULTY_CHARGES: u64 = 2;

/// A table or global index whose throughput a request uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charged<'t> {
    table: &'t Table,
    index: Option<&'t Index>,
    /// Hash of the partition key, if the request names one.
    partition: Option<u32>,
    charge: Charge,
}

impl<'t> Charged<'t> {
    /// Returns the charged table or global index. A local index shares the throughput of its table.
    pub(crate) fn new(
        table: &'t Table,
        index: Option<&'t Index>,
        partition: Option<u32>,
        charge: Charge,
    ) -> Self {
        let index = index.filter(|index| index.kind == IndexKind::Global);
        Self { table, index, partition, charge }
    }

    fn meter(&self) -> MeterKey {
        let index = self.index.map_or(IndexId::BASE, |index| index.id);
        MeterKey { table: self.table.id(), index, charge: self.charge }
    }

    fn throttle(&self, limit: ThrottleLimit, environment: &Environment) -> Reason {
        let name = &self.table.record.name;
        Reason::Throttled(Throttle {
            limit,
            is_index: self.index.is_some(),
            is_write: self.charge == Charge::Write,
            is_on_demand: self.table.record.billing == Billing::PayPerRequest,
            resource: match self.index {
                None => environment.table_arn(name),
                Some(index) => environment.index_arn(name, &index.name),
            },
        })
    }
}

/// Units that a request uses.
#[derive(Debug)]
struct Use {
    meter: MeterKey,
    rate: Rate,
    partition: Option<u32>,
    units: f64,
}

/// Admission of one request. No units are counted before it is settled.
#[derive(Debug)]
pub(crate) struct Admission<'e> {
    rules: &'e Rules,
    environment: &'e Environment,
    /// Recorder of throttled keys.
    heat: &'e Heat,
    now_ms: u64,
    /// State of the choices at the start, for a request that begins again.
    start: Dice,
    dice: Dice,
    is_faulty: bool,
    /// True if a conflict with a transaction is one of the faults.
    may_conflict: bool,
    /// Factor for the units of a table, not of an index.
    factor: f64,
    used: Vec<Use>,
    /// Keys of writes that were throttled, until the writes are decided.
    throttled: Vec<ThrottledKey>,
}

impl<'e> Admission<'e> {
    pub(super) fn new(rules: &'e Rules, environment: &'e Environment, heat: &'e Heat) -> Self {
        let mut dice = Dice::new(rules.seed, rules.next_request());
        let is_faulty = rules.is_hostile && dice.one_in(FAULTY_REQUESTS);
        Self {
            rules,
            environment,
            heat,
            now_ms: (environment.now_ms)(),
            start: dice.clone(),
            dice,
            is_faulty,
            may_conflict: true,
            factor: 1.0,
            used: Vec::new(),
            throttled: Vec::new(),
        }
    }

    /// Returns the admission of a batch, whose members meet no conflicts.
    pub(crate) fn of_batch(self) -> Self {
        Self { may_conflict: false, ..self }
    }

    /// Returns the admission of a transaction, which uses twice as many units on tables.
    pub(crate) fn of_transaction(self) -> Self {
        Self { factor: 2.0, ..self }
    }

    /// Returns whether this request gets the error that the first request with its token is under
    /// way.
    pub(crate) fn is_in_progress(&mut self) -> bool {
        let is_in_progress = self.is_faulty && self.dice.one_in(FAULTY_CHARGES);
        self.start = self.dice.clone();
        is_in_progress
    }

    /// Admits the request to a table or index, or returns the reason for refusing it.
    pub(super) fn admit(
        &mut self,
        charged: &Charged<'_>,
        touched: Option<Touched<'_>>,
    ) -> Result<(), Reason> {
        let admitted = if self.rules.is_hostile {
            self.admit_by_dice(charged)
        } else {
            self.admit_by_meter(charged)
        };
        if let (Err(Reason::Throttled(_)), Some(touched)) = (&admitted, touched)
            && self.heat.watches(charged.table)
        {
            match (touched, charged.charge) {
                (Touched::Item(key), Charge::Write) => {
                    let kept = self.heat.keep_throttled(charged.table, charged.index, key);
                    self.throttled.extend(kept);
                }
                _ => self.heat.throttled(charged.table, charged.index, touched),
            }
        }
        admitted
    }

    fn admit_by_dice(&mut self, charged: &Charged<'_>) -> Result<(), Reason> {
        if !self.is_faulty || !self.dice.one_in(FAULTY_CHARGES) {
            return Ok(());
        }
        let is_write_of_table = charged.charge == Charge::Write && charged.index.is_none();
        let is_transactional = is_write_of_table || self.factor > 1.0;
        if self.may_conflict && is_transactional && self.dice.one_in(2) {
            return Err(Reason::TransactionConflict);
        }
        let limit = match (self.dice.one_in(2), charged.table.record.billing) {
            (true, _) => ThrottleLimit::KeyRange,
            (false, Billing::Provisioned) => ThrottleLimit::Provisioned,
            (false, Billing::PayPerRequest) => ThrottleLimit::Account,
        };
        Err(charged.throttle(limit, self.environment))
    }

    fn admit_by_meter(&self, charged: &Charged<'_>) -> Result<(), Reason> {
        let (key, rate) = (charged.meter(), Rate::of(charged.table, charged.index, charged.charge));
        let mut reserved = Reserved::default();
        for used in self.used.iter().filter(|used| used.meter == key) {
            reserved.whole += used.units;
            if used.partition == charged.partition {
                reserved.partition += used.units;
            }
        }
        let mut meters = self.rules.meters();
        let meter =
            meters.entry(key).or_insert_with(|| Meter::new(charged.charge, rate, self.now_ms));
        match meter.exceeded(rate, charged.partition, reserved, self.now_ms) {
            None => Ok(()),
            Some(limit) => Err(charged.throttle(limit, self.environment)),
        }
    }

    /// Adds the units used on a table or index.
    pub(super) fn add(&mut self, charged: &Charged<'_>, units: f64) {
        let rate = Rate::of(charged.table, charged.index, charged.charge);
        self.used.push(Use { meter: charged.meter(), rate, partition: charged.partition, units });
    }

    /// Counts the used units.
    pub(crate) fn settle(mut self) {
        self.count();
    }

    fn count(&mut self) {
        if self.rules.is_hostile {
            return;
        }
        let mut meters = self.rules.meters();
        for Use { meter, rate, partition, units } in self.used.drain(..) {
            meters
                .entry(meter)
                .or_insert_with(|| Meter::new(meter.charge, rate, self.now_ms))
                .take(rate, partition, units, self.now_ms);
        }
    }

    pub(super) fn dice(&mut self) -> &mut Dice {
        &mut self.dice
    }

    pub(super) fn is_hostile(&self) -> bool {
        self.rules.is_hostile
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.now_ms
    }
}

impl Admit for Admission<'_> {
    fn restart(&mut self) {
        self.dice = self.start.clone();
        self.used.clear();
        self.throttled.clear();
    }

    fn admit_write(&mut self, table: &Table, key: &ItemKey) -> Result<(), Reason> {
        let charged = Charged::new(table, None, Some(key.hash()), Charge::Write);
        self.admit(&charged, Some(Touched::Item(&key.bytes)))
    }

    fn admit_indexes(
        &mut self,
        table: &Table,
        units: &Units,
        (old, new): (Option<&Item>, Option<&Item>),
    ) -> Result<(), Reason> {
        for (charged, _, key) in charged_indexes(table, units, new.or(old)) {
            self.admit(&charged, key.as_deref().map(Touched::Item))?;
        }
        Ok(())
    }

    fn add_write(&mut self, table: &Table, partition: u32, units: &Units, image: Option<&Item>) {
        let local: f64 = units
            .indexes
            .iter()
            .filter(|(nth, _)| table.indexes[*nth].kind == IndexKind::Local)
            .map(|(_, units)| units)
            .sum();
        let charged = Charged::new(table, None, Some(partition), Charge::Write);
        self.add(&charged, self.factor * units.table + local);
        for (charged, units, _) in charged_indexes(table, units, image) {
            self.add(&charged, units);
        }
    }

    fn settle(&mut self) {
        self.heat.tell_throttled(&self.throttled);
        self.count();
    }
}

/// Returns the global indexes that a write changes, with the write's units on them and the keys of
/// the changed entries.
fn charged_indexes<'a>(
    table: &'a Table,
    units: &'a Units,
    image: Option<&'a Item>,
) -> impl Iterator<Item = (Charged<'a>, f64, Option<Key>)> {
    let global = units.indexes.iter().map(|(nth, units)| (&table.indexes[*nth], *units));
    global.filter(|(index, _)| index.kind == IndexKind::Global).map(move |(index, units)| {
        let key = image.and_then(|image| layout::entry_key(table, index, image));
        let partition = key.as_deref().map(layout::hash_of);
        (Charged::new(table, Some(index), partition, Charge::Write), units, key)
    })
}
