//! Text that is not in UTF-8: the encoding that it seems to have, so that an error can name it.

/// Returns the message about bytes that are no UTF-8; `is_first` for those at the beginning of a
/// file.
pub fn fault(bytes: &[u8], is_first: bool) -> String {
    if is_first && (bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")) {
        return "the file is in UTF-16, and UTF-8 is read: `iconv -f UTF-16 -t UTF-8` converts it"
            .to_owned();
    }
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let Some(byte) = bytes.get(valid) else { return "not in UTF-8".to_owned() };
    let name = match byte {
        // These are controls in Latin-1, letters and marks in Windows-1252.
        0x80..=0x9f => "as text in Windows-1252 has".to_owned(),
        letter => format!("which is {:?} in Latin-1 and Windows-1252", char::from(*letter)),
    };
    format!(
        "not in UTF-8: byte {} is {byte:#04x}, {name}; `iconv -f WINDOWS-1252 -t UTF-8` converts \
         such a file",
        valid + 1
    )
}

/// Returns the message about the first line of a file in which every other byte is zero.
pub fn zero_fault(line: &str) -> Option<String> {
    let has_zeros = |first| line.bytes().skip(first).step_by(2).all(|byte| byte == 0);
    let name = match line.len() {
        0..=2 => return None,
        _ if has_zeros(1) => "UTF-16LE",
        _ if has_zeros(0) => "UTF-16BE",
        _ => return None,
    };
    Some(format!(
        "every other byte is zero, as in UTF-16 without a byte order mark, and UTF-8 is read: `iconv -f \
         {name} -t UTF-8` converts that"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_named() {
        for (bytes, expected) in [
            (&b"\xff\xfea\0"[..], "the file is in UTF-16, and UTF-8 is read"),
            (b"\xfe\xff\0a", "the file is in UTF-16, and UTF-8 is read"),
            (b"caf\xe9,1", "not in UTF-8: byte 4 is 0xe9, which is 'é' in Latin-1"),
            (b"\x80", "not in UTF-8: byte 1 is 0x80, as text in Windows-1252 has"),
            ("é\u{0}".as_bytes(), "not in UTF-8"),
        ] {
            let said = fault(bytes, true);
            assert!(said.starts_with(expected), "{said}");
        }
        assert!(fault(b"\xff\xfe", false).starts_with("not in UTF-8: byte 1 is 0xff"));
        assert!(zero_fault("p\0k\0").unwrap().contains("-f UTF-16LE "));
        assert!(zero_fault("\0p\0k").unwrap().contains("-f UTF-16BE "));
        assert!(zero_fault("pk").is_none() && zero_fault("p\0key").is_none());
    }
}
