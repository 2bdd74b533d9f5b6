//! What a table's record says of key templates, and what writes follow of it.
//!
//! Left to others: the language ([`hashrange_expr::KeyTemplate`]), what a write derives (`write/derive.rs`),
//! how existing items are rewritten (`jobs/rewrite.rs`).

use super::{KeyType, TableRecord};
use hashrange_expr::KeyTemplate;
use hashrange_model::limits::{PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES};
use serde::{Deserialize, Serialize};

/// Most templates of a table.
pub(crate) const TEMPLATES_MAX: usize = 64;
/// Most tests that read through an item in the conditions of all templates of a table: as many as one expression
/// may have operators. Each write makes them, while it holds its keys.
pub(crate) const SCANS_MAX: usize = hashrange_model::limits::EXPRESSION_OPERATORS_MAX;

/// What is done with the attribute of a key template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateMode {
    /// The attribute is set to what is derived, and removed where nothing is.
    Fill,
    /// A write whose item differs from what is derived is refused.
    Check,
}

/// What came of the rewriting of existing items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rewritten {
    /// Items that were looked at.
    pub examined: u64,
    /// Items that were changed.
    pub changed: u64,
    /// Items that the templates refuse, and that were left as they are.
    pub refused: u64,
    /// Why the first of them is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_refused: Option<String>,
}

/// The stored form of a key template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateRecord {
    /// The template, as [`KeyTemplate::parse`] takes it.
    pub text: String,
    /// What is done with its attribute.
    pub mode: TemplateMode,
    /// Whether existing items are being rewritten by it.
    pub is_rewriting: bool,
    /// What came of the last rewriting that was finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<Rewritten>,
}

impl TemplateRecord {
    /// Returns the template; `None` for a text of a newer release, or a damaged one.
    pub fn template(&self) -> Option<KeyTemplate> {
        KeyTemplate::parse(&self.text).ok()
    }
}

/// A key template that writes follow.
#[derive(Debug)]
pub struct DerivedKey {
    /// The template.
    pub(crate) template: KeyTemplate,
    /// What is done with its attribute.
    pub(crate) mode: TemplateMode,
    /// Whether the attribute is a key attribute of the table itself.
    pub(crate) is_primary: bool,
    /// Whether existing items are being rewritten, or examined, by it.
    pub(crate) is_rewriting: bool,
    /// Longest key.
    pub(crate) limit_bytes: usize,
}

impl TableRecord {
    /// Returns the longest value of a key attribute: of every place where it is one.
    pub(crate) fn key_limit_bytes(&self, attribute: &str) -> Option<usize> {
        let indexes = self.visible_indexes().map(|index| &index.key);
        let limits = std::iter::once(&self.key).chain(indexes).flat_map(|key| {
            let at =
                |names: &[String], limit| names.iter().any(|it| it == attribute).then_some(limit);
            let partition = at(&key.partition, PARTITION_KEY_MAX_BYTES);
            partition.into_iter().chain(at(&key.sort, SORT_KEY_MAX_BYTES))
        });
        limits.min()
    }

    /// Drops the templates of attributes that are no keys any more.
    pub(crate) fn drop_unused_templates(&mut self) {
        let mut templates = std::mem::take(&mut self.key_templates);
        templates.retain(|record| {
            let template = record.template();
            template.is_some_and(|template| self.key_limit_bytes(template.attribute()).is_some())
        });
        self.set_key_templates(templates);
    }

    /// Sets the templates, and the version that releases without them refuse.
    pub(crate) fn set_key_templates(&mut self, templates: Vec<TemplateRecord>) {
        if self.version < Self::VERSION_WITH_TEMPLATES && !templates.is_empty() {
            self.version = Self::VERSION_WITH_TEMPLATES;
        }
        self.key_templates = templates;
    }

    /// Returns the templates that writes follow.
    pub(super) fn derived_keys(&self) -> Option<Vec<DerivedKey>> {
        let derived: Vec<DerivedKey> =
            self.key_templates.iter().filter_map(|record| self.derived_key(record)).collect();
        (!derived.is_empty()).then_some(derived)
    }

    fn derived_key(&self, record: &TemplateRecord) -> Option<DerivedKey> {
        let template = record.template()?;
        let limit_bytes = self.key_limit_bytes(template.attribute())?;
        if self.key_type(template.attribute()) != Some(KeyType::S) {
            return None;
        }
        let is_primary = self.key.contains(template.attribute());
        let (mode, is_rewriting) = (record.mode, record.is_rewriting);
        Some(DerivedKey { template, mode, is_primary, is_rewriting, limit_bytes })
    }
}
