//! Cutting of sources into records: where each begins, its fault, and that no source takes more
//! memory than a record.

use super::*;
use std::io::Cursor;

const KEY: &str = "pk";

/// Gives a few bytes at a time, so that every end of a piece is tried.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = buffer.len().min(3);
        self.0.read(&mut buffer[..end])
    }
}

/// A record: its line, its number there, and its text or its fault.
type Cut = (u64, u32, Result<String, String>);

fn cut(reader: Box<dyn Read>, is_csv: bool) -> Vec<Cut> {
    let csv = is_csv.then(Delimiter::default);
    let expected = Expected { csv, partition_key: KEY };
    let mut records = Records::of(reader, is_csv, expected, 1 << 20).unwrap();
    let mut found = Vec::new();
    while let Some(record) = records.next().unwrap() {
        let content = match record.content {
            Content::Text(text) => Ok(text),
            Content::Bad(reason) => Err(reason),
            Content::Broken(reason) => Err(format!("broken: {reason}")),
        };
        found.push((record.line, record.nth, content));
    }
    found
}

fn read(text: &[u8], is_csv: bool) -> Vec<(u64, Result<String, String>)> {
    let at_once = cut(Box::new(Cursor::new(text.to_vec())), is_csv);
    let slowly = cut(Box::new(Slow(Cursor::new(text.to_vec()))), is_csv);
    assert_eq!(at_once, slowly);
    at_once.into_iter().map(|(line, _, content)| (line, content)).collect()
}

#[test]
fn records_know_their_line() {
    let text = |line, text: &str| (line, Ok(text.to_owned()));
    assert_eq!(read(b"\xef\xbb\xbfa\r\n\n \t\nb", false), [text(1, "a"), text(4, "b")]);
    let csv = b"a,b\n\"1\n\n2\",x\r\n3,\"\"\n";
    let expected = [text(1, "a,b"), text(2, "\"1\n\n2\",x"), text(5, "3,\"\"")];
    assert_eq!(read(csv, true), expected);
    assert_eq!(read(b"a,\"b\nc\n", true), [text(1, "a,\"b\nc\n")]);
    let not_utf8 = "not in UTF-8: byte 1 is 0xff, which is 'ÿ' in Latin-1 and Windows-1252; `iconv -f \
                    WINDOWS-1252 -t UTF-8` converts such a file";
    let bad = (1, Err(not_utf8.to_owned()));
    assert_eq!(read(b"\xff\nb", false), [bad, text(2, "b")]);
    let said = "the file is in UTF-16, and UTF-8 is read: `iconv -f UTF-16 -t UTF-8` converts it";
    let utf16 = (1, Err(said.to_owned()));
    assert_eq!(read(b"\xff\xfe{\0", false), [utf16]);
    assert_eq!(read(b"", false), []);
}

#[test]
fn a_record_that_is_too_long_is_skipped() {
    let mut text = vec![b'x'; 5 << 20];
    text.extend(b"\nb");
    let long = "longer than 1 MiB, which no item is".to_owned();
    for is_csv in [false, true] {
        let found = cut(Box::new(Cursor::new(text.clone())), is_csv);
        assert_eq!(found, [(1, 1, Err(long.clone())), (2, 1, Ok("b".to_owned()))]);
    }
    let lines = "\"\n".to_owned() + &"x\n".repeat(1 << 20);
    let found = cut(Box::new(Cursor::new(lines.into_bytes())), true);
    assert_eq!(found[0], (1, 1, Err(long.clone())));
    let list = format!("[{{\"pk\":\"{}\"}},\n{{\"pk\":\"b\"}}]", "x".repeat(5 << 20));
    let found = cut(Box::new(Cursor::new(list.into_bytes())), false);
    assert_eq!(found, [(1, 1, Err(long)), (2, 1, Ok("{\"pk\":\"b\"}".to_owned()))]);
}

