//! The heaviest keys of a stream, by Space-Saving: the sketch keeps a fixed number of keys. A new
//! key replaces the lightest one, whose weight becomes the uncertainty of the new one's.
//!
//! Source: A. Metwally, D. Agrawal, A. El Abbadi, "Efficient computation of frequent and top-k
//! elements in data streams", 2005.
//!
//! Invariants, with `n` keys kept and `w` the weight of all that was added:
//! * the true weight of a key lies between `weight - over` and `weight`, and `over` is at most
//!   `w / n`;
//! * a key that is not kept weighs at most [`Sketch::floor`], which is at most `w / n`;
//! * so each key that weighs more than `w / n` is kept.

use crate::name::{CutKey, Name, id_of};
use crate::sums::Sums;
use std::mem;

/// Key in the sketch.
#[derive(Debug, Default)]
struct SketchEntry {
    name: Name,
    /// Hash of its partition key.
    hash: u32,
    /// The most that it can weigh.
    weight: f64,
    /// Part of the weight that may be other keys'.
    over: f64,
    /// Consumption since it is kept.
    sums: Sums,
}

/// Figures of a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyFigures<'s> {
    pub(crate) key: CutKey<'s>,
    pub(crate) hash: u32,
    pub(crate) over: f64,
    pub(crate) sums: Sums,
}

/// The heaviest keys.
#[derive(Debug)]
pub(crate) struct Sketch {
    most: usize,
    kept: Vec<SketchEntry>,
}

impl Sketch {
    /// Returns a sketch that keeps `most` keys, at least one.
    pub(crate) fn new(most: usize) -> Self {
        assert!(most > 0, "a sketch keeps at least one key");
        Self { most, kept: Vec::new() }
    }

    /// Adds consumption of a key, which weighs `weight`.
    pub(crate) fn add(&mut self, key: &[u8], hash: u32, sums: &Sums, weight: f64) {
        let id = id_of(key);
        if let Some(known) = self.kept.iter_mut().find(|kept| kept.name.id == id) {
            known.weight += weight;
            known.sums.add(sums);
            return;
        }
        let floor = if self.kept.len() < self.most {
            if self.kept.capacity() == 0 {
                self.kept.reserve_exact(self.most);
            }
            self.kept.push(SketchEntry::default());
            0.0
        } else {
            self.move_lightest_to_end()
        };
        if let Some(kept) = self.kept.last_mut() {
            kept.name.set(id, key);
            *kept = SketchEntry {
                name: mem::take(&mut kept.name),
                hash,
                weight: floor + weight,
                over: floor,
                sums: *sums,
            };
        }
    }

    /// Returns the most that a key outside of the sketch can weigh.
    pub(crate) fn floor(&self) -> f64 {
        if self.kept.len() < self.most {
            return 0.0;
        }
        self.kept.iter().map(|kept| kept.weight).fold(f64::INFINITY, f64::min)
    }

    /// Returns the keys that are kept, in no order.
    pub(crate) fn known(&self) -> impl Iterator<Item = KeyFigures<'_>> {
        self.kept.iter().map(|kept| KeyFigures {
            key: kept.name.get(),
            hash: kept.hash,
            over: kept.over,
            sums: kept.sums,
        })
    }

    /// Returns its memory on the heap, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        let names: usize = self.kept.iter().map(|kept| kept.name.heap_bytes()).sum();
        self.kept.capacity() * size_of::<SketchEntry>() + names
    }

    /// Moves the lightest key to the end and returns its weight.
    fn move_lightest_to_end(&mut self) -> f64 {
        let lightest =
            self.kept.iter().enumerate().min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
        let Some((nth, weight)) = lightest.map(|(nth, kept)| (nth, kept.weight)) else {
            return 0.0;
        };
        let last = self.kept.len() - 1;
        self.kept.swap(nth, last);
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Returns numbers that look random, the same ones each time.
    fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        }
    }

    /// Fills a sketch with keys of which low numbers are more frequent, and checks it against exact
    /// sums.
    fn check(seed: u64, most: usize, keys: u64, adds: usize) {
        let (mut next, mut sketch) = (numbers(seed), Sketch::new(most));
        let mut exact: BTreeMap<u64, Sums> = BTreeMap::new();
        let mut whole = 0.0;
        for _ in 0..adds {
            let bound = 1 + next(keys);
            let key = next(bound);
            let units = 0.5 * f64::from(u32::try_from(1 + next(9)).unwrap());
            let sums = Sums { read_units: units, requests: 1, ..Sums::default() };
            exact.entry(key).or_default().add(&sums);
            whole += units;
            sketch.add(&key.to_be_bytes(), 0, &sums, units);
        }
        let bound = whole / f64::from(u32::try_from(most).unwrap());
        let known: BTreeMap<u64, KeyFigures<'_>> = sketch
            .known()
            .map(|known| (u64::from_be_bytes(known.key.bytes.try_into().unwrap()), known))
            .collect();
        assert!(known.len() <= most && sketch.floor() <= bound);
        for (key, exact) in &exact {
            match known.get(key) {
                Some(known) => {
                    assert!(known.over <= bound, "{} of {bound}", known.over);
                    assert!(known.sums.read_units <= exact.read_units);
                    assert!(exact.read_units <= known.sums.read_units + known.over);
                    assert!(known.sums.requests <= exact.requests);
                }
                None => assert!(exact.read_units <= sketch.floor(), "{key} is heavy and not kept"),
            }
        }
    }

    #[test]
    fn estimates_are_within_their_bounds_whatever_is_added() {
        for seed in 0..60 {
            let (most, keys) = (1 + usize::try_from(seed % 13).unwrap() * 5, 1 + seed * seed);
            check(seed, most, keys, 4_000);
        }
    }

    #[test]
    fn few_keys_are_counted_exactly() {
        let mut sketch = Sketch::new(8);
        for nth in 0..800_u32 {
            let sums = Sums { write_units: 1.0, requests: 1, ..Sums::default() };
            sketch.add(&[u8::try_from(nth % 8).unwrap()], 7, &sums, 1.0);
        }
        assert!(sketch.known().all(|it| it.sums.requests == 100 && it.over == 0.0 && it.hash == 7));
    }

    #[test]
    fn long_keys_are_cut_and_still_told_apart() {
        let mut sketch = Sketch::new(4);
        for end in [b'a', b'b', b'a'] {
            let mut key = vec![b'x'; 3000];
            key.push(end);
            sketch.add(&key, 0, &Sums { requests: 1, ..Sums::default() }, 1.0);
        }
        let mut requests: Vec<u64> = sketch.known().map(|known| known.sums.requests).collect();
        requests.sort_unstable();
        assert_eq!(requests, [1, 2]);
        assert!(sketch.known().all(|it| it.key.bytes.len() == 160 && it.key.hash_if_cut.is_some()));
    }
}
