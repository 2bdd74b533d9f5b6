//! Lets the disk be full after some bytes: writes fail with `Full`, reads go on, nothing that was
//! acknowledged is lost, and the store works again once there is space.

use crate::workload::{Workload, read_all};
use crate::{Random, child, scaled};
use std::fs;

/// What opening a store writes at most.
const TO_OPEN_BYTES: u64 = 2000;

pub(crate) fn run(random: &mut Random) {
    let workload = Workload {
        threads: 3,
        rounds: 1_000_000,
        phases: 1,
        value_bytes: 300,
        memtable_bytes: 20_000,
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(recorder) = child::build_recorder(folder.path()) else { return };
    for nth in 0..scaled(6) {
        let data = folder.path().join(format!("data-{nth}"));
        fs::create_dir(&data).unwrap();
        drop(workload.open(&data).unwrap());
        let space = TO_OPEN_BYTES + random.below(600_000);
        let output = child::command(&data, workload)
            .env("LD_PRELOAD", &recorder)
            .env("CRASH_SPACE", space.to_string())
            .output()
            .unwrap();
        assert!(output.status.success());
        let output = String::from_utf8(output.stdout).unwrap();
        let mut acknowledged = vec![0; 3];
        output.lines().for_each(|line| child::acknowledge(line, &mut acknowledged));
        assert!(output.ends_with("failed Full\nreads true\n"), "{space}: {}", tail(&output));
        let store = workload.open(&data).unwrap();
        let content = read_all(&store).unwrap();
        workload.verify(&content, &acknowledged).unwrap_or_else(|what| panic!("{space}: {what}"));
        let next = workload.latest(&content)[0] + 1;
        workload.commit(&store, 0, next).unwrap();
    }
}

fn tail(output: &str) -> &str {
    &output[output.len().saturating_sub(300)..]
}
