//! Numbers drawn from a seed.

/// A generator of numbers: the same seed, the same numbers.
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014), `SplitMix64`.
#[derive(Debug)]
pub(super) struct Drawn(u64);

impl Drawn {
    /// Returns the generator of this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound, which is not 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Returns true so many times of a hundred.
    pub(super) fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    /// Returns one of some things, of which there is one at least.
    pub(super) fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        let nth = self.next() % things.len() as u64;
        &things[usize::try_from(nth).unwrap_or(0)]
    }
}
