//! Records a working process and rebuilds its folder as a power loss at a recorded call could
//! leave it: the store must open, hold everything acknowledged before, and take writes.

use crate::child::{self, Acknowledged};
use crate::disk::{Disk, Loss};
use crate::trace::{self, Event};
use crate::workload::{Workload, read_all};
use crate::{Random, scaled, setting};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Small values and a small memtable: many files are written and merged in little time.
pub(crate) fn run(random: &mut Random) {
    let workload =
        Workload { threads: 3, rounds: 60, phases: 3, value_bytes: 300, memtable_bytes: 20_000 };
    stop_everywhere(workload, 60, random);
}

/// Large values: the 64 MiB after which a new log is begun are reached.
pub(crate) fn run_with_log_rotation(random: &mut Random) {
    let workload = Workload {
        threads: 3,
        rounds: 60,
        phases: 2,
        value_bytes: 150_000,
        memtable_bytes: 4_000_000,
    };
    stop_everywhere(workload, 8, random);
}

fn stop_everywhere(workload: Workload, stops: u64, random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    let Some(recorder) = child::build_recorder(folder.path()) else { return };
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let trace_path = folder.path().join("trace");
    let mut command = child::command(&data, workload);
    command.env("LD_PRELOAD", recorder).env("CRASH_TRACE", &trace_path);
    assert!(command.output().unwrap().status.success());

    let trace = fs::read(&trace_path).unwrap();
    let events = trace::parse(&trace, data.to_str().unwrap());
    check_recording(&trace, &events, &data, random);
    let points = stop_points(&events, scaled(stops), random);
    println!("{} calls recorded, stopping at {}", events.len(), points.len());
    let mut disk = Disk::new(&trace);
    let mut acknowledged = vec![0; usize::try_from(workload.threads).unwrap()];
    for (nth, event) in events.iter().enumerate() {
        disk.apply(event);
        if let Event::Acknowledge { text } = event {
            child::acknowledge(text.trim_end(), &mut acknowledged);
        }
        for _ in 0..points.get(&nth).copied().unwrap_or(0) {
            let loss = Loss::ALL[random.offset(Loss::ALL.len())];
            check_stop(&disk, loss, workload, &acknowledged, random)
                .unwrap_or_else(|what| panic!("stop after call {nth}, {loss:?}: {what}"));
        }
    }
}

/// The recording is complete: replaying it gives the very folder the process left.
fn check_recording(trace: &[u8], events: &[Event], data: &Path, random: &mut Random) {
    let mut disk = Disk::new(trace);
    for event in events {
        disk.apply(event);
    }
    let replayed = tempfile::tempdir().unwrap();
    disk.write(replayed.path(), Loss::Nothing, random);
    let (real, replayed) = (read_folder(data), read_folder(replayed.path()));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&real), names(&replayed));
    for (name, bytes) in &real {
        assert!(*bytes == replayed[name], "file '{name}' differs from its recording");
    }
}

fn read_folder(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let inner = read_folder(&path);
            files
                .extend(inner.into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    files
}

/// Chooses calls to stop after, half of them at syncs and names, where mistakes hide.
fn stop_points(events: &[Event], stops: u64, random: &mut Random) -> BTreeMap<usize, usize> {
    if setting("CRASH_ALL").is_some() {
        return (0..events.len()).map(|nth| (nth, 2)).collect();
    }
    let is_critical = |event: &Event| {
        matches!(
            event,
            Event::Sync { .. }
                | Event::Rename { .. }
                | Event::Unlink { .. }
                | Event::Truncate { .. }
        )
    };
    let critical: Vec<usize> = (0..events.len()).filter(|&nth| is_critical(&events[nth])).collect();
    let mut points = BTreeMap::new();
    for stop in 0..stops {
        let nth = match stop % 2 {
            0 => random.offset(events.len()),
            _ => critical[random.offset(critical.len())].saturating_sub(random.offset(2)),
        };
        *points.entry(nth).or_default() += 1;
    }
    points
}

fn check_stop(
    disk: &Disk<'_>,
    loss: Loss,
    workload: Workload,
    acknowledged: &Acknowledged,
    random: &mut Random,
) -> Result<(), String> {
    let image = tempfile::tempdir().unwrap();
    disk.write(image.path(), loss, random);
    let result = check_image(image.path(), workload, acknowledged);
    if result.is_err() {
        let kept = tempfile::tempdir().unwrap().keep();
        disk.write(&kept, loss, random);
        println!("a folder like the failed one is kept in {}", kept.display());
    }
    result
}

fn check_image(
    image: &Path,
    workload: Workload,
    acknowledged: &Acknowledged,
) -> Result<(), String> {
    let store = workload.open(image).map_err(|error| error.to_string())?;
    let content = read_all(&store).map_err(|error| error.to_string())?;
    workload.verify(&content, acknowledged)?;
    let mut latest = workload.latest(&content);
    for (thread, last) in (0..).zip(&mut latest) {
        *last += 1;
        workload.commit(&store, thread, *last).map_err(|error| error.to_string())?;
    }
    drop(store);
    let store = workload.open(image).map_err(|error| format!("second open: {error}"))?;
    let content = read_all(&store).map_err(|error| format!("second read: {error}"))?;
    if workload.latest(&content) != latest {
        return Err("a write after the crash is lost".to_owned());
    }
    workload.verify(&content, &latest)
}
