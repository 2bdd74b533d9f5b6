//! A model of a disk with a cache: replays recorded calls and builds the folder as a power loss
//! could leave it.
//!
//! What was synced is there. Of the rest of each file the first part is there, the write after it
//! may be torn at any sector, and single sectors of later writes may have made it too. Of the rest
//! of the names a first part is there: of all changes in order on a journalling file system, where
//! any sync makes all earlier names durable; of each folder on its own in the strict reading of
//! POSIX, where names are durable only when their folder is synced.

use crate::Random;
use crate::trace::Event;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

const SECTOR_BYTES: usize = 512;

/// What a power loss leaves of unsynced changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Everything is left.
    Nothing,
    /// Nothing is left; names as on a journalling file system.
    AllData,
    /// Nothing is left; names only where their folder was synced.
    AllDataAndNames,
    /// Any part is left; names as on a journalling file system.
    Some,
    /// Any part is left; names only where their folder was synced.
    SomeAndNames,
}

impl Loss {
    pub(crate) const ALL: [Self; 5] =
        [Self::Nothing, Self::AllData, Self::AllDataAndNames, Self::Some, Self::SomeAndNames];

    fn is_strict(self) -> bool {
        matches!(self, Self::AllDataAndNames | Self::SomeAndNames)
    }

    fn is_random(self) -> bool {
        matches!(self, Self::Some | Self::SomeAndNames)
    }
}

type Id = usize;

/// The disk and its cache after some recorded calls.
#[derive(Debug)]
pub(crate) struct Disk<'a> {
    trace: &'a [u8],
    nodes: Vec<Node>,
    name_changes: Vec<NameChange>,
    descriptors: HashMap<i32, Id>,
}

/// A file or a folder; the folder 0 is the root.
#[derive(Debug, Default)]
struct Node {
    is_folder: bool,
    /// The names in a folder as the process sees them.
    names: BTreeMap<String, Id>,
    synced: FileBytes,
    unsynced: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Write { offset: usize, data: Range<usize> },
    Truncate { length: usize },
}

/// Bytes of a file; those after `data` up to `length` are zero.
#[derive(Debug, Clone, Default)]
struct FileBytes {
    data: Vec<u8>,
    length: usize,
}

/// A change of one or two folders: names removed and then at most one added.
#[derive(Debug, Clone)]
struct NameChange {
    removed: Option<(Id, String)>,
    added: Option<(Id, String, Id)>,
    is_synced: bool,
    is_synced_with_journal: bool,
}

impl FileBytes {
    fn truncate(&mut self, length: usize) {
        self.data.truncate(length);
        self.length = length;
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        if self.data.len() < end {
            self.data.resize(end, 0);
        }
        self.data[offset..end].copy_from_slice(bytes);
        self.length = self.length.max(end);
    }

    fn apply(&mut self, change: &Change, trace: &[u8]) {
        match change {
            Change::Write { offset, data } => self.write(*offset, &trace[data.clone()]),
            Change::Truncate { length } => self.truncate(*length),
        }
    }

    /// Applies each sector of a write with a chance of one in `chances`.
    fn tear(&mut self, change: &Change, trace: &[u8], random: &mut Random, chances: u64) {
        let Change::Write { offset, data } = change else { return };
        let (mut at, mut rest) = (*offset, &trace[data.clone()]);
        while !rest.is_empty() {
            let (sector, later) = rest.split_at(rest.len().min(SECTOR_BYTES - at % SECTOR_BYTES));
            if random.is_one_in(chances) {
                self.write(at, sector);
            }
            at += sector.len();
            rest = later;
        }
    }
}

impl<'a> Disk<'a> {
    /// Returns an empty folder.
    pub(crate) fn new(trace: &'a [u8]) -> Self {
        let root = Node { is_folder: true, ..Node::default() };
        Self { trace, nodes: vec![root], name_changes: Vec::new(), descriptors: HashMap::new() }
    }

