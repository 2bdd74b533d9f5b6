//! Kind of an object at the top of a document: an item, an answer of Scan or Query, or a request of
//! BatchWriteItem. The table's key decides: an object that has the key is an item, whatever else it
//! has.

use super::nesting::{Extent, Nesting};
use super::window::is_space;

/// Members of an answer of Scan or Query, and those that SDKs and the AWS CLI add.
const ANSWER_MEMBERS: [&str; 7] = [
    "Items",
    "Count",
    "ScannedCount",
    "LastEvaluatedKey",
    "ConsumedCapacity",
    "NextToken",
    "ResponseMetadata",
];
/// The members of an answer that name a next page.
pub const NEXT_PAGE: [&str; 2] = ["LastEvaluatedKey", "NextToken"];
/// The member of a request that has the tables.
pub const REQUEST_ITEMS: &str = "RequestItems";

/// Kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An item, or a failed try to write one.
    Item,
    /// An answer: its member `Items` has the items.
    Answer,
    /// Lists of requests by table.
    Requests,
}

impl Kind {
    /// Returns the kind of an object by its text, which may be cut off.
    pub fn of(text: &[u8], partition_key: &str) -> Self {
        let (mut has_key, mut has_items, mut has_requests) = (false, false, false);
        let (mut is_scan, mut is_answer) = (false, true);
        for (name, value) in Members::of(text) {
            // No key is a list.
            let is_list = value.starts_with(b"[");
            has_key |= name == partition_key && !is_list;
            has_items |= name == "Items" && is_list;
            has_requests |=
                is_list && has_request(value) || name == REQUEST_ITEMS && value.starts_with(b"{");
            is_scan |= name == "ScannedCount";
            is_answer &= ANSWER_MEMBERS.contains(&name.as_str());
            if has_key && !is_answer {
                return Self::Item;
            }
        }
        // An answer about a table whose key is called Count is still one.
        if has_items && (is_scan || !has_key) {
            Self::Answer
        } else if has_requests && !has_key {
            Self::Requests
        } else {
            Self::Item
        }
    }
}

/// Returns whether a list begins with a request of BatchWriteItem.
fn has_request(list: &[u8]) -> bool {
    let first = trimmed(list.get(1..).unwrap_or_default());
    let name = Members::of(first).next().map(|(name, _)| name);
    name.is_some_and(|name| name == "PutRequest" || name == "DeleteRequest")
}

/// Returns the tables that a request has lists for.
pub fn tables(request: &[u8]) -> Vec<String> {
    let mut tables = Vec::new();
    for (name, value) in Members::of(request) {
        if value.starts_with(b"[") {
            tables.push(name);
        } else if name == REQUEST_ITEMS && value.starts_with(b"{") {
            tables.extend(Members::of(value).map(|(name, _)| name));
        }
    }
    tables
}

/// Returns the item that one of the requests puts.
pub fn put_item(request: &str) -> Result<String, String> {
    let only = |text: &[u8], name: &str| -> Option<String> {
        let mut members = Members::of(text);
        let found = members.next().filter(|(first, _)| first == name)?.1.to_owned();
        members.next().is_none().then_some(())?;
        String::from_utf8(found).ok()
    };
    let put = only(request.as_bytes(), "PutRequest")
        .ok_or("only a PutRequest is taken, and this is another request")?;
    only(put.as_bytes(), "Item").ok_or_else(|| "the PutRequest has no Item".to_owned())
}

/// The members of an object one after another, up to where its text is cut off or is no JSON.
#[derive(Debug)]
pub struct Members<'a> {
    rest: &'a [u8],
}

impl<'a> Members<'a> {
    /// Begins behind the opening brace; without one there are no members.
    pub fn of(object: &'a [u8]) -> Self {
        Self { rest: object.strip_prefix(b"{").unwrap_or_default() }
    }

    fn value(&mut self) -> &'a [u8] {
        let end = match Nesting::default().scan(self.rest) {
            Extent::Ended(end) => end,
            Extent::Broken(..) | Extent::More => self.rest.len(),
        };
        let (value, rest) = self.rest.split_at(end);
        self.rest = trimmed(rest);
        value
    }
}

impl<'a> Iterator for Members<'a> {
    /// The name, and the text of the value.
    type Item = (String, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.rest = trimmed(self.rest);
        self.rest = trimmed(self.rest.strip_prefix(b",").unwrap_or(self.rest));
        let name = name(self.value())?;
        self.rest = trimmed(self.rest.strip_prefix(b":")?);
        Some((name, self.value()))
    }
}

/// Returns a name without its quotes.
pub fn name(text: &[u8]) -> Option<String> {
    match text {
        [] => None,
        [b'"', ..] => serde_json::from_slice(text).ok(),
        [b'\'', inner @ .., b'\''] => String::from_utf8(inner.to_vec()).ok(),
        word => String::from_utf8(word.to_vec()).ok(),
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space(*byte));
    &text[start.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_tells_items_from_what_is_around_items() {
        use Kind::{Answer, Item, Requests};
        for (text, expected) in [
            (r#"{"pk":"a"}"#, Item),
            (r#"{"Items":[1],"pk":"a"}"#, Item),
            (r#"{"Items":[1],"Count":1,"pk":{"S":"a"}}"#, Item),
            (r#"{ "Items" : [ ] }"#, Answer),
            (r#"{"Count":2,"Items":[{"pk":"a"}],"ScannedCount":2}"#, Answer),
            (r#"{"Items":[{"pk":"a"},{"#, Answer),
            (r#"{"Items":1}"#, Item),
            (r#"{"Item":{"pk":{"S":"a"}}}"#, Item),
            (r#"{"t":[{"PutRequest":{"Item":{}}}]}"#, Requests),
            (r#"{"t": [ { "DeleteRequest":{}}]}"#, Requests),
            (r#"{"RequestItems":{"t":[]},"ReturnConsumedCapacity":"NONE"}"#, Requests),
            (r#"{"pk":[{"PutRequest":{}}]}"#, Requests),
            (r#"{"pk":"a","t":[{"PutRequest":{}}]}"#, Item),
            (r#"{"t":[{"x":1}]}"#, Item),
            ("{pk:'a',Items:[]}", Item),
            ("{", Item),
        ] {
            assert_eq!(Kind::of(text.as_bytes(), "pk"), expected, "{text}");
        }
        let answer = br#"{"Items":[{"Count":{"N":"1"}}],"Count":1,"ScannedCount":1}"#;
        assert_eq!(Kind::of(answer, "Count"), Answer);
        assert_eq!(Kind::of(br#"{"Items":[1],"Count":1}"#, "Count"), Item);
    }

    #[test]
    fn a_request_puts_one_item() {
        let put = put_item(r#"{ "PutRequest": { "Item" : {"a": "}"} } }"#);
        assert_eq!(put.as_deref(), Ok(r#"{"a": "}"}"#));
        for (text, expected) in [
            (r#"{"DeleteRequest":{}}"#, "only a PutRequest is taken"),
            (r#"{"PutRequest":{"Item":{}},"x":1}"#, "only a PutRequest is taken"),
            (r#"{"PutRequest":{}}"#, "the PutRequest has no Item"),
            ("1", "only a PutRequest is taken"),
        ] {
            assert!(put_item(text).unwrap_err().starts_with(expected), "{text}");
        }
        let two = br#"{"RequestItems":{"a":[],"b":[]}}"#;
        assert_eq!(tables(two), ["a", "b"]);
        assert_eq!(tables(br#"{"a":[1],"x":2}"#), ["a"]);
    }
}
