//! An ordered map on fjall or on `RocksDB`, as each folder tells: hands every call on.

use super::disk_waits::DiskWaits;
use super::fjall::FjallMap;
use super::folder::{self, Folder, StoreId};
use super::options::EmbeddedEngine;
use super::ordered_map::{MapChange, MapData, MapFootprint, MapSnapshot, Opened, OrderedMap};
use super::rocksdb::RocksMap;
use super::space::Space;
use super::{EmbeddedOptions, OpenError};
use crate::{Direction, Error, KeyRange};
use bytes::Bytes;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The open map.
pub(crate) enum EitherMap {
    Fjall(FjallMap),
    RocksDb(Box<RocksMap>),
}

/// One state of the map.
pub(crate) enum EitherSnapshot {
    Fjall(<FjallMap as OrderedMap>::Snapshot),
    RocksDb(<RocksMap as OrderedMap>::Snapshot),
}

/// Makes a call of whichever map it is.
macro_rules! call {
    ($map:expr, $call:ident($($argument:expr),*)) => {
        match $map {
            Self::Fjall(map) => map.$call($($argument),*),
            Self::RocksDb(map) => map.$call($($argument),*),
        }
    };
}

impl<M> Opened<M> {
    fn into_either(self, either: impl FnOnce(M) -> EitherMap) -> Opened<EitherMap> {
        let Self { map, last_group, torn_bytes, was_unclean } = self;
        Opened { map: either(map), last_group, torn_bytes, was_unclean }
    }
}

impl OrderedMap for EitherMap {
    type Snapshot = EitherSnapshot;

    fn create(
        path: &Path,
        id: StoreId,
        last_group: u64,
        options: &EmbeddedOptions,
    ) -> Result<(), Error> {
        match options.engine {
            EmbeddedEngine::Fjall => FjallMap::create(path, id, last_group, options),
            EmbeddedEngine::RocksDb => RocksMap::create(path, id, last_group, options),
        }
    }

    fn open(
        folder: &Folder,
        options: &EmbeddedOptions,
        space: &Arc<Space>,
    ) -> Result<Opened<Self>, OpenError> {
        Ok(match folder.engine() {
            EmbeddedEngine::Fjall => {
                FjallMap::open(folder, options, space)?.into_either(Self::Fjall)
            }
            EmbeddedEngine::RocksDb => RocksMap::open(folder, options, space)?
                .into_either(|map| Self::RocksDb(Box::new(map))),
        })
    }

    /// A folder that does not tell is found out by those who open the shadow.
    fn shadow(original: &Path, shadow: &Path) -> io::Result<()> {
        match folder::engine_of(original) {
            Ok(EmbeddedEngine::RocksDb) => RocksMap::shadow(original, shadow),
            Ok(EmbeddedEngine::Fjall) | Err(_) => FjallMap::shadow(original, shadow),
        }
    }

    fn write_group(&self, number: u64, changes: Vec<MapChange>, bytes: usize) -> Result<(), Error> {
        call!(self, write_group(number, changes, bytes))
    }

    fn prepare(&self) {
        call!(self, prepare())
    }

    fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        call!(self, get_newest(key))
    }

    fn snapshot(&self) -> EitherSnapshot {
        match self {
            Self::Fjall(map) => EitherSnapshot::Fjall(map.snapshot()),
            Self::RocksDb(map) => EitherSnapshot::RocksDb(map.snapshot()),
        }
    }

    fn drop_range(&self, range: &KeyRange) -> Result<bool, Error> {
        call!(self, drop_range(range))
    }

    fn let_go(&self) -> Result<(), Error> {
        call!(self, let_go())
    }

    fn remove_unused(&self) {
        call!(self, remove_unused());
    }

    fn sort_all(&self) -> Result<(), Error> {
        call!(self, sort_all())
    }

    fn sort_some(&self) -> Result<(), Error> {
        call!(self, sort_some())
    }

    fn merge_all(&self, kept_bytes: u64) -> Result<bool, Error> {
        call!(self, merge_all(kept_bytes))
    }

    fn kept_bytes(&self) -> Result<u64, Error> {
        call!(self, kept_bytes())
    }

    fn merge_a_part(&self) -> Result<bool, Error> {
        call!(self, merge_a_part())
    }

    fn data(&self) -> MapData {
        call!(self, data())
    }

    fn footprint(&self) -> MapFootprint {
        call!(self, footprint())
    }

    fn end(&self) {
        call!(self, end());
    }

    fn note_closed(&self, last_group: u64) {
        call!(self, note_closed(last_group));
    }
}

impl MapSnapshot for EitherSnapshot {
    fn last_group(&self) -> u64 {
        call!(self, last_group())
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        call!(self, get(key))
    }

    fn visit(
        &self,
        range: &KeyRange,
        direction: Direction,
        waits: &DiskWaits,
        visitor: &mut dyn FnMut(&[u8], Bytes) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        call!(self, visit(range, direction, waits, visitor))
    }
}
