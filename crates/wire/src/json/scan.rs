//! Finds the bytes that end the plain part of a JSON string, eight bytes at a time.

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Returns the offset, at or after `from`, of the first byte that cannot stand for itself in a
/// JSON string (a quote, a backslash, a control character), or the length when there is none.
pub fn special_byte(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = special_bytes(u64::from_le_bytes(*chunk));
        if found != 0 {
            // The lowest set bit belongs to the first special byte.
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    bytes[at.min(bytes.len())..]
        .iter()
        .position(|&byte| is_special(byte))
        .map_or(bytes.len(), |offset| at + offset)
}

const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Sets the high bit of the special bytes. Bytes above the first special one may be set wrongly
/// (a borrow runs upwards), which the caller never looks at.
const fn special_bytes(word: u64) -> u64 {
    let control = word.wrapping_sub(EACH_BYTE * 0x20);
    let quote = (word ^ (EACH_BYTE * b'"' as u64)).wrapping_sub(EACH_BYTE);
    let backslash = (word ^ (EACH_BYTE * b'\\' as u64)).wrapping_sub(EACH_BYTE);
    (control | quote | backslash) & !word & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_special_byte_at_every_offset() {
        for byte in 0..=255 {
            for offset in 0..20 {
                let mut bytes = [b'a', 0xC3, 0xA9, 0x7F, b'!'].repeat(4);
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
