//! The own operations Tree and Partitions: their requests and answers in JSON.
//!
//! A member that Query has, too, has the same name: `TableName`, `IndexName`, `Limit`,
//! `ScanIndexForward`, `ConsistentRead`. `docs/tree.md` has the others.

use super::{items, key_templates, read, written};
use hashrange::{
    ApiResult, Database, NodeKind, PartitionsInput, TreeInput, TreeNode, TreeOutput, TreePosition,
    TreeWork,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct TreeRequest {
    table_name: String,
    index_name: Option<String>,
    partition_key: Option<Box<RawValue>>,
    sort_key: Option<Box<RawValue>>,
    prefix: Option<String>,
    delimiter: Option<String>,
    depth: Option<usize>,
    counts: Option<bool>,
    limit: Option<usize>,
    exclusive_start: Option<Position>,
    scan_index_forward: Option<bool>,
    consistent_read: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct PartitionsRequest {
    table_name: String,
    index_name: Option<String>,
    counts: Option<bool>,
    largest_first: Option<bool>,
    limit: Option<usize>,
    exclusive_start: Option<Position>,
    consistent_read: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Position {
    kind: Kind,
    key: Box<RawValue>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Kind {
    Partition,
    Folder,
    Item,
    Entry,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct TreeAnswer {
    nodes: Vec<Node>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated: Option<Position>,
    work: Work,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Node {
    kind: Kind,
    level: usize,
    name: String,
    key: Box<RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    continued: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    goes_on: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Work {
    seeks: u64,
    keys_read: u64,
    read_units: f64,
    estimate_for_client: Client,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Client {
    requests: u64,
    read_units: f64,
}

/// Runs Tree.
pub async fn tree(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: TreeRequest = read(body)?;
    let input = TreeInput {
        table_name: request.table_name,
        index_name: request.index_name,
        partition_key: items::read(request.partition_key.as_deref())?,
        sort_key: items::read(request.sort_key.as_deref())?,
        prefix: request.prefix,
        delimiter: request.delimiter,
        depth: request.depth,
        counts: request.counts == Some(true),
        limit: request.limit,
        start: request.exclusive_start.map(Position::read).transpose()?,
        backward: request.scan_index_forward == Some(false),
        consistent: request.consistent_read == Some(true),
    };
    answer(database.tree(input).await?)
}

/// Runs Partitions.
pub async fn partitions(database: &Database, body: &[u8]) -> ApiResult<Vec<u8>> {
    let request: PartitionsRequest = read(body)?;
    let input = PartitionsInput {
        table_name: request.table_name,
        index_name: request.index_name,
        counts: request.counts == Some(true),
        largest_first: request.largest_first == Some(true),
        limit: request.limit,
        start: request.exclusive_start.map(Position::read).transpose()?,
        consistent: request.consistent_read == Some(true),
    };
    answer(database.partitions(input).await?)
}

fn answer(output: TreeOutput) -> ApiResult<Vec<u8>> {
    let answer = TreeAnswer {
        nodes: output.nodes.into_iter().map(Node::of).collect::<ApiResult<_>>()?,
        last_evaluated: output.next.as_ref().map(Position::of).transpose()?,
        work: Work::of(output.work),
    };
    written(&answer)
}

impl Position {
    fn read(self) -> ApiResult<TreePosition> {
        let key = items::read(Some(&self.key))?;
        let kind = match self.kind {
            Kind::Partition => NodeKind::Partition,
            Kind::Folder => NodeKind::Folder,
            Kind::Item => NodeKind::Item,
            Kind::Entry => return Ok(TreePosition::Entry(key)),
        };
        Ok(TreePosition::Node { kind, key })
    }

    fn of(position: &TreePosition) -> ApiResult<Self> {
        let (kind, key) = match position {
            TreePosition::Node { kind, key } => (Kind::of(*kind), key),
            TreePosition::Entry(key) => (Kind::Entry, key),
        };
        Ok(Self { kind, key: items::raw(key)? })
    }
}

impl Kind {
    fn of(kind: NodeKind) -> Self {
        match kind {
            NodeKind::Partition => Self::Partition,
            NodeKind::Folder => Self::Folder,
            NodeKind::Item => Self::Item,
        }
    }
}

impl Node {
    fn of(node: TreeNode) -> ApiResult<Self> {
        Ok(Self {
            kind: Kind::of(node.kind),
            level: node.level,
            key: items::raw(&node.key)?,
            name: node.name,
            parts: key_templates::parts(&node.parts),
            items: node.counts.map(|counts| counts.items),
            bytes: node.counts.map(|counts| counts.bytes),
            continued: node.counts.is_some_and(|counts| counts.continued),
            goes_on: node.counts.is_some_and(|counts| counts.goes_on),
        })
    }
}

impl Work {
    fn of(work: TreeWork) -> Self {
        let by_client = work.by_client;
        let client = Client { requests: by_client.requests, read_units: by_client.read_units };
        Self {
            seeks: work.seeks,
            keys_read: work.keys_read,
            read_units: work.read_units,
            estimate_for_client: client,
        }
    }
}
