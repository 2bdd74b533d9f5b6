//! Destination of output: its width, its colours, its layout of rows.
//!
//! A terminal gets tables that fit into it, with colours; a file or a pipe gets every cell whole and no
//! colours, whatever the terminal around it is like.

use super::terminal;
use clap::{Args, ValueEnum};
use serde::Deserialize;

/// Columns assumed where a terminal does not tell its size.
const USUAL_WIDTH: usize = 80;
const USUAL_HEIGHT: usize = 24;
/// A table narrower than this is not readable.
const WIDTH_MIN: usize = 20;

/// Layout of the output.
#[expect(
    clippy::doc_markdown,
    reason = "these comments are printed as help, where a grave accent is a letter"
)]
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Show {
    /// Show every cell of a table whole, however wide the terminal is
    #[arg(long)]
    pub full: bool,
    /// Show each item as one attribute per line, as tables that do not fit are shown
    #[arg(long, short = 'x')]
    pub expanded: bool,
    /// Use of colours [env: NO_COLOR]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<ColourChoice>,
}

/// Use of colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColourChoice {
    /// On a terminal, unless `NO_COLOR` is set or it is a dumb one
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Condition on which an item stands as one attribute per line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Expanded {
    /// When columns do not fit.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Layout of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns of the terminal; none for a file or a pipe.
    pub width: Option<usize>,
    /// Lines of the terminal; none for a file or a pipe.
    pub height: Option<usize>,
    /// True if output has colours.
    pub has_colours: bool,
    /// True if every cell is shown whole.
    pub is_full: bool,
    /// Condition on which an item stands as one attribute per line.
    pub expanded: Expanded,
}

impl Screen {
    /// A file: everything whole, no colours.
    #[cfg(test)]
    pub const FILE: Self = Self {
        width: None,
        height: None,
        has_colours: false,
        is_full: true,
        expanded: Expanded::Never,
    };

    /// Returns the screen of standard output.
    pub fn of(show: Show, configured: Option<ColourChoice>, plain: Plain) -> Self {
        let is_terminal = super::is_terminal();
        let size = is_terminal.then(terminal_size::terminal_size).flatten();
        let (width, height) = match size {
            Some((width, height)) => (usize::from(width.0), usize::from(height.0)),
            None => (0, 0),
        };
        let or = |number: usize, usual| if number == 0 { usual } else { number };
        let choice = show.color.or(configured).unwrap_or_default();
        Self {
            width: is_terminal.then_some(or(width, USUAL_WIDTH).max(WIDTH_MIN)),
            height: is_terminal.then_some(or(height, USUAL_HEIGHT)),
            has_colours: match choice {
                ColourChoice::Always => true,
                ColourChoice::Never => false,
                ColourChoice::Auto => is_terminal && !plain.no_colour && !plain.is_dumb,
            },
            is_full: show.full,
            expanded: if show.expanded { Expanded::Always } else { Expanded::Auto },
        }
    }

    /// Returns an error message in styles: its first line stands out, hints below it less so.
    pub fn fault(&self, text: &str) -> String {
        let style = |(nth, line)| {
            let style = if nth == 0 { Style::Fault } else { Style::Note };
            self.styled(style, &super::table::shown(line))
        };
        text.lines().enumerate().map(style).collect::<Vec<_>>().join("\n")
    }

    /// Returns a text in a style, which only this crate's output prints, or as it is without
    /// colours.
    pub fn styled(&self, style: Style, text: &str) -> String {
        if self.has_colours && !text.is_empty() {
            terminal::styled(style, text)
        } else {
            text.to_owned()
        }
    }

    /// Returns a text in a style for the line editor, which prints it itself.
    pub fn painted(&self, style: Style, text: &str) -> String {
        if self.has_colours && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.to_owned()
        }
    }
}

/// Settings of colours in the environment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plain {
    /// `NO_COLOR` is set to something.
    pub no_colour: bool,
    /// `TERM` is `dumb`.
    pub is_dumb: bool,
}

/// Kind of a piece of text, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The name of a column.
    Heading,
    /// Lines and signs around data.
    Frame,
    /// A keyword.
    Keyword,
    /// Text in quotes.
    Text,
    /// A number.
    Number,
    /// A remark for the user.
    Note,
    /// An error message.
    Fault,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 7] = [
        Self::Heading,
        Self::Frame,
        Self::Keyword,
        Self::Text,
        Self::Number,
        Self::Note,
        Self::Fault,
    ];

    /// Returns the terminal's code of the style.
    pub fn code(self) -> &'static str {
        match self {
            Self::Heading => "1",
            Self::Frame => "2",
            Self::Keyword => "1;34",
            Self::Text => "32",
            Self::Number => "36",
            Self::Note => "33",
            Self::Fault => "31",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_for_screens_with_colours() {
        let colourful = Screen { has_colours: true, ..Screen::FILE };
        assert_eq!(Screen::FILE.styled(Style::Heading, "a"), "a");
        assert_eq!(colourful.painted(Style::Heading, "a"), "\x1b[1ma\x1b[0m");
        let printed = colourful.styled(Style::Heading, "a");
        assert_eq!(terminal::escaped(&printed), "\x1b[1ma\x1b[0m");
        assert_eq!(colourful.styled(Style::Heading, ""), "");
    }

    #[test]
    fn a_flag_decides_on_colours_before_the_configuration() {
        let show = |color| Show { color, ..Show::default() };
        let cases = [
            (None, None, false),
            (Some(ColourChoice::Always), None, true),
            (None, Some(ColourChoice::Always), true),
            (Some(ColourChoice::Never), Some(ColourChoice::Always), false),
        ];
        for (flag, configured, expected) in cases {
            // As on a terminal with NO_COLOR, so that it does not matter where tests run.
            let plain = Plain { no_colour: true, is_dumb: false };
            let screen = Screen::of(show(flag), configured, plain);
            assert_eq!(screen.has_colours, expected, "{flag:?} {configured:?}");
        }
    }
}
