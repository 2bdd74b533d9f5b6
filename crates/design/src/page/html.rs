//! Text in HTML: escaped, in elements and tables.

use std::fmt::Write as _;

/// Most characters of a text that a page shows.
const TEXT_MAX: usize = 400;

/// HTML that grows.
pub(super) struct Html(String);

impl Html {
    pub(super) fn new() -> Self {
        Self(String::new())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// Adds markup of ours; never a text of a design or an item.
    pub(super) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.0.push_str(&escaped(text));
    }

    /// Adds an element with a text on a line.
    pub(super) fn element(&mut self, name: &str, text: &str) {
        // Writing to a String cannot fail.
        writeln!(self.0, "<{name}>{}</{name}>", escaped(text)).ok();
    }

    /// Adds a table whose first column has the headers of its rows.
    pub(super) fn table(&mut self, caption: &str, header: &[&str], rows: &[Vec<Cell>]) {
        self.raw("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
        self.text(caption);
        self.raw("\">\n<table>\n");
        self.element("caption", caption);
        self.raw("<thead><tr>");
        for title in header {
            self.raw("<th scope=\"col\">");
            self.text(title);
            self.raw("</th>");
        }
        self.raw("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.raw("<tr>");
            for (nth, cell) in row.iter().enumerate() {
                let (tag, scope) = if nth == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                self.raw(&format!("<{tag}{scope}{}>", cell.class()));
                cell.write(self);
                self.raw(&format!("</{tag}>"));
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody>\n</table>\n</div>\n");
    }
}

/// A cell of a table.
pub(super) enum Cell {
    Text(String),
    Figure(String),
    /// Lines of code.
    Code(Vec<String>),
    /// A text with a class of the style sheet, and lines below it.
    Marked(&'static str, String, Vec<String>),
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn code(text: impl Into<String>) -> Self {
        Self::Code(vec![text.into()])
    }

    fn class(&self) -> String {
        match self {
            Self::Text(_) | Self::Code(_) => String::new(),
            Self::Figure(_) => " class=\"figure\"".to_owned(),
            Self::Marked(class, ..) => format!(" class=\"{class}\""),
        }
    }

    fn write(&self, html: &mut Html) {
        match self {
            Self::Text(text) | Self::Figure(text) => html.text(text),
            Self::Code(lines) => {
                for line in lines.iter().filter(|line| !line.is_empty()) {
                    html.raw("<code>");
                    html.text(line);
                    html.raw("</code> ");
                }
            }
            Self::Marked(_, text, lines) => {
                html.text(text);
                for line in lines {
                    html.raw("<br><small>");
                    html.text(line);
                    html.raw("</small>");
                }
            }
        }
    }
}

/// Returns a text as elements and attributes of HTML have it, cut to [`TEXT_MAX`] characters. Control characters and
/// those that turn the direction of text are replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len().min(TEXT_MAX));
    for (nth, character) in text.chars().enumerate() {
        if nth == TEXT_MAX {
            escaped.push_str("...");
            break;
        }
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(' '),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.push('\u{fffd}');
            }
            other if other.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
