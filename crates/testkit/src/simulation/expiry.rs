//! A client that turns time to live of `things` off and on while others write. Nothing is removed
//! before its time meanwhile; in the calm it is on.

use super::server::{Answer, Server};
use super::tables::THINGS;
use hashrange_model::ErrorKind;
use hashrange_wire::Operation;
use serde_json::{Value as Json, json};

/// Turns it off and on in turn.
pub(super) async fn change(server: Server, count: usize) {
    for _ in 0..count {
        let status = status(&server).await;
        let is_enabled = match status.as_str() {
            // The service must refuse a change of a setting that is changing; a request without an
            // answer may have come first.
            "ENABLING" | "DISABLING" => server.fate().chance(500),
            status => status == "ENABLED",
        };
        turn(&server, !is_enabled).await;
        server.sleep(server.fate().below(800) as u64).await;
    }
}

/// Waits until it is on. Nobody else changes it.
pub(super) async fn settle(server: Server) {
    loop {
        match status(&server).await.as_str() {
            "ENABLED" => return,
            "DISABLED" => turn(&server, true).await,
            _ => {}
        }
        server.sleep(20).await;
    }
}

async fn turn(server: &Server, on: bool) {
    let specification = json!({"Enabled": on, "AttributeName": "until"});
    let request = json!({"TableName": THINGS, "TimeToLiveSpecification": specification});
    match server.call(Operation::UpdateTimeToLive, &request).await {
        Answer::Done(_) | Answer::Unknown => {}
        Answer::Refused(error) => assert_eq!(error.kind(), ErrorKind::Validation, "{error}"),
    }
}

async fn status(server: &Server) -> String {
    let request = json!({"TableName": THINGS});
    let described: Json = server.insist(Operation::DescribeTimeToLive, &request).await;
    let status = described["TimeToLiveDescription"]["TimeToLiveStatus"].as_str();
    status.unwrap_or("").to_owned()
}
