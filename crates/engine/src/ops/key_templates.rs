//! Key templates: declares, describes and drops them, and reads keys with them. Operations of our
//! own; the service has none like them.

use crate::engine::Engine;
use crate::fault;
use crate::jobs::{Job, RewriteProgress};
use crate::layout;
use crate::schema::{
    Rewritten, SCANS_MAX, TEMPLATES_MAX, Table, TableRecord, TemplateMode, TemplateRecord,
};
use crate::write::others;
use hashrange_expr::{KeyPart, KeyTemplate};
use hashrange_model::error::TemplateFault;
use hashrange_model::{ApiResult, AttributeType, Reason};
use hashrange_storage::Store;

/// Number of items up to which a declaration waits until they are rewritten.
const READY_ITEMS_MAX: i64 = 10_000;

/// A key template of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplateDescription {
    /// Attribute that the template derives.
    pub attribute: String,
    /// Text of the template.
    pub text: String,
    /// Mode: what writes do with the attribute.
    pub mode: TemplateMode,
    /// True if the attribute is a key attribute of the table itself, and not only of indexes.
    pub is_primary: bool,
    /// Progress of rewriting existing items, or of examining them by a template that only checks;
    /// `None` when it is done.
    pub rewriting: Option<Rewriting>,
    /// Result of the last rewriting that was finished.
    pub rewritten: Option<Rewritten>,
}

/// Progress of rewriting existing items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewriting {
    /// Result so far.
    pub so_far: Rewritten,
    /// Number of items in the table.
    pub items: i64,
}

/// A key as a template of a table parses it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedKey {
    /// Attribute that the template derives.
    pub attribute: String,
    /// Case of the template, counted from 0.
    pub case: usize,
    /// Parts of the key, in order.
    pub parts: Vec<KeyPart>,
}

impl<S: Store> Engine<S> {
    /// Declares a key template of a table, and replaces that of the same attribute, if there is
    /// one. Writes follow it from now on; a job rewrites existing items in the background. For a
    /// small table this waits for the job. A template that would remove keys which clients wrote is
    /// refused, unless its mode permits it.
    pub async fn put_key_template(
        &self,
        table_name: &str,
        text: &str,
        mode: TemplateMode,
    ) -> ApiResult<KeyTemplateDescription> {
        let template = KeyTemplate::parse(text).map_err(Reason::KeyTemplate)?;
        self.refuse_to_remove_others(table_name, &template, mode).await?;
        let table = {
            let _definitions = self.core().lock_definitions().await?;
            let table = self.changeable_table(table_name)?;
            check_template(&table.record, &template).map_err(Reason::KeyTemplate)?;
            let is_primary = table.key.contains(template.attribute());
            if is_primary && mode.fills() && self.counted_items(&table).await? > 0 {
                let attribute = template.attribute().to_owned();
                return Err(Reason::KeyTemplate(TemplateFault::KeysAreSet(attribute)).into());
            }
            let record = with_template(&table.record, &template, mode)?;
            // A walk under way has to begin again.
            let row = layout::rewriting(table.id());
            let replaced = self.core().replace_table(&table, record, vec![row.clone()], |batch| {
                batch.delete(row.clone());
            });
            replaced.await?
        };
        let ended = self.begin_job(Job::Rewrite { table: table.id() });
        if self.core().options.jobs_run && self.counted_items(&table).await? <= READY_ITEMS_MAX {
            // Whatever the outcome: a failed job is tried again, and the description is true.
            ended.await.unwrap_or_default();
        }
        let described = self.describe_key_templates(table_name).await?;
        let declared = described.into_iter().find(|it| it.attribute == template.attribute());
        declared.ok_or_else(|| no_such(template.attribute()).into())
    }

    /// Refuses a template that would remove keys which clients wrote, if its mode does not permit
    /// it.
    async fn refuse_to_remove_others(
        &self,
        table_name: &str,
        template: &KeyTemplate,
        mode: TemplateMode,
    ) -> ApiResult<()> {
        let table = self.changeable_table(table_name)?;
        check_template(&table.record, template).map_err(Reason::KeyTemplate)?;
        let attribute = template.attribute();
        if mode != TemplateMode::Fill || table.key.contains(attribute) {
            return Ok(());
        }
        let record = with_template(&table.record, template, mode)?;
        let derived = record.derived_keys().unwrap_or_default();
        let Some(key) = derived.iter().find(|key| key.template.attribute() == attribute) else {
            return Ok(());
        };
        let others = others(self.core(), table.id(), key).await?;
        if others.items == 0 {
            return Ok(());
        }
        let fault = TemplateFault::RemovesOthers {
            attribute: attribute.to_owned(),
            items: others.items,
            examined: others.examined,
            are_all: others.are_all,
            examples: others.examples,
        };
        Err(Reason::KeyTemplate(fault).into())
    }

    /// Drops the key template of an attribute. Existing items keep the derived values.
    pub async fn delete_key_template(&self, table_name: &str, attribute: &str) -> ApiResult<()> {
        let _definitions = self.core().lock_definitions().await?;
        let table = self.changeable_table(table_name)?;
        let mut templates = table.record.key_templates.clone();
        templates.retain(|record| !is_of(record, attribute));
        if templates.len() == table.record.key_templates.len() {
            return Err(no_such(attribute).into());
        }
        let changed = self.core().change_table(&table, |record| {
            record.set_key_templates(templates);
            Ok(())
        });
        changed.await?;
        Ok(())
    }

