//! Appends JSON scalars to a buffer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::scan::{LONG_BLOCK, is_plain, is_plain_block, special_byte};

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends a string in quotes.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    write_text(out, text.as_bytes());
}

/// Appends a string in quotes, given as bytes that the caller knows to be UTF-8.
pub fn write_text(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    write_escaped(out, bytes);
    out.push(b'"');
}

/// Appends the text between the quotes of a string.
#[inline]
pub(super) fn write_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() >= LONG_BLOCK {
        write_long(out, bytes);
    } else if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        write_with_escapes(out, bytes);
    }
}

/// Copies a long text while scanning it, so that its bytes are fetched once; drops the copy again
/// if something in it needs an escape.
fn write_long(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    out.reserve(bytes.len());
    let (blocks, rest) = bytes.as_chunks::<{ 2 * LONG_BLOCK }>();
    let mut is_plain = rest.first_chunk().is_none_or(is_plain_block::<LONG_BLOCK>)
        && bytes.last_chunk().is_none_or(is_plain_block::<LONG_BLOCK>);
    for block in blocks {
        is_plain &= is_plain_block(block);
        out.extend_from_slice(block);
    }
    out.extend_from_slice(rest);
    if !is_plain {
        out.truncate(start);
        write_with_escapes(out, bytes);
    }
}

#[cold]
fn write_with_escapes(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut plain_from = 0;
    loop {
        let special = special_byte(bytes, plain_from);
        out.extend_from_slice(&bytes[plain_from..special]);
        let Some(&byte) = bytes.get(special) else { return };
        write_escape(out, byte);
        plain_from = special + 1;
    }
}

/// Appends a string that needs no escapes, as the caller knows.
pub fn write_plain_string(out: &mut Vec<u8>, text: &str) {
    debug_assert!(is_plain(text.as_bytes()));
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Appends bytes as a base64 string in quotes.
pub fn write_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let written = STANDARD
        .encode_slice(bytes, &mut out[start..])
        .expect("three bytes take four letters, the last group is padded");
    out.truncate(start + written);
    out.push(b'"');
}

#[cold]
fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX_DIGITS[usize::from(byte >> 4)]);
            out.push(HEX_DIGITS[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_an_escape_gets_it_wherever_it_stands() {
        for length in [0, 1, 15, 16, 63, 64, 65, 127, 128, 200] {
            let plain: String = "aé!".chars().cycle().take(length).collect();
            assert_eq!(written(&plain), format!("before\"{plain}\""));
            for at in (0..plain.len()).filter(|at| plain.is_char_boundary(*at)) {
                let (left, right) = plain.split_at(at);
                assert_eq!(
                    written(&format!("{left}\"\u{1}{right}")),
                    format!("before\"{left}\\\"\\u0001{right}\""),
                );
            }
        }
    }

    fn written(text: &str) -> String {
        let mut out = b"before".to_vec();
        write_string(&mut out, text);
        String::from_utf8(out).unwrap()
    }
}
