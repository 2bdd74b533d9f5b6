//! Bins of a ruler: neighbouring segments put together, so that the heaviest bin is as light as can be.

use super::answer::RulerBin;
use super::gauge::Segment;
use super::{RulerPlan, Segments};
use crate::read::cursor;
use crate::schema::KeyType;
use crate::tree::NodeKind;
use crate::tree::levels::Levels;
use hashrange_model::ValueRef;

/// Returns the bins of a call, at most as many as the plan says. The node that counting ended in has a bin of its own.
pub(super) fn bins(plan: &RulerPlan<'_>, segments: Segments) -> Vec<RulerBin> {
    let Segments { counted, open, surveyed } = segments;
    let all = || counted.iter().chain(&open).chain(&surveyed);
    let kinds = usize::from(!counted.is_empty()) + usize::from(open.is_some());
    if plan.bins < kinds + usize::from(!surveyed.is_empty()) {
        return merged(plan, &all().collect::<Vec<_>>(), plan.bins, items);
    }
    let room = plan.bins - usize::from(open.is_some());
    let half = room.div_ceil(2);
    let of_surveyed = surveyed.len().min(half.max(room.saturating_sub(counted.len())));
    let counted: Vec<_> = counted.iter().collect();
    let surveyed: Vec<_> = surveyed.iter().collect();
    let mut bins = merged(plan, &counted, room - of_surveyed, items);
    bins.extend(open.iter().map(|open| bin(plan, &[open])));
    bins.extend(merged(plan, &surveyed, of_surveyed, stretch));
    bins
}

/// Returns the weight of a node behind those that were counted: nobody knows how much there is, but most of it lies in
/// the stretches that nobody has looked at.
fn stretch(segment: &Segment) -> u64 {
    const GAP: u64 = 16;
    if segment.is_beside_gap { GAP } else { 1 }
}

fn items(segment: &Segment) -> u64 {
    segment.items.max(1)
}

/// Returns segments put together to so many bins at most.
fn merged(
    plan: &RulerPlan<'_>,
    segments: &[&Segment],
    most: usize,
    weight: fn(&Segment) -> u64,
) -> Vec<RulerBin> {
    let weights: Vec<u64> = segments.iter().map(|segment| weight(segment)).collect();
    let heaviest = lightest_limit(&weights, most);
    let mut bins = Vec::new();
    let mut rest = segments;
    for length in lengths(&weights, heaviest) {
        let (together, behind) = rest.split_at(length);
        bins.push(bin(plan, together));
        rest = behind;
    }
    bins
}

/// Returns the least weight of a bin with which there are so many bins at most.
fn lightest_limit(weights: &[u64], most: usize) -> u64 {
    let total = weights.iter().fold(0_u64, |sum, weight| sum.saturating_add(*weight));
    let (mut low, mut high) = (1, total.max(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if lengths(weights, middle).count() <= most {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Returns the numbers of neighbours put together within a weight; one that is heavier stays alone.
fn lengths(weights: &[u64], limit: u64) -> impl Iterator<Item = usize> {
    let mut rest = weights.iter().peekable();
    std::iter::from_fn(move || {
        let mut sum = *rest.next()?;
        let mut length = 1;
        while let Some(weight) = rest.next_if(|weight| sum.saturating_add(**weight) <= limit) {
            sum = sum.saturating_add(*weight);
            length += 1;
        }
        Some(length)
    })
}

/// Returns the bin of neighbouring segments.
fn bin(plan: &RulerPlan<'_>, segments: &[&Segment]) -> RulerBin {
    let (first, last) = match segments {
        [] => unreachable!("a bin has a segment"),
        [one] => (*one, *one),
        [first, .., last] => (*first, *last),
    };
    let sum = |of: fn(&Segment) -> u64| {
        segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(of(segment)))
    };
    let is_folder = |segment: &&&Segment| segment.node.is_divided();
    let mut bin = RulerBin {
        first: cursor(plan.table, plan.index, &first.first),
        last: cursor(plan.table, plan.index, &last.last),
        folders: segments.iter().filter(is_folder).count() as u64,
        items: sum(|segment| segment.items),
        bytes: sum(|segment| segment.bytes),
        is_exact: segments.iter().all(|segment| segment.is_exact && !segment.is_beside_gap),
        is_unseen: segments.iter().any(|segment| segment.is_beside_gap),
        name: None,
        ends: None,
        folder: None,
        sort_key: None,
        parts: Vec::new(),
    };
    match segments {
        [one] if !one.is_beside_gap => name(plan, one, &mut bin),
        _ => bin.ends = Some((first.node.name.clone(), last.node.name.clone())),
    }
    bin
}

/// Names the bin of one node.
fn name(plan: &RulerPlan<'_>, Segment { node, .. }: &Segment, bin: &mut RulerBin) {
    bin.name = Some(node.name.clone());
    bin.parts = node.parts(plan.table);
    let (NodeKind::Folder, Levels::Sort(levels)) = (node.kind, &plan.levels) else { return };
    if levels.fixed.len() + 1 < levels.schema.sort.len() {
        bin.sort_key = Some(node.key.clone());
    } else if plan.attribute.key_type == KeyType::S
        && let Some(ValueRef::S(text)) = node.key.get(&plan.attribute.name)
    {
        bin.folder = Some(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_bin_is_as_light_as_can_be() {
        for (weights, most, expected) in [
            (&[][..], 3, &[][..]),
            (&[1, 1, 1, 1], 4, &[1, 1, 1, 1]),
            (&[1, 1, 1, 1], 2, &[2, 2]),
            (&[1, 1, 100, 1, 1], 3, &[2, 1, 2]),
            (&[5, 5, 5, 1], 1, &[4]),
            (&[u64::MAX, 1, u64::MAX], 3, &[1, 1, 1]),
        ] {
            let found: Vec<_> = lengths(weights, lightest_limit(weights, most)).collect();
            assert_eq!(found, expected, "{weights:?}");
        }
    }
}
