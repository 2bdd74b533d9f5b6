//! Random choices that a seed decides: request number n makes the same choices in every run.

/// Choices of one request.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Returns the choices of a request.
    pub(crate) fn new(seed: u64, request: u64) -> Self {
        let mut dice = Self(seed);
        let offset = dice.next();
        Self(offset ^ request.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// Returns true with a probability of one in `many`.
    pub(crate) fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    /// Returns a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns the next number of SplitMix64. Source: Steele, Lea, Flood, "Fast splittable
    /// pseudorandom number generators".
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(seed: u64, request: u64) -> Vec<u64> {
        let mut dice = Dice::new(seed, request);
        (0..8).map(|_| dice.below(1000)).collect()
    }

    #[test]
    fn a_request_s_choices_depend_on_seed_and_number_alone() {
        assert_eq!(choices(7, 1), choices(7, 1));
        assert_ne!(choices(7, 1), choices(7, 2));
        assert_ne!(choices(7, 1), choices(8, 1));
    }

    #[test]
    fn one_in_four_is_about_that_over_many_requests() {
        let hits = (0..4000).filter(|request| Dice::new(1, *request).one_in(4)).count();
        assert!((800..1200).contains(&hits), "{hits}");
    }
}
