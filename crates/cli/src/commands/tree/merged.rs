//! The pages of a tree, put together: a node that goes on in a later page is one, with the sums of
//! all pages.

use crate::bulk;
use crate::output::printer::counted;
use serde_json::{Value, json};

/// Nodes and costs of the pages so far.
#[derive(Debug, Default)]
pub struct Merged {
    nodes: Vec<Value>,
    /// Number of the largest nodes to keep, if the user wants only those.
    largest: Option<usize>,
    seeks: u64,
    keys_read: u64,
    read_units: f64,
    client_requests: u64,
    client_units: f64,
}

impl Merged {
    /// Begins without pages.
    pub fn new(largest: Option<usize>) -> Self {
        Self { largest, ..Self::default() }
    }

    /// Returns the nodes.
    pub fn nodes(&self) -> &[Value] {
        &self.nodes
    }

    /// Returns the number of nodes.
    pub fn shown(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a page.
    pub fn add(&mut self, mut page: Value) {
        for node in page["Nodes"].as_array_mut().into_iter().flatten() {
            self.add_node(node.take());
        }
        if let Some(most) = self.largest {
            self.keep_largest(most);
        }
        let work = &page["Work"];
        let whole = |value: &Value| value.as_u64().unwrap_or(0);
        let units = |value: &Value| value.as_f64().unwrap_or(0.0);
        self.seeks += whole(&work["Seeks"]);
        self.keys_read += whole(&work["KeysRead"]);
        self.read_units += units(&work["ReadUnits"]);
        self.client_requests += whole(&work["EstimateForClient"]["Requests"]);
        self.client_units += units(&work["EstimateForClient"]["ReadUnits"]);
    }

    /// Adds a node; adds its counts to those of an earlier page if the node goes on.
    fn add_node(&mut self, node: Value) {
        let same = |known: &&mut Value| {
            known["GoesOn"] == true
                && known["Level"] == node["Level"]
                && known["Key"] == node["Key"]
        };
        // Only the last nodes of an earlier page go on.
        let is_continued = node["Continued"] == true;
        let known = is_continued.then(|| self.nodes.iter_mut().rev().find(same)).flatten();
        let Some(known) = known else {
            self.nodes.push(node);
            return;
        };
        for name in ["Items", "Bytes"] {
            let sum = known[name].as_u64().unwrap_or(0) + node[name].as_u64().unwrap_or(0);
            known[name] = json!(sum);
        }
        known["GoesOn"] = json!(node["GoesOn"] == true);
    }

    fn keep_largest(&mut self, most: usize) {
        let bytes = |node: &Value| node["Bytes"].as_u64().unwrap_or(0);
        let (goes_on, mut whole): (Vec<_>, Vec<_>) =
            self.nodes.drain(..).partition(|node| node["GoesOn"] == true);
        whole.sort_by_key(|node| std::cmp::Reverse(bytes(node)));
        whole.truncate(most);
        self.nodes = whole;
        self.nodes.extend(goes_on);
    }

    /// Returns the counts and the cost, in two lines.
    pub fn summary(&self) -> String {
        let count =
            |kind: &str| self.nodes.iter().filter(|node| node["Kind"] == kind).count() as u64;
        let found = [("PARTITION", "partition key"), ("FOLDER", "folder"), ("ITEM", "item")];
        let found: Vec<String> = found
            .into_iter()
            .map(|(kind, name)| (count(kind), name))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| bulk::counted(count, name))
            .collect();
        let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        let keys = if self.keys_read == 1 { "key" } else { "keys" };
        format!(
            "{found}; {}, {} {keys} read, {}\na client of DynamoDB would need about {}, {}",
            bulk::counted(self.seeks, "seek"),
            self.keys_read,
            counted(self.read_units, "read"),
            bulk::counted(self.client_requests, "request"),
            counted(self.client_units, "read"),
        )
    }
}