/// Items read, each with the line at which it begins.
type Items<'a> = &'a [(u64, &'a str)];

#[test]
fn documents_are_cut_into_items() {
    let cases: &[(&str, Items<'_>)] = &[
        ("[]", &[]),
        ("[\n\n]\n[]\n", &[]),
        (r#"[{"pk":1},{"pk":2}]"#, &[(1, r#"{"pk":1}"#), (1, r#"{"pk":2}"#)]),
        ("\n[\n{pk:'a]'},\n\n{pk:b\"AQ==\"}\n]", &[(3, "{pk:'a]'}"), (5, "{pk:b\"AQ==\"}")]),
        (r#"{"pk":1} {"pk":2}"#, &[(1, r#"{"pk":1}"#), (1, r#"{"pk":2}"#)]),
        ("{\n\"pk\":1\n}\n{\n\"pk\":2}", &[(1, "{\n\"pk\":1\n}"), (4, "{\n\"pk\":2}")]),
        (
            "{\n  \"Items\": [\n    {\n\"pk\": 1}\n, {\"pk\": 2}], \"Count\": 2,\n\"ConsumedCapacity\": null\n}",
            &[(3, "{\n\"pk\": 1}"), (5, "{\"pk\": 2}")],
        ),
        (r#"{"Count":1,"Items":[{"pk":1}],"X":{"a":["]"]}}"#, &[(1, r#"{"pk":1}"#)]),
        (
            "{\"Items\":[{\"pk\":1}],\"Count\":1}\n{\"Items\":[{\"pk\":2}],\"Count\":1}\n",
            &[(1, r#"{"pk":1}"#), (2, r#"{"pk":2}"#)],
        ),
        (r#"[{"Items":[{"pk":1}]},{"pk":2}]"#, &[(1, r#"{"pk":1}"#), (1, r#"{"pk":2}"#)]),
        (r#"{"Items":[1],"pk":"a"}"#, &[(1, r#"{"Items":[1],"pk":"a"}"#)]),
        (r#"{"t":[{"PutRequest":{"Item":{"pk":1}}}]}"#, &[(1, r#"{"pk":1}"#)]),
        (
            "{\"RequestItems\":\n{\"t\":[\n{\"PutRequest\":{\"Item\":{\"pk\":1}}}]},\"ReturnConsumedCapacity\":\"NONE\"}",
            &[(3, r#"{"pk":1}"#)],
        ),
        ("{\"pk\":1}\n[{\"pk\":2}]", &[(1, "{\"pk\":1}"), (2, "[{\"pk\":2}]")]),
    ];
    for (text, expected) in cases {
        let expected: Vec<_> =
            expected.iter().map(|(line, item)| (*line, Ok((*item).to_owned()))).collect();
        assert_eq!(read(text.as_bytes(), false), expected, "{text}");
    }
}

#[test]
fn of_items_in_one_line_each_has_its_number() {
    let found = cut(Box::new(Cursor::new(b"[{},{},\n{}]".to_vec())), false);
    let places: Vec<_> = found.iter().map(|(line, nth, _)| (*line, *nth)).collect();
    assert_eq!(places, [(1, 1), (1, 2), (2, 1)]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn what_is_broken_says_what_and_where_behind_what_was_read() {
    let deep = "[".repeat(10_000);
    let deep_item = format!("[{{\"pk\":1}},\n{{\"pk\":{deep}");
    let too_deep = "broken: more than 120 brackets inside each other";
    let cases: &[(&[u8], usize, u64, &str)] = &[
        (
            b"[{\"pk\":1},\n{\"pk\":2}",
            2,
            2,
            "broken: the file ends inside the value that begins in line 1",
        ),
        (
            b"[\n{\"pk\":1},\n{\"pk\":\n\n",
            1,
            3,
            "broken: the value that begins here is not closed: the file ends in line 5",
        ),
        (
            b"[\n{\"pk\":1},\n{\"pk\":\n\"",
            1,
            3,
            "broken: the value that begins here is not closed: the file ends in line 4",
        ),
        (b"[{\"pk\":1},\n{\"a\":\n[1}]", 1, 2, "broken: expected `]`, not `}` in line 3"),
        (b"[{\"pk\":1},]", 1, 1, "broken: expected an item, not ']'"),
        (b"[{\"pk\":1}\n{\"pk\":2}]", 1, 2, "broken: expected `,` or `]`, not '{'"),
        (b"[{\"pk\":1}\n\0]", 1, 2, "broken: expected `,` or `]`, not '\\0'"),
        (b"[{\"pk\":1}\n\xff]", 1, 2, "broken: expected `,` or `]`, not the byte 0xff"),
        (
            b"[{\"pk\":\"\xff\"}]",
            0,
            1,
            "not in UTF-8: byte 8 is 0xff, which is 'ÿ' in Latin-1 and Windows-1252; `iconv -f WINDOWS-1252 -t \
             UTF-8` converts such a file",
        ),
        (b"[{\"pk\":1}] x", 1, 1, "broken: expected an item or a list of items, not 'x'"),
        (b"[{\"pk\":1}]]", 1, 1, "broken: expected an item or a list of items, not ']'"),
        (b"{\"Items\":[{\"pk\":1}],\n\"Count\" 1}", 1, 2, "broken: expected `:`, not '1'"),
        (b"{\"Items\":[{\"pk\":1}],\n\"Count\":}", 1, 2, "broken: expected a value, not '}'"),
        (
            b"{\"Items\":[{\"pk\":1},\n{\"pk\"",
            1,
            2,
            "broken: the value that begins here is not closed: the file ends in line 2",
        ),
        (b"{\"Items\":[{\"pk\":1}],\n,", 1, 2, "broken: expected a name, not ','"),
        (b"{\"Items\":[{\"pk\":1}],\n\"a\":[}", 1, 2, "broken: expected `]`, not `}`"),
        (
            b"{\"t\":[{\"PutRequest\":{\"Item\":{\"pk\":1}}},\n{\"DeleteRequest\":{}}]}",
            1,
            2,
            "only a PutRequest is taken, and this is another request",
        ),
        (
            b"{\"t\":[{\"PutRequest\":{\"Item\":{\"pk\":1}}}],\n\"u\":[]}",
            0,
            1,
            "broken: it has items of the tables t and u: a file has those of one table",
        ),
        (deep.as_bytes(), 0, 1, too_deep),
        (deep_item.as_bytes(), 1, 2, too_deep),
        // Lines, of which the first is broken.
        (b"{\"pk\":1\n{\"pk\":2}", 0, 1, "{\"pk\":1"),
        (b"{\"pk\":\"1}\n{\"pk\":2}", 0, 1, "{\"pk\":\"1}"),
        (b"{\"pk\":[1}\n{\"pk\":2}", 0, 1, "{\"pk\":[1}"),
        (b"{", 0, 1, "{"),
        (b"x\n[", 0, 1, "x"),
    ];
    for (text, before, line, expected) in cases {
        let name = String::from_utf8_lossy(text).chars().take(80).collect::<String>();
        let found = read(text, false);
        let (at, content) = found.get(*before).unwrap_or_else(|| panic!("{name}: {found:?}"));
        let content = match content {
            Ok(content) | Err(content) => content,
        };
        assert_eq!((*at, content.as_str()), (*line, *expected), "{name}");
        if content.starts_with("broken") {
            assert_eq!(found.len(), before + 1, "{name}");
        }
    }
}

/// A beginning, then one piece so many times, then an end: longer than anybody would hold.
struct Repeated {
    now: Cursor<Vec<u8>>,
    piece: Vec<u8>,
    times: usize,
    end: Vec<u8>,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.now.read(buffer)?;
            if count > 0 || self.times == 0 && self.end.is_empty() {
                return Ok(count);
            }
            self.now = if self.times > 0 {
                self.times -= 1;
                Cursor::new(self.piece.clone())
            } else {
                Cursor::new(std::mem::take(&mut self.end))
            };
        }
    }
}

#[test]
fn a_document_of_any_length_takes_the_memory_of_a_record() {
    let item = r#"{"pk":"a","n":[1,2,3]}"#;
    let pieces = |piece: &str| piece.repeat(1000);
    let cases = [
        ("[{}", format!(",\n{item}"), "]", 1 + 50_000, None),
        (r#"{"Items":[{}"#, format!(",{item}"), r#"],"Count":1}"#, 1 + 50_000, None),
        ("", format!("{{\n{}\n", &item[1..]), "", 50_000, None),
        (
            r#"{"t":[{"PutRequest":{"Item":{}}}"#,
            format!(r#",{{"PutRequest":{{"Item":{item}}}}}"#),
            "]}",
            50_001,
            None,
        ),
        ("[{\"pk\":\"", "xxxxxxxxxxxxxxxxxxxxxxxx".to_owned(), "\"}]", 1, Some("longer")),
        ("\"", "xxxxxxxxxxxxxxxxxxxxxxxx".to_owned(), "\"", 1, Some("longer")),
        ("{\"pk\":\"", "xxxxxxxxxxxxxxxxxxxxxxxx".to_owned(), "", 1, Some("longer")),
        ("[{\"pk\":\"", "xxxxxxxxxxxxxxxxxxxxxxxx".to_owned(), "", 1, Some("broken")),
        ("[", "                        ".to_owned(), "", 1, Some("broken")),
        ("", "                        ".to_owned(), "", 1, Some("longer")),
    ];
    for (start, piece, end, count, fault) in cases {
        let reader = Repeated {
            now: Cursor::new(start.into()),
            piece: pieces(&piece).into(),
            times: 50,
            end: end.into(),
        };
        let expected = Expected { csv: None, partition_key: KEY };
        let mut records = Records::of(Box::new(reader), false, expected, 1 << 16).unwrap();
        let mut found = 0;
        while let Some(record) = records.next().unwrap() {
            found += 1;
            match (&record.content, fault) {
                (Content::Text(_), None)
                | (Content::Bad(_), Some("longer"))
                | (Content::Broken(_), Some("broken")) => {}
                (content, _) => panic!("{start}: {content:?}"),
            }
        }
        assert_eq!(found, count, "{start}");
        let capacity = match &records {
            Records::Lines(lines) => lines.capacity(),
            Records::Document(document) => document.capacity(),
        };
        assert!(capacity <= 1 << 19, "{start}: {capacity}");
    }
}
