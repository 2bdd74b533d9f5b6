//! Finds the bytes that end the plain part of a JSON string.
//!
//! Most strings are short or plain to their end. The scan reads the first bytes as two words, then
//! blocks of 32 and 64 as vectors (which the compiler makes), then the rest as words again.

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const WORD: usize = 8;
const BLOCK: usize = 32;
/// Length of the blocks in which longer texts are scanned while they are copied.
pub(super) const LONG_BLOCK: usize = 64;
const SHORT_BLOCK: usize = 16;

/// Returns whether a short text holds no byte that [`special_byte`] would find.
#[inline]
#[expect(clippy::many_single_char_names, reason = "the eight bytes of a word in their order")]
pub fn is_plain(bytes: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<WORD>(), bytes.last_chunk::<WORD>()) {
        return special_in_word(*first).is_none()
            && special_in_word(*last).is_none()
            && (bytes.len() <= 2 * WORD || is_plain_in_blocks(bytes));
    }
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(&[a, b, c, d]), Some(&[e, f, g, h])) => {
            special_in_word([a, b, c, d, e, f, g, h]).is_none()
        }
        _ => !bytes.iter().any(|&byte| is_special(byte)),
    }
}

/// Scans a text of more than 16 bytes in blocks; the last one overlaps the one before.
fn is_plain_in_blocks(bytes: &[u8]) -> bool {
    let (blocks, _) = bytes.as_chunks::<SHORT_BLOCK>();
    blocks.iter().all(is_plain_block)
        && bytes.last_chunk::<SHORT_BLOCK>().is_none_or(is_plain_block)
}

/// Returns whether a block is plain. It has no early end and one byte a lane, so that it compiles
/// to few vector instructions. With one bit flipped, the quote comes right after the control
/// characters, so one comparison finds both.
#[inline]
pub(super) fn is_plain_block<const LENGTH: usize>(block: &[u8; LENGTH]) -> bool {
    let found = block
        .iter()
        .fold(0, |found, &byte| found | u8::from(byte ^ 0x02 <= 0x20) | u8::from(byte == b'\\'));
    found == 0
}

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
    // Most strings that are longer than a word end in the next one.
    if let Some(word) = bytes[at..].first_chunk::<WORD>() {
        if let Some(offset) = special_in_word(*word) {
            return at + offset;
        }
        at += WORD;
    }
    while bytes[at..].first_chunk::<BLOCK>().is_some_and(is_plain_block) {
        at += BLOCK;
        while bytes[at..].first_chunk::<LONG_BLOCK>().is_some_and(is_plain_block) {
            at += LONG_BLOCK;
        }
    }
    while let Some(word) = bytes[at..].first_chunk::<WORD>() {
        if let Some(offset) = special_in_word(*word) {
            return at + offset;
        }
        at += WORD;
    }
    // The rest is less than a word: scan the last whole word, which begins in bytes already known
    // to be plain.
    let (_, last) = bytes.split_last_chunk::<WORD>().expect("a word lies before `from`");
    special_in_word(*last).map_or(bytes.len(), |offset| bytes.len() - WORD + offset)
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "all three are computed: without a branch the loop over bytes is vectorised"
)]
const fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Returns the offset of the first special byte of a word.
fn special_in_word(bytes: [u8; WORD]) -> Option<usize> {
    let word = u64::from_le_bytes(bytes);
    // Each subtraction sets the high bit of a byte that is below the bound (or equal to the
    // letter). A borrow may run into bytes above the first hit, which the scan ignores.
    let control = word.wrapping_sub(EACH_BYTE * 0x20);
    let quote = (word ^ (EACH_BYTE * u64::from(b'"'))).wrapping_sub(EACH_BYTE);
    let backslash = (word ^ (EACH_BYTE * u64::from(b'\\'))).wrapping_sub(EACH_BYTE);
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
    fn plain_texts_have_no_special_byte_anywhere() {
        for length in 0..200 {
            let mut bytes = "aé\u{7F}!".repeat(50).into_bytes()[..length].to_vec();
            assert!(is_plain(&bytes), "{length} bytes");
            for offset in 0..length {
                for special in [b'"', b'\\', 0, 0x1F] {
                    let plain = std::mem::replace(&mut bytes[offset], special);
                    assert!(!is_plain(&bytes), "{special} at {offset} of {length}");
                    bytes[offset] = plain;
                }
            }
        }
    }

    #[test]
    fn starts_where_told() {
        assert_eq!(special_byte(b"\"aaaaaaaaaaa\"a", 1), 12);
        assert_eq!(special_byte(b"aa", 2), 2);
    }
}
