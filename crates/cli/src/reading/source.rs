//! Sources of items: files or standard input, compressed or not.

use super::foreign;
use crate::exit::Usage;
use anyhow::Context;
use flate2::read::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A source of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// Returns the file's name, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard => None,
            Self::File(path) => Some(path),
        }
    }

    /// Returns the bytes to read, if that is known.
    pub fn size(&self) -> Option<u64> {
        let found = std::fs::metadata(self.path()?).ok()?;
        found.is_file().then_some(found.len())
    }

    /// Opens the source and unpacks it if it is packed; adds the bytes that it reads to `count`.
    pub fn open(&self, count: Arc<AtomicU64>) -> anyhow::Result<Box<dyn Read>> {
        let counted = Counted { inner: self.open_packed()?, count };
        let (start, whole) = self.started(Box::new(counted))?;
        if !start.starts_with(&GZIP_MAGIC) {
            return Ok(whole);
        }
        Ok(self.started(Box::new(MultiGzDecoder::new(whole)))?.1)
    }

    /// Returns the first bytes, and a reader of all of them; refuses forms that the reader does not
    /// read.
    fn started(&self, mut reader: Box<dyn Read>) -> anyhow::Result<(Vec<u8>, Box<dyn Read>)> {
        let mut start = Vec::new();
        let read = reader.by_ref().take(foreign::START_BYTES).read_to_end(&mut start);
        read.with_context(|| format!("read {self}"))?;
        if let Some(said) = foreign::file(&start) {
            return Err(Usage(format!("{self} is {said}")).into());
        }
        let whole = Cursor::new(start.clone()).chain(reader);
        Ok((start, Box::new(whole)))
    }

    fn open_packed(&self) -> anyhow::Result<Box<dyn Read>> {
        match self {
            Self::Standard => Ok(Box::new(io::stdin())),
            Self::File(path) => {
                let opened = File::open(path).and_then(|file| {
                    let is_folder = file.metadata()?.is_dir();
                    if is_folder { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
                });
                Ok(Box::new(opened.with_context(|| format!("read {}", path.display()))?))
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => formatter.write_str("standard input"),
            Self::File(path) => path.display().fmt(formatter),
        }
    }
}

/// Reads and counts.
struct Counted {
    inner: Box<dyn Read>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Returns a file's name without `.gz` at its end.
pub fn unpacked_name(path: &Path) -> PathBuf {
    let is_packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    if is_packed { path.with_extension("") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_form_that_is_not_read_is_named_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.ion.gz");
        let ion = b"$ion_1_0 {Item:{pk:\"a\"}}\n";
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(ion).unwrap();
        for (bytes, expected) in [
            (&encoder.finish().unwrap()[..], "in Amazon Ion"),
            (ion, "in Amazon Ion"),
            (b"\x28\xb5\x2f\xfd\x04\x00", "packed with Zstandard"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = Source::File(path.clone()).open(Arc::default()).err().unwrap().to_string();
            let start = format!("{} is {expected}", path.display());
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn compressed_files_are_read_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"a\nb\n").unwrap();
        let packed = encoder.finish().unwrap();
        for (bytes, expected) in
            [(&packed[..], "a\nb\n"), (b"a\nb\n", "a\nb\n"), (b"\x1f", "\x1f"), (b"", "")]
        {
            std::fs::write(&path, bytes).unwrap();
            let count = Arc::new(AtomicU64::new(0));
            let mut reader = Source::File(path.clone()).open(Arc::clone(&count)).unwrap();
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, expected);
            assert_eq!(count.load(Ordering::Relaxed), bytes.len() as u64);
        }
    }
}
