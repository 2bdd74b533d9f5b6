//! Items in the requests and answers of own operations, in the JSON form of the service.

use hashrange::json::attribute_value::write_item;
use hashrange::{ApiResult, DecodedItem, Item, Reason, decode};
use serde_json::value::RawValue;

/// Returns an item of a request, which has no attributes if the member is absent.
pub fn read(raw: Option<&RawValue>) -> ApiResult<Item> {
    let Some(raw) = raw else { return Ok(Item::empty()) };
    let decoded = decode::<DecodedItem>(raw.get().as_bytes())?;
    Ok(decoded.value.into_result().map_err(|fault| Reason::Value(*fault))?)
}

/// Returns an item for an answer.
pub fn raw(item: &Item) -> ApiResult<Box<RawValue>> {
    let mut json = Vec::new();
    write_item(&mut json, item);
    let json = String::from_utf8(json).map_err(|_| Reason::Internal)?;
    Ok(RawValue::from_string(json).map_err(|_| Reason::Internal)?)
}