    /// Replays one call.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::Open { fd, path, is_new, is_emptied } => {
                if *is_new {
                    self.create(path, false);
                }
                let id = self.resolve(path);
                if *is_emptied {
                    self.nodes[id].unsynced.push(Change::Truncate { length: 0 });
                }
                self.descriptors.insert(*fd, id);
            }
            Event::Close { fd } => drop(self.descriptors.remove(fd)),
            Event::Duplicate { fd, to } => {
                self.descriptors.insert(*to, self.descriptors[fd]);
            }
            Event::Write { fd, offset, data } => {
                let offset = usize::try_from(*offset).unwrap();
                self.change(*fd, Change::Write { offset, data: data.clone() });
            }
            Event::Truncate { fd, length } => {
                self.change(*fd, Change::Truncate { length: usize::try_from(*length).unwrap() });
            }
            Event::Sync { fd } => self.sync(self.descriptors[fd]),
            Event::Rename { from, to } => self.rename(from, to),
            Event::Unlink { path } => {
                let (folder, name) = self.split(path);
                self.change_names(Some((folder, name)), None);
            }
            Event::CreateFolder { path } => self.create(path, true),
            Event::Link { from, to } => {
                let (id, (folder, name)) = (self.resolve(from), self.split(to));
                self.change_names(None, Some((folder, name, id)));
            }
            Event::Acknowledge { .. } => {}
        }
    }

    /// Writes the folder as `loss` could leave it to `target`, an empty folder.
    pub(crate) fn write(&self, target: &Path, loss: Loss, random: &mut Random) {
        let mut folders: HashMap<Id, BTreeMap<String, Id>> = HashMap::new();
        for change in self.left_name_changes(loss, random) {
            if let Some((folder, name)) = &change.removed {
                folders.entry(*folder).or_default().remove(name);
            }
            if let Some((folder, name, id)) = &change.added {
                folders.entry(*folder).or_default().insert(name.clone(), *id);
            }
        }
        self.write_folder(0, &folders, target, loss, random);
    }

    fn write_folder(
        &self,
        id: Id,
        folders: &HashMap<Id, BTreeMap<String, Id>>,
        target: &Path,
        loss: Loss,
        random: &mut Random,
    ) {
        for (name, &child) in folders.get(&id).into_iter().flatten() {
            let path = target.join(name);
            if self.nodes[child].is_folder {
                fs::create_dir(&path).unwrap();
                self.write_folder(child, folders, &path, loss, random);
            } else {
                let bytes = self.left_bytes(child, loss, random);
                fs::write(&path, &bytes.data).unwrap();
                let file = fs::File::options().write(true).open(&path).unwrap();
                file.set_len(bytes.length as u64).unwrap();
            }
        }
    }

    fn left_bytes(&self, id: Id, loss: Loss, random: &mut Random) -> FileBytes {
        let node = &self.nodes[id];
        let mut bytes = node.synced.clone();
        let whole = match loss {
            Loss::Nothing => node.unsynced.len(),
            _ if loss.is_random() => random.offset(node.unsynced.len() + 1),
            _ => 0,
        };
        node.unsynced[..whole].iter().for_each(|change| bytes.apply(change, self.trace));
        if loss.is_random() {
            for (nth, change) in node.unsynced[whole..].iter().enumerate() {
                bytes.tear(change, self.trace, random, if nth == 0 { 2 } else { 8 });
            }
        }
        bytes
    }

    fn left_name_changes(&self, loss: Loss, random: &mut Random) -> Vec<NameChange> {
        let is_synced = |change: &NameChange| {
            if loss.is_strict() { change.is_synced } else { change.is_synced_with_journal }
        };
        let mut lost_folders = HashSet::new();
        let mut left = Vec::new();
        for change in &self.name_changes {
            let folders = change.folders();
            let is_blocked = folders.iter().any(|folder| lost_folders.contains(folder));
            let is_left = loss == Loss::Nothing
                || is_synced(change)
                || (loss.is_random() && !is_blocked && !random.is_one_in(4));
            if is_left {
                left.push(change.clone());
            } else if loss.is_strict() {
                lost_folders.extend(folders);
            } else {
                // In a journal nothing survives what was lost before it.
                lost_folders.extend(0..self.nodes.len());
            }
        }
        left
    }

    fn create(&mut self, path: &str, is_folder: bool) {
        let (folder, name) = self.split(path);
        let id = self.nodes.len();
        self.nodes.push(Node { is_folder, ..Node::default() });
        self.change_names(None, Some((folder, name, id)));
    }

    fn rename(&mut self, from: &str, to: &str) {
        let (id, from, (folder, name)) = (self.resolve(from), self.split(from), self.split(to));
        self.change_names(Some(from), Some((folder, name, id)));
    }

    fn change(&mut self, fd: i32, change: Change) {
        self.nodes[self.descriptors[&fd]].unsynced.push(change);
    }

    fn change_names(&mut self, removed: Option<(Id, String)>, added: Option<(Id, String, Id)>) {
        if let Some((folder, name)) = &removed {
            self.nodes[*folder].names.remove(name).unwrap();
        }
        if let Some((folder, name, id)) = &added {
            self.nodes[*folder].names.insert(name.clone(), *id);
        }
        let change = NameChange { removed, added, is_synced: false, is_synced_with_journal: false };
        self.name_changes.push(change);
    }

    fn sync(&mut self, id: Id) {
        for change in &mut self.name_changes {
            change.is_synced |= change.folders().contains(&id);
            change.is_synced_with_journal = true;
        }
        let node = &mut self.nodes[id];
        for change in std::mem::take(&mut node.unsynced) {
            node.synced.apply(&change, self.trace);
        }
    }

    fn resolve(&self, path: &str) -> Id {
        let names = path.split('/').filter(|name| !name.is_empty());
        names.fold(0, |folder, name| self.nodes[folder].names[name])
    }

    fn split(&self, path: &str) -> (Id, String) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        (self.resolve(folder), name.to_owned())
    }
}

impl NameChange {
    fn folders(&self) -> Vec<Id> {
        let removed = self.removed.as_ref().map(|(folder, _)| *folder);
        removed.into_iter().chain(self.added.as_ref().map(|(folder, ..)| *folder)).collect()
    }
}
