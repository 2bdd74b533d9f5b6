//! The own operation Ruler: its request and answer in JSON. `docs/ruler.md` has the members.
//!
//! A cursor is JSON in a string: what was counted so far of the folder that the next call goes on with. It is no
//! secret, and checked like any other member.

use super::{fault, items, key_templates, read_within, written};
use hashrange::{
    ApiResult, Database, Item, RulerBin, RulerCursor, RulerInput, RulerKind, RulerOpen,
    RulerOutput, RulerWork, StateFault,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The largest request: a cursor has three keys, whose characters may be escaped twice.
const REQUEST_MAX_BYTES: usize = 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Request {
    table_name: String,
    index_name: Option<String>,
    partition_key: Option<Box<RawValue>>,
    sort_key: Option<Box<RawValue>>,
    prefix: Option<String>,
    from: Option<Box<RawValue>>,
    to: Option<Box<RawValue>>,
    delimiter: Option<String>,
    bins: Option<usize>,
    cursor: Option<String>,
    consistent_read: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    kind: &'static str,
    key_attribute: String,
    key_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<String>,
    bins: Vec<Bin>,
    covers: Covers,
    items: u64,
    bytes: u64,
    is_exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    work: Work,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Bin {
    first: Box<RawValue>,
    last: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key: Option<Box<RawValue>>,
    folders: u64,
    items: u64,
    bytes: u64,
    is_exact: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_unseen: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Covers {
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Box<RawValue>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Work {
    seeks: u64,
    keys_read: u64,
    read_units: f64,
}

/// A cursor, in the string.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Cursor {
    behind: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<Open>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_folders: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Open {
    first: Box<RawValue>,
    items: u64,
    bytes: u64,
}

/// Runs Ruler.
pub async fn call(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: Request = read_within(body, REQUEST_MAX_BYTES)?;
    let item = |raw: Option<&RawValue>| raw.map(|raw| items::read(Some(raw))).transpose();
    let input = RulerInput {
        table_name: request.table_name,
        index_name: request.index_name,
        partition_key: item(request.partition_key.as_deref())?,
        sort_key: items::read(request.sort_key.as_deref())?,
        prefix: request.prefix,
        from: item(request.from.as_deref())?,
        to: item(request.to.as_deref())?,
        delimiter: request.delimiter,
        bins: request.bins,
        cursor: request.cursor.as_deref().map(Cursor::read).transpose()?,
        consistent: request.consistent_read == Some(true),
    };
    written(&Answer::of(database.ruler(input).await?)?)
}

impl Answer {
    fn of(output: RulerOutput) -> ApiResult<Self> {
        let key = |key: &Option<Item>| key.as_ref().map(items::raw).transpose();
        let RulerWork { seeks, keys_read, read_units } = output.work;
        Ok(Self {
            items: output.items(),
            bytes: output.bytes(),
            is_exact: output.is_exact(),
            covers: Covers { after: key(&output.after)?, until: key(&output.until)? },
            cursor: output.next.as_ref().map(Cursor::text).transpose()?,
            kind: match output.kind {
                RulerKind::Folders => "Folders",
                RulerKind::Values => "Values",
                RulerKind::Bytes => "Bytes",
                RulerKind::Partitions => "Partitions",
            },
            key_attribute: output.key_attribute,
            key_type: output.key_type.as_str(),
            delimiter: output.delimiter,
            bins: output.bins.into_iter().map(Bin::of).collect::<ApiResult<_>>()?,
            work: Work { seeks, keys_read, read_units },
        })
    }
}

impl Bin {
    fn of(bin: RulerBin) -> ApiResult<Self> {
        let (first_name, last_name) = bin.ends.unzip();
        Ok(Self {
            first_name,
            last_name,
            first: items::raw(&bin.first)?,
            last: items::raw(&bin.last)?,
            name: bin.name,
            folder: bin.folder,
            sort_key: bin.sort_key.as_ref().map(items::raw).transpose()?,
            folders: bin.folders,
            items: bin.items,
            bytes: bin.bytes,
            is_exact: bin.is_exact,
            is_unseen: bin.is_unseen,
            parts: key_templates::parts(&bin.parts),
        })
    }
}

impl Cursor {
    fn read(text: &str) -> ApiResult<RulerCursor> {
        let no_cursor = |error| fault(StateFault::Form(format!("Cursor: {error}")));
        let cursor: Self = serde_json::from_str(text).map_err(no_cursor)?;
        let open = |open: Open| {
            let first = items::read(Some(&open.first))?;
            ApiResult::Ok(RulerOpen { first, items: open.items, bytes: open.bytes })
        };
        Ok(RulerCursor {
            behind: items::read(Some(&cursor.behind))?,
            open: cursor.open.map(open).transpose()?,
            after: cursor.after.map(|after| items::read(Some(&after))).transpose()?,
            has_folders: cursor.has_folders,
        })
    }

    fn text(cursor: &RulerCursor) -> ApiResult<String> {
        let open = |open: &RulerOpen| {
            ApiResult::Ok(Open {
                first: items::raw(&open.first)?,
                items: open.items,
                bytes: open.bytes,
            })
        };
        let cursor = Self {
            behind: items::raw(&cursor.behind)?,
            open: cursor.open.as_ref().map(open).transpose()?,
            after: cursor.after.as_ref().map(items::raw).transpose()?,
            has_folders: cursor.has_folders,
        };
        serde_json::to_string(&cursor).map_err(|_| hashrange::Reason::Internal.into())
    }
}
