//! Versions that a table keeps as items: begins and ends them. An option of the history; an operation of our own.

use crate::engine::Engine;
use crate::schema::{KeyType, Table, TimeToLiveState, VersionRules, VersionsRecord};
use hashrange_expr::KeyTemplate;
use hashrange_model::error::HistoryFault;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::{Batch, Store};

/// Most days after which a version expires: a hundred years.
const DAYS_MAX: u32 = 36_500;

/// Versions that a table keeps as items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionsDescription {
    /// The rules; none if the table keeps no versions as items.
    pub versions: Option<VersionsRecord>,
    /// What readers of the keys may stumble over.
    pub warnings: Vec<String>,
}

impl<S: Store> Engine<S> {
    /// Lets writes of a table keep versions as items from now on, by other rules, or no longer. Items that are there
    /// stay as they are.
    pub async fn set_versions(
        &self,
        table_name: &str,
        versions: Option<VersionsRecord>,
    ) -> ApiResult<VersionsDescription> {
        let _definitions = self.core().lock_definitions().await?;
        let table = self.changeable_table(table_name)?;
        if let Some(versions) = &versions {
            check(&table, versions).map_err(|why| Reason::History(HistoryFault::Versions(why)))?;
        }
        if table.record.versions != versions {
            let mut record = table.record.clone();
            record.set_versions(versions.clone());
            self.core().replace_table(&table, record, Vec::new(), |_: &mut Batch| {}).await?;
        }
        Ok(described(&table, versions))
    }

    /// Describes the versions that a table keeps as items.
    pub fn describe_versions(&self, table_name: &str) -> ApiResult<VersionsDescription> {
        let table = self.named_table(table_name)?;
        Ok(described(&table, table.record.versions.clone()))
    }
}

fn described(table: &Table, versions: Option<VersionsRecord>) -> VersionsDescription {
    let rules = versions.as_ref().and_then(|versions| VersionRules::of(versions).ok());
    let mut warnings = rules.map(|it| it.warnings()).unwrap_or_default();
    if let Some(days) = versions.as_ref().and_then(|it| it.keep_days)
        && let Err(why) = check_expiry(table)
    {
        warnings.push(format!("versions no longer expire after {days} days: {why}"));
    }
    VersionsDescription { versions, warnings }
}

/// Checks that the time to live of a table can expire its versions.
fn check_expiry(table: &Table) -> Result<(), String> {
    let expires = table.record.time_to_live.as_ref();
    let expires = expires
        .filter(|it| it.state != TimeToLiveState::Disabling)
        .ok_or("versions expire by the table's time to live, which is not enabled")?;
    if table.can_expire_by(&expires.attribute) {
        return Ok(());
    }
    Err(format!("the time to live {} is a key of the table, or no number", expires.attribute))
}

/// Checks rules for a table.
fn check(table: &Table, versions: &VersionsRecord) -> Result<(), String> {
    VersionRules::of(versions)?;
    let [sort] = &table.key.sort[..] else {
        return Err("the table has no sort key, in which a version differs".to_owned());
    };
    if sort.key_type != KeyType::S {
        return Err(format!("the sort key {} is no string", sort.name));
    }
    if versions.number.is_empty() || versions.number.starts_with("hashrange:") {
        return Err("the attribute of the number has a name, which does not begin with hashrange:"
            .to_owned());
    }
    if table.key.contains(&versions.number) {
        return Err(format!("{} is a key of the table, not a number of versions", versions.number));
    }
    versions.check_number(&table.record)?;
    let templates = table.derived.iter().flatten().map(|derived| &derived.template);
    let uses = |template: &KeyTemplate| {
        template.attribute() == versions.number || template.names().contains(&*versions.number)
    };
    if templates.clone().any(uses) {
        return Err(format!("a key template derives {} or uses it", versions.number));
    }
    if versions.keep == Some(0)
        || versions.keep_days.is_some_and(|days| !(1..=DAYS_MAX).contains(&days))
    {
        return Err(format!("at least 1 version, or for 1 to {DAYS_MAX} days"));
    }
    let expires = table.record.time_to_live.as_ref();
    if expires.is_some_and(|expires| expires.attribute == versions.number) {
        return Err(format!("{} is the time to live of the table", versions.number));
    }
    if versions.keep_days.is_some() { check_expiry(table) } else { Ok(()) }
}
