//! The figures, as a table for people and as Markdown.

use std::fmt;

/// One row of the report: a figure beside its target.
#[derive(Debug, Clone)]
pub struct Row {
    /// The row's name, which filters select by.
    pub name: String,
    /// Our figure with its unit.
    pub ours: String,
    /// The other side of the comparison.
    pub beside: String,
    /// The figure that the target bounds.
    pub figure: Figure,
    /// Anything else worth knowing.
    pub notes: Vec<String>,
}

/// A figure and its target.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The median.
    pub value: f64,
    /// The smallest and the largest of the rounds.
    pub spread: (f64, f64),
    /// Bound of the figure.
    pub target: Target,
    /// Notation of the figure.
    pub unit: Unit,
}

/// Bound of a figure.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
    /// Only for information.
    None,
}

/// Notation of a figure.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// As a share of one hundred.
    Percent,
    /// As a multiple.
    Times,
    /// As microseconds.
    Micros,
    /// As milliseconds.
    Millis,
    /// As mebibytes.
    Mebibytes,
    /// As seconds.
    Seconds,
}

/// Relation of a figure to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The target is met.
    Pass,
    /// It misses the target by less than a tenth.
    Near,
    /// It misses the target by more.
    Miss,
    /// There is no target.
    Info,
}

impl Figure {
    /// Returns the relation of the figure to its target.
    pub fn verdict(&self) -> Verdict {
        let share = match self.target {
            Target::AtLeast(least) => self.value / least,
            Target::AtMost(most) => most / self.value,
            Target::None => return Verdict::Info,
        };
        match share {
            share if share >= 1.0 => Verdict::Pass,
            share if share >= 0.9 => Verdict::Near,
            _ => Verdict::Miss,
        }
    }

    fn target_text(&self) -> String {
        match self.target {
            Target::AtLeast(least) => format!(">= {}", self.unit.text(least)),
            Target::AtMost(most) => format!("<= {}", self.unit.text(most)),
            Target::None => "-".to_owned(),
        }
    }

    fn text(&self) -> String {
        let (least, most) = self.spread;
        if least.to_bits() == most.to_bits() {
            return self.unit.text(self.value);
        }
        let [value, least, most] = [self.value, least, most].map(|value| self.unit.text(value));
        format!("{value} ({least} to {most})")
    }
}

impl Unit {
    fn text(self, value: f64) -> String {
        match self {
            Self::Percent => format!("{:.0} %", value * 100.0),
            Self::Times => format!("{value:.2}x"),
            Self::Micros => format!("{value:.2} us"),
            Self::Millis => format!("{value:.2} ms"),
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::Seconds => format!("{value:.0} s"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Pass => "pass",
            Self::Near => "near",
            Self::Miss => "miss",
            Self::Info => "-",
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:28} {:>4}  {:26} {:8} ours {}, {}",
            self.name,
            self.figure.verdict(),
            self.figure.text(),
            self.figure.target_text(),
            self.ours,
            self.beside
        )?;
        self.notes.iter().try_for_each(|note| write!(formatter, "\n{:35}{note}", ""))
    }
}

/// Returns the rows as a Markdown table.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| row | verdict | figure (least to most of the rounds) | target | ours | beside | notes |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let figure = &row.figure;
        text.extend([format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            row.name,
            figure.verdict(),
            figure.text(),
            figure.target_text(),
            row.ours,
            row.beside,
            row.notes.join("; ")
        )]);
    }
    text
}

/// Returns a rate as people read it.
pub fn rate_text(per_second: f64) -> String {
    match per_second {
        rate if rate >= 10_000.0 => format!("{:.1}k/s", rate / 1000.0),
        rate => format!("{rate:.0}/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_leave_a_tenth_to_near() {
        let cases = [
            (Target::AtLeast(0.5), 0.5, Verdict::Pass),
            (Target::AtLeast(0.5), 0.46, Verdict::Near),
            (Target::AtLeast(0.5), 0.4, Verdict::Miss),
            (Target::AtMost(2.0), 1.9, Verdict::Pass),
            (Target::AtMost(2.0), 2.1, Verdict::Near),
            (Target::AtMost(2.0), 3.0, Verdict::Miss),
            (Target::None, 3.0, Verdict::Info),
        ];
        for (target, value, expected) in cases {
            let figure = Figure { value, spread: (value, value), target, unit: Unit::Times };
            assert_eq!(figure.verdict(), expected, "{figure:?}");
        }
    }

    #[test]
    fn rows_are_written_with_target_and_spread() {
        let figure = Figure {
            value: 0.715,
            spread: (0.7, 0.75),
            target: Target::AtLeast(0.7),
            unit: Unit::Percent,
        };
        let row = Row {
            name: "http/get-item".to_owned(),
            ours: rate_text(123_456.0),
            beside: "bare 160.0k/s".to_owned(),
            figure,
            notes: vec!["p99 1.00 ms".to_owned()],
        };
        let expected = "| http/get-item | pass | 72 % (70 % to 75 %) | >= 70 % | 123.5k/s | bare \
                        160.0k/s | p99 1.00 ms |";
        assert_eq!(markdown(&[row]).lines().last(), Some(expected));
    }
}
