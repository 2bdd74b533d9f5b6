//! Files and objects in forms that the reader does not read: names of these forms, for errors.

use super::kind::Members;

/// Bytes at the beginning of a file that tell its form.
pub const START_BYTES: u64 = 4;

/// Beginnings of forms that the reader does not read, each with the message about it. Sources: the
/// formats' specifications; DynamoDB's guide, "DynamoDB table export output format".
const STARTS: [(&[u8], &str); 6] = [
    (
        b"\x28\xb5\x2f\xfd",
        "packed with Zstandard, and only gzip is unpacked: `zstd -dc FILE` unpacks it",
    ),
    (b"\xfd7zX", "packed with xz, and only gzip is unpacked: `xz -dc FILE` unpacks it"),
    (b"BZh9", "packed with bzip2, and only gzip is unpacked: `bzip2 -dc FILE` unpacks it"),
    (b"PK\x03\x04", "a ZIP archive, or a workbook, and only gzip is unpacked"),
    (b"$ion", ION),
    (b"\xe0\x01\x00\xea", ION),
];
const ION: &str = "in Amazon Ion, which is not read: the service exports DynamoDB's JSON with \
     `--export-format DYNAMODB_JSON`";

/// Returns the message about a file that begins with these bytes, if the reader does not read its
/// form.
pub fn file(start: &[u8]) -> Option<&'static str> {
    STARTS.iter().find(|(known, _)| start.starts_with(known)).map(|(_, said)| *said)
}

/// Returns the message about an object that is no item of the table, if exports have such objects.
pub fn object(text: &str) -> Option<&'static str> {
    let members: Vec<_> = Members::of(text.as_bytes()).map(|(name, _)| name).collect();
    let has = |name: &str| members.iter().any(|member| member == name);
    if has("Keys") && (has("NewImage") || has("OldImage") || has("Metadata")) {
        return Some(
            "a change of an incremental export (Keys, NewImage, OldImage), which is no item: only \
             full exports are read",
        );
    }
    if has("manifestFilesS3Key") || has("dataFileS3Key") {
        let is_incremental = text.contains("INCREMENTAL_EXPORT");
        return Some(if is_incremental {
            "the manifest of an incremental export, which has changes and no items: only full \
             exports are read"
        } else {
            "the manifest of an export: its items are in the folder data, data/*.json.gz"
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_item_is_named() {
        for (start, expected) in [
            (&b"\x28\xb5\x2f\xfd"[..], Some("packed with Zstandard")),
            (b"$ion", Some("in Amazon Ion")),
            (b"\xe0\x01\x00\xea", Some("in Amazon Ion")),
            (b"{\"a\"", None),
            (b"", None),
        ] {
            let said = file(start);
            assert_eq!(said.is_some(), expected.is_some(), "{start:?}");
            assert!(said.unwrap_or_default().starts_with(expected.unwrap_or_default()));
        }
        for (text, expected) in [
            (
                r#"{"Metadata":{"WriteTimestampMicros":{"N":"1"}},"Keys":{"pk":{"S":"a"}}}"#,
                Some("a change of an incremental export"),
            ),
            (r#"{"Keys":{},"NewImage":{}}"#, Some("a change of an incremental export")),
            (r#"{"itemCount":1,"dataFileS3Key":"x"}"#, Some("the manifest of an export:")),
            (
                r#"{"exportType":"INCREMENTAL_EXPORT","manifestFilesS3Key":"x"}"#,
                Some("the manifest of an incremental export"),
            ),
            (r#"{"Keys":1}"#, None),
            ("[]", None),
        ] {
            let said = object(text);
            assert_eq!(said.is_some(), expected.is_some(), "{text}");
            assert!(said.unwrap_or_default().starts_with(expected.unwrap_or_default()), "{text}");
        }
    }
}
