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
/// Of how many templates before one it is known that they have derived what items have. What others have derived
/// counts as written by a client, and is kept.
const BEFORE_MAX: usize = 8;

/// What is done with the attribute of a key template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateMode {
    /// The attribute is set to what is derived. Where nothing is, a value that the template derived is removed;
    /// one that a client wrote stays, and a write that brings one is refused.
    Fill,
    /// The attribute is set to what is derived, and removed where nothing is, also if a client wrote it.
    FillAndRemove,
    /// A write whose item differs from what is derived is refused.
    Check,
}

impl TemplateMode {
    /// Returns whether the attribute is set.
    pub(crate) fn fills(self) -> bool {
        match self {
            Self::Fill | Self::FillAndRemove => true,
            Self::Check => false,
        }
    }
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
    /// Items of which no template derives a key that a client wrote, and that have kept it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub kept: u64,
    /// Why the first of them is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_refused: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(count: &u64) -> bool {
    *count == 0
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
    /// While existing items are being rewritten, the texts of the templates before, which have derived what
    /// these may still have; the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
}

impl TemplateRecord {
    /// Returns the template; `None` for a text of a newer release, or a damaged one.
    pub fn template(&self) -> Option<KeyTemplate> {
        KeyTemplate::parse(&self.text).ok()
    }

    /// Returns what stands in the place of a record: a template that items are yet to be rewritten by.
    pub(crate) fn replacing(replaced: Option<&Self>, text: &str, mode: TemplateMode) -> Self {
        let mut before: Vec<String> = Vec::new();
        if let Some(replaced) = replaced {
            let own = replaced.mode.fills().then_some(&replaced.text);
            for known in own.into_iter().chain(&replaced.before) {
                if known != text && !before.contains(known) {
                    before.push(known.clone());
                }
            }
        }
        before.truncate(BEFORE_MAX);
        Self { text: text.to_owned(), mode, is_rewriting: true, rewritten: None, before }
    }

    /// Notes what came of the rewriting of items, which is finished.
    pub(crate) fn finish(&mut self, rewritten: Rewritten) {
        self.is_rewriting = false;
        self.rewritten = Some(rewritten);
        self.before.clear();
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
    /// The templates before it, while items may have what those have derived.
    pub(crate) before: Vec<KeyTemplate>,
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
    pub(crate) fn derived_keys(&self) -> Option<Vec<DerivedKey>> {
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
        let before =
            record.before.iter().filter_map(|text| KeyTemplate::parse(text).ok()).collect();
        Some(DerivedKey { template, mode, is_primary, is_rewriting, limit_bytes, before })
    }
}
