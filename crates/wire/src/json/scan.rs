//! Finds the bytes that end the plain part of a JSON string.
//!
//! Most strings are short or plain to their end: the first eight bytes are looked at as one word,
//! then blocks of 32 as vectors (the compiler's doing), then what is left as words again.

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const WORD: usize = 8;
const BLOCK: usize = 32;

/// Returns the offset, at or after `from`, of the first byte that cannot stand for itself in a
/// JSON string (a quote, a backslash, a control character), or the length when there is none.
#[inline]
pub fn special_byte(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from..];
    match rest.first_chunk::<WORD>() {
        Some(word) => match special_in_word(*word) {
            Some(offset) => from + offset,
            None => special_in_long(bytes, from + WORD),
        },
        None => from + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len()),
    }
}

fn special_in_long(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        // Without an early end, so that it compiles to a few vector instructions.
        if block.iter().fold(false, |found, &byte| found | is_special(byte)) {
            break;
        }
        at += BLOCK;
    }
    while let Some(word) = bytes[at..].first_chunk::<WORD>() {
        if let Some(offset) = special_in_word(*word) {
            return at + offset;
        }
        at += WORD;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len())
}

const fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Returns the offset of the first special byte of a word.
fn special_in_word(bytes: [u8; WORD]) -> Option<usize> {
    let word = u64::from_le_bytes(bytes);
    // Each subtraction sets the high bit of a byte that is below the bound (or equal to the
    // letter). A borrow may run into bytes above the first hit, which are not looked at.
    let control = word.wrapping_sub(EACH_BYTE * 0x20);
    let quote = (word ^ (EACH_BYTE * b'"' as u64)).wrapping_sub(EACH_BYTE);
    let backslash = (word ^ (EACH_BYTE * b'\\' as u64)).wrapping_sub(EACH_BYTE);
    let found = (control | quote | backslash) & !word & HIGH_BITS;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_special_byte_at_every_offset() {
        for byte in 0..=255 {
            for offset in 0..60 {
                let mut bytes = [b'a', 0xC3, 0xA9, 0x7F, b'!'].repeat(12);
                bytes[offset] = byte;
                let expected = if is_special(byte) { offset } else { bytes.len() };
                assert_eq!(special_byte(&bytes, 0), expected, "byte {byte} at {offset}");
            }
        }
    }

    #[test]
    fn starts_where_told() {
        assert_eq!(special_byte(b"\"aaaaaaaaaaa\"a", 1), 12);
        assert_eq!(special_byte(b"aa", 2), 2);
    }
}
