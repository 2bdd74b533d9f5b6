//! A ruler as text: a line for each bin, with its figures and a bar.

use super::screen::Screen;
use super::table::{cut, shown};
use unicode_width::UnicodeWidthStr;

/// A bin of a ruler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bin {
    pub name: String,
    /// Figures, in columns that are aligned to the right.
    pub columns: Vec<String>,
    /// Length of the bar in a unit of its own.
    pub weight: u64,
}

/// Columns of a file or a pipe.
const USUAL_WIDTH: usize = 80;
/// Columns of the longest bar at least.
const BAR_MIN: usize = 8;
/// Columns of a name at least.
const NAME_MIN: usize = 12;
const GAP: usize = 2;

/// Returns the lines of a ruler, as wide as the screen.
pub fn lines(bins: &[Bin], screen: &Screen) -> Vec<String> {
    let whole = screen.width.unwrap_or(USUAL_WIDTH);
    let count = bins.iter().map(|bin| bin.columns.len()).max().unwrap_or(0);
    let of_column = |nth: usize| bins.iter().filter_map(move |bin| bin.columns.get(nth));
    let widest = |nth| of_column(nth).map(|text| text.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(widest).collect();
    let figures: usize = widths.iter().map(|width| GAP + width).sum();
    let names = bins.iter().map(|bin| shown(&bin.name).width()).max().unwrap_or(0);
    let room = whole.saturating_sub(figures + GAP + BAR_MIN).max(NAME_MIN);
    let names = names.min(room);
    let bar = whole.saturating_sub(names + figures + GAP).max(BAR_MIN);
    let heaviest = bins.iter().map(|bin| bin.weight).max().unwrap_or(0);
    bins.iter()
        .map(|bin| {
            let mut line = cut(&shown(&bin.name), names);
            line.extend(std::iter::repeat_n(' ', names.saturating_sub(line.width())));
            for (text, width) in bin.columns.iter().zip(&widths) {
                let blank = GAP + width.saturating_sub(text.width());
                line.extend(std::iter::repeat_n(' ', blank));
                line.push_str(text);
            }
            line.extend(std::iter::repeat_n(' ', GAP));
            line.push_str(&drawn(bin.weight, heaviest, bar));
            line
        })
        .collect()
}

/// Returns a bar of eighths of a column; whatever is there is seen.
fn drawn(weight: u64, heaviest: u64, width: usize) -> String {
    const EIGHTHS: [&str; 7] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let scale = width as u128 * 8;
    let eighths = u128::from(weight) * scale / u128::from(heaviest.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(width * 8).max(usize::from(weight > 0));
    let rest = (eighths % 8).checked_sub(1).and_then(|nth| EIGHTHS.get(nth)).copied();
    "█".repeat(eighths / 8) + rest.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_bins_are_heavy_and_never_wider_than_the_screen() {
        let bin = |name: &str, weight: u64| Bin {
            name: name.to_owned(),
            columns: vec![weight.to_string()],
            weight,
        };
        let bins = [bin("a", 1000), bin("日本\u{1b}", 500), bin("c", 1), bin("d", 0)];
        let screen = Screen { width: Some(40), ..Screen::FILE };
        let lines = lines(&bins, &screen);
        assert_eq!(
            lines,
            [
                format!("a           1000  {}", "█".repeat(22)),
                format!("日本\\u001b   500  {}", "█".repeat(11)),
                "c              1  ▏".to_owned(),
                "d              0  ".to_owned(),
            ]
        );
        let long = [bin(&"x".repeat(300), 1_000_000)];
        let drawn = super::lines(&long, &screen);
        assert!(drawn[0].width() <= 40, "{drawn:?}");
    }
}
