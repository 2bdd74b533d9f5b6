//! Requests of transactions.

use super::{Placeholders, Request, get, item_json};
use crate::model::item::{Item, Path};
use crate::model::transaction::{TransactMember, TransactWrite};
use serde_json::{Value as Json, json};

pub(super) fn transact_write(members: &[TransactMember], token: Option<&str>) -> Request {
    let members: Vec<_> = members.iter().map(member).collect();
    let mut body = json!({ "TransactItems": members });
    if let Some(token) = token {
        body["ClientRequestToken"] = token.into();
    }
    Request { operation: "TransactWriteItems", body }
}

fn member(member: &TransactMember) -> Json {
    let mut placeholders = Placeholders::default();
    let mut body = json!({ "TableName": member.table });
    let verb = match &member.write {
        TransactWrite::Put(item) => {
            body["Item"] = item_json(item);
            "Put"
        }
        TransactWrite::Update(key, actions) => {
            body["Key"] = item_json(key);
            body["UpdateExpression"] = placeholders.update(actions).into();
            "Update"
        }
        TransactWrite::Delete(key) => {
            body["Key"] = item_json(key);
            "Delete"
        }
        TransactWrite::Check(key) => {
            body["Key"] = item_json(key);
            "ConditionCheck"
        }
    };
    if let Some(condition) = &member.condition {
        body["ConditionExpression"] = placeholders.condition(condition).into();
        body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD".into();
    }
    placeholders.add_to(&mut body);
    json!({ verb: body })
}

pub(super) fn transact_get(gets: &[(String, Item, Vec<Path>)]) -> Request {
    let gets: Vec<_> =
        gets.iter().map(|(table, key, paths)| json!({ "Get": get(table, key, paths) })).collect();
    Request { operation: "TransactGetItems", body: json!({ "TransactItems": gets }) }
}
