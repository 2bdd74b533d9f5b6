//! Damage: bits, bytes, pieces cut, doubled, moved, spliced from other inputs, and the fragments on
//! which parsers stumble.

const FRAGMENTS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\u0000",
    "\\ud800",
    ":",
    ",",
    "null",
    "-",
    "0",
    "1e400",
    "1E-131",
    "99999999999999999999",
    "()",
    "((",
    "))",
    "[0]",
    "[4294967295]",
    ".",
    "#a",
    ":v",
    " AND ",
    " OR ",
    "NOT ",
    " BETWEEN ",
    " IN (",
    "SET ",
    "REMOVE ",
    "size(",
    "list_append(",
    "if_not_exists(",
    "{\"M\":{\"a\":",
    "{\"L\":[",
    "{\"NULL\":true}",
    "{\"N\":\"",
    "{\"B\":\"AA==\"}",
    "\u{0}",
    "\u{1f600}",
    "%",
    "%zz",
    "=",
    "/",
    ";",
    "\r\n",
];
const INPUT_MAX_BYTES: usize = 64 * 1024;

/// Makes inputs from good ones; the same seed makes the same inputs.
pub struct Mutator {
    state: u64,
    inputs: Vec<String>,
}

impl Mutator {
    /// Starts from a seed and the good inputs.
    pub fn new(seed: u64, inputs: Vec<String>) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, inputs }
    }

    /// Returns the next input: a good one after up to eight damages.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.good_input().to_vec();
        for _ in 0..self.below(9) {
            self.damage(&mut input);
        }
        input.truncate(INPUT_MAX_BYTES);
        input
    }

    fn good_input(&mut self) -> &[u8] {
        let nth = self.below(self.inputs.len());
        self.inputs[nth].as_bytes()
    }

    fn damage(&mut self, input: &mut Vec<u8>) {
        let start = self.below(input.len() + 1);
        let end = (start + self.below(32)).min(input.len());
        match self.below(8) {
            0 if start < input.len() => input[start] ^= 1 << self.below(8),
            1 if start < input.len() => input[start] = self.next().to_le_bytes()[3],
            2 => drop(input.drain(start..end)),
            3 => {
                let piece = input[start..end].to_vec();
                let copies = 1 << self.below(8);
                input.splice(start..start, piece.repeat(copies));
            }
            4 => input.truncate(start),
            5 => {
                let mut other = self.good_input().to_vec();
                let from = self.below(other.len());
                input.splice(start..end, other.drain(from..));
            }
            _ => {
                let fragment = FRAGMENTS[self.below(FRAGMENTS.len())].as_bytes();
                input.splice(start..start, fragment.iter().copied());
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }
}
