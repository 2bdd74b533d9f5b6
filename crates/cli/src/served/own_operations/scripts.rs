//! Golden scripts of own operations: their answers and refusals. They are in
//! `tests/scripts/OPERATION/FACT.txt`, in the form that `hashrange_testkit::script` describes.

use super::of_sandbox;
use hashrange::{ApiError, Operation, Options, Sandbox, Service, block_on};
use hashrange_testkit::script::{self, Bless, Contents, Subject};
use std::path::Path;

struct Scripted(Sandbox);

impl Subject for Scripted {
    fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, ApiError> {
        match Operation::from_name(Service::DynamoDb, operation) {
            Some(operation) => block_on(self.0.database().call(operation, body)),
            None => block_on(of_sandbox(&self.0, operation, body)),
        }
    }

    fn advance(&self, _ms: u64) {
        panic!("no script of an own operation lets time pass");
    }

    fn contents(&self) -> Contents {
        Contents::new()
    }
}

#[test]
fn own_operations_answer_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let setting = crate::surroundings::text_variable("HASHRANGE_BLESS");
    let scripts = script::find(&folder);
    assert!(!scripts.is_empty());
    let run = |path: &std::path::PathBuf| {
        let subject = Scripted(Sandbox::memory(&Options::default()));
        let bless = Bless::from_setting(setting.as_deref());
        script::run(path, &folder.join("tables"), &subject, bless)
    };
    let failed: Vec<_> = scripts
        .iter()
        .filter_map(run)
        .map(|mismatch| format!("{}\n{}", mismatch.path.display(), mismatch.report))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
