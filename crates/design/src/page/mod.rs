//! One HTML page that shows tables as a whole. It stands alone: no network, no script, no font of others. It follows
//! the reader's choice of light or dark, and has headings and headers of tables for those who hear it.
//!
//! Invariant: every text of a design or an item passes `html::escaped`, and every list is bounded.
//!
//! | file | idea |
//! |---|---|
//! | `html.rs` | text in HTML: escaped, in tables |
//! | `collections.rs` | the largest item collections of a sample, and their drawing |
//! | `prices.rs` | what storage, reads and writes of a table cost |
//! | `sections.rs` | the sections of a table |
//! | `style.rs` | the style sheet |

mod collections;
mod html;
mod prices;
mod sections;
mod style;

pub use collections::{Collection, Run, collections};
pub use prices::{EntityPrice, TablePrices, prices};

use crate::coverage::TableCoverage;
use crate::entities::Entities;
use crate::plan::TablePlan;
use hashrange_cost::TableFacts;
use hashrange_lint::Finding;
use html::Html;

/// Most bytes of a page; tables beyond it are named only.
pub const PAGE_MAX_BYTES: usize = 8 << 20;

/// What a page shows.
#[derive(Debug, Clone)]
pub struct Study<'s> {
    /// Title of the page.
    pub title: &'s str,
    /// The tables.
    pub tables: Vec<StudiedTable<'s>>,
    /// Sentences about the study as a whole.
    pub notes: Vec<String>,
}

/// A table that a page shows.
#[derive(Debug, Clone)]
pub struct StudiedTable<'s> {
    /// The table, with its settings.
    pub plan: &'s TablePlan,
    /// Its sizes.
    pub facts: &'s TableFacts,
    /// Its entities.
    pub entities: &'s Entities,
    /// Access patterns against its keys, if there are any.
    pub coverage: Option<&'s TableCoverage>,
    /// Findings of the linter.
    pub findings: &'s [Finding],
    /// Its prices, if the region's are known.
    pub prices: Option<&'s TablePrices>,
    /// Item collections to draw.
    pub collections: &'s [Collection],
}

/// Returns the page.
pub fn render(study: &Study<'_>) -> String {
    let mut html = Html::new();
    html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
    html.element("title", study.title);
    html.raw("<style>\n");
    html.raw(style::SHEET);
    html.raw("</style>\n</head>\n<body>\n<main>\n");
    html.element("h1", study.title);
    for note in &study.notes {
        html.element("p", note);
    }
    contents(&mut html, study);
    let mut left_out = Vec::new();
    for (nth, table) in study.tables.iter().enumerate() {
        if html.len() < PAGE_MAX_BYTES {
            sections::table(&mut html, nth, table);
        } else {
            left_out.push(table.plan.name.as_str());
        }
    }
    if !left_out.is_empty() {
        html.element("p", &format!("Tables without room on this page: {}.", left_out.join(", ")));
    }
    html.raw("</main>\n</body>\n</html>\n");
    html.into_text()
}

/// Writes the list of tables with links, if there are several.
fn contents(html: &mut Html, study: &Study<'_>) {
    if study.tables.len() < 2 {
        return;
    }
    html.raw("<nav aria-label=\"Tables\"><ul>\n");
    for (nth, table) in study.tables.iter().enumerate() {
        html.raw(&format!("<li><a href=\"#table-{nth}\">"));
        html.text(&table.plan.name);
        html.raw("</a></li>\n");
    }
    html.raw("</ul></nav>\n");
}
