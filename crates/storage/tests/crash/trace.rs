//! Reads what `interpose.c` recorded.

use std::ops::Range;

/// One recorded call. File descriptors are those of the recorded process.
#[derive(Debug)]
pub(crate) enum Event {
    Open {
        fd: i32,
        path: String,
        is_new: bool,
        is_emptied: bool,
    },
    Close {
        fd: i32,
    },
    Duplicate {
        fd: i32,
        to: i32,
    },
    /// `data` = the written bytes' place in the trace.
    Write {
        fd: i32,
        offset: u64,
        data: Range<usize>,
    },
    Truncate {
        fd: i32,
        length: u64,
    },
    Sync {
        fd: i32,
    },
    Rename {
        from: String,
        to: String,
    },
    Unlink {
        path: String,
    },
    CreateFolder {
        path: String,
    },
    Link {
        from: String,
        to: String,
    },
    /// The process wrote this to its standard output.
    Acknowledge {
        text: String,
    },
}

/// Returns all events of a trace; paths are relative to `folder`.
pub(crate) fn parse(trace: &[u8], folder: &str) -> Vec<Event> {
    let mut reader = Reader { trace, offset: 0 };
    let mut events = Vec::new();
    while reader.offset < trace.len() {
        events.push(parse_event(&mut reader, folder));
    }
    events
}

fn parse_event(reader: &mut Reader<'_>, folder: &str) -> Event {
    let [kind] = reader.bytes();
    let fd = i32::from_le_bytes(reader.bytes());
    let to = i32::from_le_bytes(reader.bytes());
    let offset = u64::from_le_bytes(reader.bytes());
    let lengths = [0, 1].map(|_| u32::from_le_bytes(reader.bytes()) as usize);
    let [path, data] = lengths.map(|length| reader.range(length));
    let text =
        |range: &Range<usize>| String::from_utf8(reader.trace[range.clone()].to_vec()).unwrap();
    let relative = |range: &Range<usize>| {
        text(range).strip_prefix(folder).unwrap().trim_start_matches('/').to_owned()
    };
    match kind {
        1 => Event::Open {
            fd,
            path: relative(&path),
            is_new: offset & 1 != 0,
            is_emptied: offset & 2 != 0,
        },
        2 => Event::Close { fd },
        3 => Event::Duplicate { fd, to },
        4 => Event::Write { fd, offset, data },
        5 => Event::Truncate { fd, length: offset },
        6 => Event::Sync { fd },
        7 => Event::Rename { from: relative(&path), to: relative(&data) },
        8 => Event::Unlink { path: relative(&path) },
        9 => Event::CreateFolder { path: relative(&path) },
        10 => Event::Acknowledge { text: text(&data) },
        11 => Event::Link { from: relative(&path), to: relative(&data) },
        unknown => panic!("event {unknown} at {}", reader.offset),
    }
}

struct Reader<'a> {
    trace: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let range = self.range(N);
        self.trace[range].try_into().unwrap()
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.offset;
        self.offset += length;
        start..self.offset
    }
}