    /// Describes the key templates of a table, in the order in which they were declared.
    pub async fn describe_key_templates(
        &self,
        table_name: &str,
    ) -> ApiResult<Vec<KeyTemplateDescription>> {
        let table = self.named_table(table_name)?;
        let rewriting = if table.is_rewriting() { Some(self.walk(&table).await?) } else { None };
        let templates = table.record.key_templates.iter();
        let described = templates.filter_map(|record| {
            let template = record.template()?;
            Some(KeyTemplateDescription {
                attribute: template.attribute().to_owned(),
                text: record.text.clone(),
                mode: record.mode,
                is_primary: table.key.contains(template.attribute()),
                rewriting: rewriting.clone().filter(|_| record.is_rewriting),
                rewritten: record.rewritten.clone(),
            })
        });
        Ok(described.collect())
    }

    /// Parses a key with every template of a table that could have made it, or with that of one
    /// attribute.
    ///
    /// A validation error means that no template could have made it.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn parse_key(
        &self,
        table_name: &str,
        attribute: Option<&str>,
        key: &str,
    ) -> ApiResult<Vec<ParsedKey>> {
        let table = self.named_table(table_name)?;
        let templates = table.derived.iter().flatten().map(|derived| &derived.template);
        let is_asked =
            |template: &&KeyTemplate| attribute.is_none_or(|it| template.attribute() == it);
        let asked: Vec<&KeyTemplate> = templates.filter(is_asked).collect();
        if let (Some(attribute), []) = (attribute, &asked[..]) {
            return Err(no_such(attribute).into());
        }
        let parsed: Vec<ParsedKey> =
            asked.into_iter().flat_map(|template| readings(template, key)).collect();
        if parsed.is_empty() {
            return Err(Reason::KeyTemplate(TemplateFault::KeyOfNone).into());
        }
        Ok(parsed)
    }

    async fn walk(&self, table: &Table) -> ApiResult<Rewriting> {
        let row = layout::rewriting(table.id());
        let stored = self.core().store.get(&row).await.map_err(fault::of_store)?;
        let walk = RewriteProgress::decode(stored.as_deref(), table)
            .ok_or_else(|| fault::of_value(&row))?;
        Ok(Rewriting { so_far: walk.so_far, items: self.counted_items(table).await? })
    }
}

fn readings(template: &KeyTemplate, key: &str) -> Vec<ParsedKey> {
    let parsed = template.read(key).into_iter().map(|reading| ParsedKey {
        attribute: template.attribute().to_owned(),
        case: reading.case,
        parts: reading.parts,
    });
    parsed.collect()
}

fn no_such(attribute: &str) -> Reason {
    Reason::KeyTemplate(TemplateFault::NoSuchTemplate(attribute.to_owned()))
}

fn is_of(record: &TemplateRecord, attribute: &str) -> bool {
    record.template().is_some_and(|template| template.attribute() == attribute)
}

/// Refuses a template whose attribute is no string key, and one that uses the attribute of another
/// template.
fn check_template(record: &TableRecord, template: &KeyTemplate) -> Result<(), TemplateFault> {
    let attribute = template.attribute();
    if record.key_limit_bytes(attribute).is_none() {
        return Err(TemplateFault::NotAKey(attribute.to_owned()));
    }
    match record.key_type(attribute).map(crate::schema::KeyType::attribute_type) {
        Some(AttributeType::S) | None => {}
        Some(declared) => {
            return Err(TemplateFault::NotAString { attribute: attribute.to_owned(), declared });
        }
    }
    let uses = |template: &KeyTemplate, used: &str| {
        let attribute = template.attribute().to_owned();
        let is_used = template.names().contains(used);
        is_used.then(|| TemplateFault::UsesDerived { attribute, used: used.to_owned() })
    };
    if let Some(fault) = uses(template, attribute) {
        return Err(fault);
    }
    let templates = record.key_templates.iter().filter_map(TemplateRecord::template);
    for other in templates.filter(|it| it.attribute() != attribute) {
        let fault = uses(template, other.attribute()).or_else(|| uses(&other, attribute));
        fault.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Returns a table's record with a template added or replaced.
fn with_template(
    record: &TableRecord,
    template: &KeyTemplate,
    mode: TemplateMode,
) -> Result<TableRecord, Reason> {
    let mut templates = record.key_templates.clone();
    let known = templates.iter().position(|known| is_of(known, template.attribute()));
    let replaced = known.and_then(|nth| templates.get(nth));
    let new = TemplateRecord::replacing(replaced, template.text(), mode);
    match known {
        Some(nth) => templates[nth] = new,
        None if templates.len() == TEMPLATES_MAX => {
            return Err(Reason::KeyTemplate(TemplateFault::TooMany(TEMPLATES_MAX)));
        }
        None => templates.push(new),
    }
    let of_record = |record: &TemplateRecord| record.template().map_or(0, |it| it.scans());
    if templates.iter().map(of_record).sum::<usize>() > SCANS_MAX {
        return Err(Reason::KeyTemplate(TemplateFault::TooManyTests(SCANS_MAX)));
    }
    let mut record = record.clone();
    record.set_key_templates(templates);
    Ok(record)
}
