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

/// Use of the attribute of a key template. A template that `owns` its attribute is stricter, see
/// `write/derive.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateMode {
    /// Writes set the attribute to the derived value, and remove a value that the template derived
    /// before if it derives none any more. A value that a client wrote stays.
    #[serde(alias = "FillAndRemove")]
    Fill,
    /// A write is refused if the attribute differs from the derived value.
    Check,
}

impl TemplateMode {
    /// Returns whether writes set the attribute.
    pub(crate) fn fills(self) -> bool {
        match self {
            Self::Fill => true,
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
    /// Items that have kept a value which a client wrote.
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
    /// Number of the rewriting, under which the former values of items are stored; greater than
    /// that of every earlier one of the table.
    #[serde(default)]
    pub rewriting: u32,
    /// The template that this one has replaced, which an undo puts back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<ReplacedTemplate>,
}

/// A template that another one has replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacedTemplate {
    /// Text of the template.
    pub text: String,
    /// Use of its attribute.
    pub mode: TemplateMode,
}

/// A rewriting whose former values an undo is putting back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undoing {
    /// The attribute of the template.
    pub attribute: String,
    /// Number of the rewriting.
    pub rewriting: u32,
}

impl TemplateRecord {
    /// Returns whether the template derives an attribute.
    pub(crate) fn is_of(&self, attribute: &str) -> bool {
        self.template().is_some_and(|template| template.attribute() == attribute)
    }

    /// Returns the parsed template; `None` for a text of a newer release, or a damaged one.
    pub fn template(&self) -> Option<KeyTemplate> {
        KeyTemplate::parse(&self.text).ok()
    }

    /// Returns the record that replaces another one, with a template by which items are yet to be
    /// rewritten.
    pub(crate) fn replacing(
        replaced: Option<&Self>,
        text: &str,
        mode: TemplateMode,
        rewriting: u32,
    ) -> Self {
        let mut before: Vec<String> = Vec::new();
        if let Some(replaced) = replaced {
            // What a template that only checks has let in is as it derives it.
            for known in std::iter::once(&replaced.text).chain(&replaced.before) {
                if known != text && !before.contains(known) {
                    before.push(known.clone());
                }
            }
        }
        before.truncate(BEFORE_MAX);
        // The same template again finishes what the last rewriting has left, and is undone with it.
        let same = replaced.filter(|it| it.text == text && it.mode == mode);
        let rewriting = same.map_or(rewriting, |same| same.rewriting);
        let replaced = match same {
            Some(same) => same.replaced.clone(),
            None => replaced.map(|it| ReplacedTemplate { text: it.text.clone(), mode: it.mode }),
        };
        let (text, is_rewriting) = (text.to_owned(), true);
        Self { text, mode, is_rewriting, rewritten: None, before, rewriting, replaced }
    }

    /// Returns the record of the replaced template in the place of this one; items are rewritten by
    /// it when the values of before are back.
    pub(crate) fn put_back(&self, replaced: &ReplacedTemplate, rewriting: u32) -> Self {
        let ReplacedTemplate { text, mode } = replaced.clone();
        let mut before = vec![self.text.clone()];
        before.extend(self.before.iter().filter(|known| **known != text).cloned());
        before.truncate(BEFORE_MAX);
        Self { text, mode, is_rewriting: false, rewritten: None, before, rewriting, replaced: None }
    }

    /// Stores the result of the rewriting of items, which is finished.
    pub(crate) fn finish(&mut self, rewritten: Rewritten) {
        self.is_rewriting = false;
        // An item that was refused still has the value of a former template.
        if rewritten.refused == 0 {
            self.before.clear();
        }
        self.rewritten = Some(rewritten);
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
    /// Number of the rewriting.
    pub(crate) rewriting: u32,
}

impl TableRecord {
    /// Returns a number for the next rewriting.
    pub(crate) fn next_rewriting(&self) -> u32 {
        let of_templates = self.key_templates.iter().map(|it| it.rewriting);
        let of_undos = self.undoing.iter().map(|it| it.rewriting);
        of_templates.chain(of_undos).max().unwrap_or(0) + 1
    }

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
        // An attribute that is no key now may become one.
        let limit_bytes = self.key_limit_bytes(template.attribute()).unwrap_or(SORT_KEY_MAX_BYTES);
        if self.key_type(template.attribute()).is_some_and(|declared| declared != KeyType::S) {
            return None;
        }
        let is_primary = self.key.contains(template.attribute());
        let (mode, is_rewriting) = (record.mode, record.is_rewriting);
        let before =
            record.before.iter().filter_map(|text| KeyTemplate::parse(text).ok()).collect();
        let rewriting = record.rewriting;
        Some(DerivedKey {
            template,
            mode,
            is_primary,
            is_rewriting,
            limit_bytes,
            before,
            rewriting,
        })
    }
}
