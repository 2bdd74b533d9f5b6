//! Key templates in a table's record, and the form in which writes use them.
//!
//! Left to others: the language ([`hashrange_expr::KeyTemplate`]), the derivation in a write
//! (`write/derive.rs`), the rewriting of existing items (`jobs/rewrite.rs`).

use super::{KeyType, TableRecord};
use hashrange_expr::KeyTemplate;
use hashrange_model::limits::{PARTITION_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES};
use serde::{Deserialize, Serialize};

/// Maximum of templates for a table.
pub(crate) const TEMPLATES_MAX: usize = 64;
/// Maximum of tests that read through an item in the conditions of all templates of a table: the
/// limit of operators in one expression. Each write makes these tests, while it holds its keys.
pub(crate) const SCANS_MAX: usize = hashrange_model::limits::EXPRESSION_OPERATORS_MAX;
/// Maximum of former templates that a record remembers. A value that an older one has derived
/// counts as written by a client, and is kept.
const BEFORE_MAX: usize = 8;

/// Use of the attribute of a key template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateMode {
    /// Writes set the attribute to the derived value. If the template derives none, a write removes
    /// a value that the template derived; it keeps a value that a client wrote, and is refused if
    /// it brings one itself.
    Fill,
    /// Writes set the attribute to the derived value, and remove it if the template derives none,
    /// even if a client wrote it.
    FillAndRemove,
    /// A write is refused if the attribute differs from the derived value.
    Check,
}

impl TemplateMode {
    /// Returns whether writes set the attribute.
    pub(crate) fn fills(self) -> bool {
        match self {
            Self::Fill | Self::FillAndRemove => true,
            Self::Check => false,
        }
    }
}

/// Result of rewriting existing items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rewritten {
    /// Items that the walk has examined.
    pub examined: u64,
    /// Items that the walk has changed.
    pub changed: u64,
    /// Items that the templates refuse, and that were left as they are.
    pub refused: u64,
    /// Items that have kept a key which a client wrote and no template derives.
    #[serde(default, skip_serializing_if = "is_none")]
    pub kept: u64,
    /// Reason for the first refusal.
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
    /// Text of the template, for [`KeyTemplate::parse`].
    pub text: String,
    /// Use of the template's attribute.
    pub mode: TemplateMode,
    /// True while a job rewrites existing items by the template.
    pub is_rewriting: bool,
    /// Result of the last rewriting that was finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<Rewritten>,
    /// Texts of the former templates, whose derived values items may still have while they are
    /// being rewritten; the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
}

impl TemplateRecord {
    /// Returns the parsed template; `None` for a text of a newer release, or a damaged one.
    pub fn template(&self) -> Option<KeyTemplate> {
        KeyTemplate::parse(&self.text).ok()
    }

    /// Returns the record that replaces another one, with a template by which items are yet to be
    /// rewritten.
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

    /// Stores the result of the rewriting of items, which is finished.
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
    /// Use of the template's attribute.
    pub(crate) mode: TemplateMode,
    /// True if the attribute is a key attribute of the table itself.
    pub(crate) is_primary: bool,
    /// True while a job rewrites or examines existing items by the template.
    pub(crate) is_rewriting: bool,
    /// Maximum of a key's length, bytes.
    pub(crate) limit_bytes: usize,
    /// Former templates, while items may have values that those have derived.
    pub(crate) before: Vec<KeyTemplate>,
}

impl TableRecord {
    /// Returns the length limit of a key attribute in bytes: the smallest of its limits in the
    /// table and all indexes.
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

    /// Drops the templates of attributes that are no longer key attributes.
    pub(crate) fn drop_unused_templates(&mut self) {
        let mut templates = std::mem::take(&mut self.key_templates);
        templates.retain(|record| {
            let template = record.template();
            template.is_some_and(|template| self.key_limit_bytes(template.attribute()).is_some())
        });
        self.set_key_templates(templates);
    }

    /// Sets the templates, and raises the version so that releases without templates refuse the
    /// record.
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
