//! `hashrange api`: any operation, with the API's own JSON in and out.

use crate::arguments::Api;
use crate::client::Client;
use crate::exit::Usage;
use crate::output;
use anyhow::Context;
use hashrange::Operation;
use std::io::Read;

/// The largest request that is read. Source: DynamoDB takes 16 MB.
const REQUEST_MAX_BYTES: u64 = 16 << 20;

/// Calls an operation and prints the response as it came.
pub fn run(client: &mut Client, arguments: &Api) -> anyhow::Result<()> {
    let operation = operation(&arguments.operation)?;
    let response = if arguments.request == "-" {
        let mut request = Vec::new();
        std::io::stdin()
            .lock()
            .take(REQUEST_MAX_BYTES + 1)
            .read_to_end(&mut request)
            .context("read standard input")?;
        client.call_raw(operation, &request)?
    } else {
        client.call_raw(operation, arguments.request.as_bytes())?
    };
    output::bytes(&response)
}

/// Returns the operation of that name, in capitals or not.
fn operation(name: &str) -> anyhow::Result<Operation> {
    let same = |operation: &&Operation| operation.name().eq_ignore_ascii_case(name);
    let found = Operation::ALL.iter().find(same).copied();
    found.ok_or_else(|| Usage(format!("there is no operation {name:?}")).into())
}
