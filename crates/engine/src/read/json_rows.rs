//! The body of the response of a Query, Scan or SELECT, written item by item while the page is
//! read: nothing of an item is kept, and its bytes are still in the processor's cache when they are
//! copied out.

use super::Rows;
use hashrange_model::Item;
use hashrange_wire::Encode;
use hashrange_wire::json::attribute_value::write_item;

const OPENING: &[u8] = b"{\"Items\":[";

/// Approximate bytes of the members after the items.
const REST_BYTES: usize = 256;

/// The opening of a body with the items so far.
#[derive(Debug)]
pub(crate) struct JsonRows(Vec<u8>);

impl JsonRows {
    /// Returns the whole body: the rows, if any, and the members of `output`, which is an object.
    pub(crate) fn into_body(rows: Option<Self>, output: &impl Encode) -> Vec<u8> {
        let Some(Self(mut body)) = rows else {
            let mut body = Vec::with_capacity(REST_BYTES);
            output.encode(&mut body);
            return body;
        };
        body.push(b']');
        let rest = body.len();
        output.encode(&mut body);
        debug_assert_eq!(body[rest], b'{');
        if &body[rest..] == b"{}" {
            body.remove(rest);
        } else {
            body[rest] = b',';
        }
        body
    }
}

impl Rows for JsonRows {
    fn with_capacity(bytes: usize) -> Self {
        let mut body = Vec::with_capacity(OPENING.len() + bytes + REST_BYTES);
        body.extend_from_slice(OPENING);
        Self(body)
    }

    fn push(&mut self, item: Item) {
        if self.0.len() > OPENING.len() {
            self.0.push(b',');
        }
        write_item(&mut self.0, &item);
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }
}
