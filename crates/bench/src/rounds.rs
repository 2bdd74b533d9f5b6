//! Interleaved measurement: A B A B ..., so that other work of the machine meets both.

/// Figures of several rounds, for each side.
#[derive(Debug, Clone, Default)]
pub struct Rounds {
    ours: Vec<f64>,
    beside: Vec<f64>,
}

impl Rounds {
    /// Measures both sides `rounds` times in turn.
    pub fn measure(
        rounds: usize,
        mut ours: impl FnMut() -> Result<f64, String>,
        mut beside: impl FnMut() -> Result<f64, String>,
    ) -> Result<Self, String> {
        let mut measured = Self::default();
        for _ in 0..rounds.max(1) {
            measured.beside.push(beside()?);
            measured.ours.push(ours()?);
        }
        Ok(measured)
    }

    /// Returns the median of our side.
    pub fn ours(&self) -> f64 {
        median(self.ours.clone())
    }

    /// Returns the median of the other side.
    pub fn beside(&self) -> f64 {
        median(self.beside.clone())
    }

    /// Returns the median, the smallest and the largest of ours divided by the other side's of the
    /// same round.
    pub fn ratio(&self) -> (f64, (f64, f64)) {
        let ratios: Vec<f64> =
            self.ours.iter().zip(&self.beside).map(|(ours, beside)| ours / beside).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        (median(ratios), (least, most))
    }
}

/// Returns the median of figures, of which there is at least one.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    let middle = figures.len() / 2;
    match figures.len() % 2 {
        1 => figures[middle],
        _ => f64::midpoint(figures[middle - 1], figures[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_alternate_and_ratios_are_of_one_round() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut ours = [1.0, 4.0, 3.0].into_iter();
        let rounds = Rounds::measure(
            3,
            || {
                order.borrow_mut().push('o');
                Ok(ours.next().unwrap())
            },
            || {
                order.borrow_mut().push('b');
                Ok(2.0)
            },
        );
        let (ratio, spread) = rounds.unwrap().ratio();
        assert_eq!(order.into_inner(), ['b', 'o', 'b', 'o', 'b', 'o']);
        assert_eq!(
            [ratio, spread.0, spread.1].map(f64::to_bits),
            [1.5, 0.5, 2.0].map(f64::to_bits)
        );
    }

    #[test]
    fn an_even_number_has_a_median_between() {
        assert_eq!(median(vec![4.0, 1.0, 2.0, 8.0]).to_bits(), 3.0f64.to_bits());
    }
}
