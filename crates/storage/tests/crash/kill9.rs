//! Kills a working process with SIGKILL and looks at what it left, again and again on one folder.

use crate::workload::{Workload, read_all};
use crate::{Random, child, scaled};
use std::io::{BufRead, BufReader};

pub(crate) fn run(random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    let workload = Workload {
        threads: 4,
        rounds: 1_000_000,
        phases: 1,
        value_bytes: 500,
        memtable_bytes: 200_000,
    };
    let mut acknowledged = vec![0; 4];
    for round in 0..scaled(6) {
        let mut process = child::command(folder.path(), workload).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut countdown = 1 + random.below(1500);
        for line in lines {
            child::acknowledge(&line.unwrap(), &mut acknowledged);
            countdown = countdown.saturating_sub(1);
            if countdown == 0 {
                // Lines that are still in the pipe count as well; killing twice is harmless.
                process.kill().unwrap();
            }
        }
        process.wait().unwrap();
        let store = workload.open(folder.path()).unwrap();
        let content = read_all(&store).unwrap();
        workload.verify(&content, &acknowledged).unwrap_or_else(|what| panic!("{round}: {what}"));
        acknowledged = workload.latest(&content);
    }
    println!("acknowledged rounds: {acknowledged:?}");
}
