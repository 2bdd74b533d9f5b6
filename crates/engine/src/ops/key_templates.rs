//! Key templates: declares, describes and drops them, and reads keys with them. Operations of our
//! own; the service has none like them.

use crate::engine::Engine;
use crate::fault;
use crate::jobs::{Job, RewriteProgress};
use crate::layout;
use crate::schema::{
    DerivedKey, Rewritten, SCANS_MAX, TEMPLATES_MAX, Table, TableRecord, TemplateMode,
    TemplateRecord,
};
use crate::write::{Preview, TemplatePreview, preview};
use hashrange_expr::{KeyPart, KeyTemplate};
use hashrange_model::error::TemplateFault;
use hashrange_model::{ApiResult, AttributeType, Reason};
use hashrange_storage::Store;

/// Number of items up to which a declaration waits until they are rewritten.
const READY_ITEMS_MAX: i64 = 10_000;
/// Maximum of items that a preview examines.
const PREVIEWED_MAX: u64 = 200_000;
/// Maximum of items that a declaration examines for mistakes in the template.
const LOOKED_AT_MAX: u64 = 2_000;

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
    /// True if the attribute is a key attribute of the table or of an index.
    pub is_key: bool,
    /// Progress of rewriting existing items, or of examining them by a template that only checks;
    /// `None` when it is done.
    pub rewriting: Option<Rewriting>,
    /// Result of the last rewriting that was finished.
    pub rewritten: Option<Rewritten>,
    /// True if the rewriting can be undone.
    pub can_undo: bool,
    /// Likely mistakes in a template that was declared just now.
    pub warnings: Vec<String>,
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
    /// small table this waits for the job.
    pub async fn put_key_template(
        &self,
        table_name: &str,
        text: &str,
        mode: TemplateMode,
    ) -> ApiResult<KeyTemplateDescription> {
        let template = KeyTemplate::parse(text).map_err(Reason::KeyTemplate)?;
        let warnings = self.preview(table_name, &template, mode, LOOKED_AT_MAX).await?.warnings;
        let (table, forgotten) = {
            let _definitions = self.core().lock_definitions().await?;
            let table = self.changeable_table(table_name)?;
            let record = with_template(&table, &template, mode)?;
            self.check_unset(&table, &template, mode).await?;
            let attribute = template.attribute();
            let mut forgotten = rewritings_of(&table.record, attribute);
            let own = record.key_templates.iter().find(|it| it.is_of(attribute));
            forgotten.retain(|rewriting| own.is_none_or(|own| own.rewriting != *rewriting));
            // A walk under way has to begin again.
            let row = layout::rewriting(table.id());
            let replaced = self.core().replace_table(&table, record, vec![row.clone()], |batch| {
                batch.delete(row.clone());
            });
            (replaced.await?, forgotten)
        };
        for rewriting in forgotten {
            self.forget_undos(table.id(), rewriting).await?;
        }
        self.rewrite_items(&table).await?;
        let described = self.describe_key_templates(table_name).await?;
        let declared = described.into_iter().find(|it| it.attribute == template.attribute());
        let declared = declared.ok_or_else(|| no_such(template.attribute()))?;
        Ok(KeyTemplateDescription { warnings, ..declared })
    }

    /// Returns what a key template would do to the items of a table. Of a large table it looks at
    /// the first items only.
    pub async fn preview_key_template(
        &self,
        table_name: &str,
        text: &str,
        mode: TemplateMode,
    ) -> ApiResult<TemplatePreview> {
        let template = KeyTemplate::parse(text).map_err(Reason::KeyTemplate)?;
        self.preview(table_name, &template, mode, PREVIEWED_MAX).await
    }

    /// Begins to rewrite the items of a table; for a small table this waits for the job.
    pub(super) async fn rewrite_items(&self, table: &Table) -> ApiResult<()> {
        let ended = self.begin_job(Job::Rewrite { table: table.id() });
        if self.core().options.jobs_run && self.counted_items(table).await? <= READY_ITEMS_MAX {
            // Whatever the outcome: a failed job is tried again, and the description is true.
            ended.await.unwrap_or_default();
        }
        Ok(())
    }

    /// Refuses a template that would set keys of the table in items that exist.
    async fn check_unset(
        &self,
        table: &Table,
        template: &KeyTemplate,
        mode: TemplateMode,
    ) -> ApiResult<()> {
        let attribute = template.attribute();
        let is_primary = table.key.contains(attribute);
        if is_primary && mode.fills() && self.counted_items(table).await? > 0 {
            let fault = TemplateFault::KeysAreSet(attribute.to_owned());
            return Err(Reason::KeyTemplate(fault).into());
        }
        Ok(())
    }

    async fn preview(
        &self,
        table_name: &str,
        template: &KeyTemplate,
        mode: TemplateMode,
        most: u64,
    ) -> ApiResult<TemplatePreview> {
        let table = self.changeable_table(table_name)?;
        let record = with_template(&table, template, mode)?;
        self.check_unset(&table, template, mode).await?;
        let derived = record.derived_keys().unwrap_or_default();
        let is_it = |key: &&DerivedKey| key.template.attribute() == template.attribute();
        let Some(key) = derived.iter().find(is_it) else { return Ok(TemplatePreview::default()) };
        preview(self.core(), Preview::new(&table, key), most).await
    }

    /// Drops the key template of an attribute. Existing items keep the derived values.
    pub async fn delete_key_template(&self, table_name: &str, attribute: &str) -> ApiResult<()> {
        let _definitions = self.core().lock_definitions().await?;
        let table = self.changeable_table(table_name)?;
        let mut templates = table.record.key_templates.clone();
        templates.retain(|record| !record.is_of(attribute));
        if templates.len() == table.record.key_templates.len() {
            return Err(no_such(attribute).into());
        }
        let forgotten = rewritings_of(&table.record, attribute);
        let changed = self.core().change_table(&table, |record| {
            record.set_key_templates(templates);
            record.undoing.retain(|it| it.attribute != attribute);
            Ok(())
        });
        let table = changed.await?;
        for rewriting in forgotten {
            self.forget_undos(table.id(), rewriting).await?;
        }
        Ok(())
    }

    /// Describes the key templates of a table, in the order in which they were declared.
    pub async fn describe_key_templates(
        &self,
        table_name: &str,
    ) -> ApiResult<Vec<KeyTemplateDescription>> {
        let table = self.named_table(table_name)?;
        let rewriting = if table.is_rewriting() { Some(self.walk(&table).await?) } else { None };
        let mut described = Vec::new();
        for record in &table.record.key_templates {
            let Some(template) = record.template() else { continue };
            described.push(KeyTemplateDescription {
                attribute: template.attribute().to_owned(),
                text: record.text.clone(),
                mode: record.mode,
                is_primary: table.key.contains(template.attribute()),
                is_key: table.record.key_limit_bytes(template.attribute()).is_some(),
                rewriting: rewriting.clone().filter(|_| record.is_rewriting),
                rewritten: record.rewritten.clone(),
                can_undo: self.can_undo(table.id(), record.rewriting).await?,
                warnings: Vec::new(),
            });
        }
        Ok(described)
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

/// Returns the numbers of the rewritings of an attribute whose former values may be stored.
fn rewritings_of(record: &TableRecord, attribute: &str) -> Vec<u32> {
    let of_template = record.key_templates.iter().filter(|it| it.is_of(attribute));
    let of_undo = record.undoing.iter().filter(|it| it.attribute == attribute);
    of_template.map(|it| it.rewriting).chain(of_undo.map(|it| it.rewriting)).collect()
}

/// Refuses a template whose attribute is no string, one that uses the attribute of another template or the number of
/// versions, and one that generates parts where none can be.
fn check_template(
    table: &Table,
    template: &KeyTemplate,
    mode: TemplateMode,
) -> Result<(), TemplateFault> {
    let (record, attribute) = (&table.record, template.attribute());
    match record.key_type(attribute).map(crate::schema::KeyType::attribute_type) {
        Some(AttributeType::S) | None => {}
        Some(declared) => {
            return Err(TemplateFault::NotAString { attribute: attribute.to_owned(), declared });
        }
    }
    if template.generates() && (table.key.contains(attribute) || !mode.fills()) {
        return Err(TemplateFault::Generates(attribute.to_owned()));
    }
    let uses = |template: &KeyTemplate, used: &str| {
        let attribute = template.attribute().to_owned();
        let is_used = template.names().contains(used);
        is_used.then(|| TemplateFault::UsesDerived { attribute, used: used.to_owned() })
    };
    if let Some(fault) = uses(template, attribute) {
        return Err(fault);
    }
    if let Some(number) = record.versions.as_ref().map(|versions| &versions.number) {
        if number == attribute {
            let declared = AttributeType::N;
            return Err(TemplateFault::NotAString { attribute: number.clone(), declared });
        }
        if template.names().contains(&**number) {
            let (attribute, used) = (attribute.to_owned(), number.clone());
            return Err(TemplateFault::UsesNumber { attribute, used });
        }
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
    table: &Table,
    template: &KeyTemplate,
    mode: TemplateMode,
) -> Result<TableRecord, Reason> {
    check_template(table, template, mode).map_err(Reason::KeyTemplate)?;
    let record = &table.record;
    let mut templates = record.key_templates.clone();
    let known = templates.iter().position(|known| known.is_of(template.attribute()));
    let replaced = known.and_then(|nth| templates.get(nth));
    let rewriting = record.next_rewriting();
    let new = TemplateRecord::replacing(replaced, template.text(), mode, rewriting);
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
    record.undoing.retain(|it| it.attribute != template.attribute());
    Ok(record)
}
