//! Prints keys and values of the store by the documented layout (`docs/format.md`), read
//! independently of the code that writes them.

use super::print;
use hashrange_model::Item;

/// Returns a key as text.
pub(super) fn key(key: &[u8]) -> String {
    describe_key(key).unwrap_or_else(|| key.escape_ascii().to_string())
}

fn describe_key(key: &[u8]) -> Option<String> {
    let (space, rest) = key.split_first()?;
    match space {
        0x01 => {
            let (kind, rest) = rest.split_first()?;
            Some(match kind {
                1 => format!("table {}", table(rest)?),
                2 => "next table".to_owned(),
                3 => format!("purge {}", table_and_index(rest)?),
                4 => format!("name {}", rest.escape_ascii()),
                5 => format!("backfill {}", table_and_index(rest)?),
                6 => format!("stream {}", rest.escape_ascii()),
                _ => return None,
            })
        }
        0x02 => {
            let (counter, ids) = rest.split_last()?;
            let counter = if *counter == 0 { "entries" } else { "bytes" };
            Some(format!("counter {} {counter}", table_and_index(ids)?))
        }
        0x03 => Some(format!("collection {} {}", table(rest.get(..4)?)?, hashed(rest.get(4..)?)?)),
        0x04 => {
            let (kind, rest) = rest.split_first()?;
            Some(match kind {
                0 => format!("token {}", token(rest)?),
                1 => {
                    let (time, rest) = rest.split_first_chunk()?;
                    format!("token at {} {}", u64::from_be_bytes(*time), token(rest)?)
                }
                _ => return None,
            })
        }
        0x21 => {
            let (ids, rest) = rest.split_at_checked(12)?;
            let second = u64::from_be_bytes(ids.get(4..)?.try_into().ok()?);
            Some(format!("expiry {} {second} {}", table(ids)?, hashed(rest)?))
        }
        0x20 => {
            let (numbers, stamp) = rest.split_at_checked(12)?;
            let shard = numbers.chunks(4).map(table).collect::<Option<Vec<_>>>()?.join(".");
            Some(format!("change {shard} {}", u64::from_be_bytes(stamp.try_into().ok()?)))
        }
        0x10 => Some(format!("item {} {}", table_and_index(rest)?, hashed(rest.get(6..)?)?)),
        _ => None,
    }
}

fn table(ids: &[u8]) -> Option<String> {
    Some(u32::from_be_bytes(ids.get(..4)?.try_into().ok()?).to_string())
}

fn table_and_index(ids: &[u8]) -> Option<String> {
    let index = u16::from_be_bytes(ids.get(4..6)?.try_into().ok()?);
    Some(format!("{}.{index}", table(ids)?))
}

fn token(scope_and_text: &[u8]) -> Option<String> {
    let (scope, text) = scope_and_text.split_first()?;
    Some(format!("{scope} {}", text.escape_ascii()))
}

/// Returns the hash, then the rest.
fn hashed(rest: &[u8]) -> Option<String> {
    let hash = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
    Some(format!("{hash:08x} {}", rest.get(4..)?.escape_ascii()))
}

/// Returns the value at a key as text.
pub(super) fn value(key: &[u8], value: &[u8]) -> String {
    let space = key.first().copied();
    let item = Item::from_stored(value.to_vec().into());
    match (space, item) {
        (Some(0x10), Ok(item)) => format!("{} bytes {}", item.size(), print::item(&item)),
        (Some(0x02 | 0x03), _) if value.len() == 8 => {
            i64::from_le_bytes(value.try_into().expect("it has 8 bytes")).to_string()
        }
        (Some(0x04), _) if value.len() == 25 => {
            let time = u64::from_le_bytes(value[1..9].try_into().expect("it has 8 bytes"));
            format!("form {} used at {time}", value[0])
        }
        _ => value.escape_ascii().to_string(),
    }
}
