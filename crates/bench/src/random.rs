//! A small generator that gives the same numbers in every run.

/// A xorshift generator; the state is never zero.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns the next number as an offset below a length.
    pub fn offset(&mut self, length: usize) -> usize {
        usize::try_from(self.next() % length as u64).expect("it is less than a usize")
    }

    /// Returns text of letters and digits that does not compress well.
    pub fn text(&mut self, bytes: usize) -> String {
        const LETTERS: &[u8; 64] =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
        (0..bytes).map(|_| char::from(LETTERS[(self.next() >> 40) as usize % 64])).collect()
    }
}
