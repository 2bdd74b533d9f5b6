//! Estimates from a sample of partitions: a ratio estimate with an interval that holds the truth in 95 of 100 samples,
//! or none where the sample cannot tell.
//!
//! The windows of a sample (`looking.rs`) are clusters of equal probability. Of each the sample knows its items and
//! how many of them count. The estimate is the share of those that count, times the items that the table holds. Its
//! variance is that of a ratio over clusters (Cochran, Sampling Techniques, 6.4 and 9A). The table's number of items
//! is known, so the sample is tested on it: if it does not find that number, few partitions hold much of the table,
//! the sample missed or doubled them, and it cannot tell.

/// Items of a window, and those of them that count, or what they have of an amount.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cluster {
    pub(super) items: f64,
    pub(super) counting: f64,
}

/// A number of items, or an amount: the likeliest, and an interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    pub(super) likely: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Fewest clusters' worth of evenly spread items from which a share is told.
const CLUSTERS_MIN: f64 = 30.0;
/// With fewer clusters that count, or that hold others, the distribution is not near the normal one.
const FEW: f64 = 10.0;
/// Deviation of the found number of items from the known one, in its standard errors and in parts of it.
const DEVIATION_MAX: f64 = 2.0;
const DEVIATION_PART: f64 = 0.01;

/// A ratio estimate, before what is known beside it.
struct Ratio {
    likely: f64,
    /// Half of an interval of 95 %.
    width: f64,
    /// Clusters' worth of evenly spread items.
    even: f64,
    /// What counts in the sample.
    counting: f64,
}

impl Ratio {
    /// Returns the estimate; none if the sample cannot tell.
    fn of(clusters: &[Cluster], parts: f64, held: f64) -> Option<Self> {
        let windows = real(clusters.len());
        let sum = |of: fn(&Cluster) -> f64| clusters.iter().map(of).sum::<f64>();
        let (items, counting) = (sum(|it| it.items), sum(|it| it.counting));
        let squares = sum(|it| it.items * it.items);
        if windows < 2.0 || items <= 0.0 {
            return None;
        }
        let even = items * items / squares;
        let unseen = 1.0 - windows / parts;
        let mean = items / windows;
        let spread: f64 = clusters.iter().map(|it| (it.items - mean).powi(2)).sum();
        let found_error = parts * (unseen * spread / (windows - 1.0) / windows).sqrt();
        let deviation = (mean * parts - held).abs();
        if even < CLUSTERS_MIN || deviation > DEVIATION_MAX * found_error + DEVIATION_PART * held {
            return None;
        }
        let share = counting / items;
        let residuals = || clusters.iter().map(|it| (it.counting - share * it.items).powi(2));
        let squared: f64 = residuals().sum();
        let error = (unseen * squared / (windows - 1.0) * windows).sqrt() * held / items;
        let fourth: f64 = residuals().map(|it| it * it).sum();
        // Clusters' worth of evenly spread residuals: with few, the interval is wider, as Student's is.
        let degrees = if fourth > 0.0 { squared * squared / fourth } else { f64::INFINITY };
        let width = (1.96 + 3.0 / degrees + 8.0 / (degrees * degrees)) * error;
        Some(Self { likely: share * held, width, even: even.min(windows), counting })
    }
}

/// Returns the estimate of the items that count among `held`; none if the sample cannot tell. `parts` is the number
/// of clusters that there are.
pub(super) fn of_counting(clusters: &[Cluster], parts: f64, held: f64) -> Option<Interval> {
    let Ratio { likely, width, even, counting } = Ratio::of(clusters, parts, held)?;
    let rare = |clusters: f64| held * (clusters + 2.0 * clusters.sqrt() + 4.0) / even;
    let (mut low, mut high) = (likely - width, likely + width);
    let with = counting_clusters(clusters);
    if with < FEW {
        (low, high) = (0.0, high.max(rare(with)));
    }
    let without = real(clusters.iter().filter(|it| it.counting < it.items).count());
    if without < FEW {
        (low, high) = (low.min(held - rare(without)), held);
    }
    // What was seen is there.
    let others = clusters.iter().map(|it| it.items).sum::<f64>() - counting;
    Some(Interval {
        likely: likely.clamp(counting, (held - others).max(counting)),
        low: low.max(counting).min(held),
        high: high.min(held - others).max(counting),
    })
}

/// Returns the estimate of an amount that clusters have, such as bytes, in a table of `held` items; none if the sample
/// cannot tell. `most` is the most that there can be: few clusters with any say nothing of how much others have.
pub(super) fn of_amount(
    clusters: &[Cluster],
    parts: f64,
    held: f64,
    most: f64,
) -> Option<Interval> {
    let Ratio { likely, width, counting, .. } = Ratio::of(clusters, parts, held)?;
    let is_rare = counting_clusters(clusters) < FEW;
    let (low, high) = if is_rare { (counting, most) } else { (likely - width, likely + width) };
    Some(Interval {
        likely: likely.clamp(counting, most.max(counting)),
        low: low.clamp(counting, most.max(counting)),
        high: high.clamp(counting, most.max(counting)),
    })
}

fn counting_clusters(clusters: &[Cluster]) -> f64 {
    real(clusters.iter().filter(|it| it.counting > 0.0).count())
}

#[expect(clippy::cast_precision_loss, reason = "an estimate is told in few digits")]
fn real(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashrange_testkit::random::Random;

    /// A table of partitions at random places of the hash space, whose items count by one of four rules.
    fn table(random: &mut Random) -> Vec<(u64, Cluster)> {
        let partitions = 1 << random.below(14);
        let steepness = real(random.below(16)) / 10.0;
        let largest = real(1 + random.below(2_000));
        let (rule, rare) = (random.below(4), 1.0 / real(1 << random.below(10)));
        let chance = |random: &mut Random, part: f64| {
            real(random.below(1 << 20)) < part * f64::from(1 << 20)
        };
        let partition = |nth: usize, random: &mut Random| {
            let items = (largest / real(nth + 1).powf(steepness)).ceil();
            let counting = match rule {
                0 => (0..rounded(items)).filter(|_| chance(random, rare)).count(),
                1 if chance(random, rare) => rounded(items),
                1 => 0,
                2 => rounded((items * rare).floor()),
                _ => {
                    let part = if nth.is_multiple_of(7) { 0.9 } else { 0.02 };
                    (0..rounded(items)).filter(|_| chance(random, part)).count()
                }
            };
            let place = random.below(1 << 32) as u64;
            (place, Cluster { items, counting: real(counting) })
        };
        (0..partitions).map(|nth| partition(nth, random)).collect()
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and whole")]
    fn rounded(number: f64) -> usize {
        number as usize
    }

    fn sum(clusters: impl Iterator<Item = Cluster>) -> Cluster {
        clusters.fold(Cluster::default(), |sum, it| Cluster {
            items: sum.items + it.items,
            counting: sum.counting + it.counting,
        })
    }

    /// Of a thousand skewed tables, intervals hold the truth in 93 of 100 at least, and those told alone do, too.
    #[test]
    fn intervals_hold_the_truth() {
        const WINDOWS: usize = 300;
        const PARTS: u64 = 3_000;
        const STRETCH: usize = 10;
        let mut random = Random::new(7);
        let (mut told, mut held, mut narrow) = (0, 0, 0);
        for _ in 0..1_000 {
            let table = table(&mut random);
            let mut all = vec![Cluster::default(); WINDOWS];
            let chosen: Vec<usize> = (0..WINDOWS).map(|_| random.below(STRETCH)).collect();
            for (place, partition) in &table {
                let part = usize::try_from((place * PARTS) >> 32).unwrap();
                let window = part / STRETCH;
                if part % STRETCH == chosen[window] {
                    all[window] = sum([all[window], *partition].into_iter());
                }
            }
            let truth = sum(table.iter().map(|(_, partition)| *partition));
            let Some(interval) = of_counting(&all, 3_000.0, truth.items) else { continue };
            told += 1;
            assert!(
                interval.low <= interval.likely && interval.likely <= interval.high,
                "{interval:?}"
            );
            held += u32::from((interval.low..=interval.high).contains(&truth.counting));
            narrow += u32::from(interval.high - interval.low < truth.items / 4.0);
        }
        assert!(told > 150, "{told}");
        assert!(held * 100 >= told * 93, "{held} of {told}");
        assert!(narrow * 2 > told, "{narrow} of {told}");
    }

    #[test]
    fn a_sample_without_the_table_does_not_tell() {
        let even = vec![Cluster { items: 10.0, counting: 2.0 }; 100];
        let told = of_counting(&even, 1_000.0, 10_000.0).unwrap();
        assert!((told.likely - 2_000.0).abs() < 1.0 && told.high - told.low < 1.0, "{told:?}");
        // The table holds ten times what the sample speaks of.
        assert_eq!(of_counting(&even, 1_000.0, 100_000.0), None);
        let mut one = vec![Cluster::default(); 100];
        assert_eq!(of_counting(&one, 1_000.0, 10_000.0), None);
        one[7] = Cluster { items: 1_000.0, counting: 1_000.0 };
        assert_eq!(of_counting(&one, 1_000.0, 10_000.0), None);
    }

    /// An amount that few clusters have is bounded by what is sure.
    #[test]
    fn a_rare_amount_is_bounded_by_what_there_can_be() {
        let mut all = vec![Cluster { items: 10.0, counting: 0.0 }; 100];
        let told = of_amount(&all, 1_000.0, 10_000.0, 5e6).unwrap();
        assert!((told.low, told.high) == (0.0, 5e6), "{told:?}");
        all.iter_mut().step_by(2).for_each(|it| it.counting = 500.0);
        let told = of_amount(&all, 1_000.0, 10_000.0, 5e6).unwrap();
        assert!(told.low < 250_000.0 && 250_000.0 < told.high && told.high < 400_000.0, "{told:?}");
    }

    #[test]
    fn what_was_not_seen_may_be_there() {
        let none = vec![Cluster { items: 10.0, counting: 0.0 }; 100];
        let told = of_counting(&none, 1_000.0, 10_000.0).unwrap();
        assert!((told.low, told.likely) == (0.0, 0.0) && told.high >= 300.0, "{told:?}");
        let all = vec![Cluster { items: 10.0, counting: 10.0 }; 100];
        let told = of_counting(&all, 1_000.0, 10_000.0).unwrap();
        assert!(told.low <= 9_700.0 && told.high >= 10_000.0, "{told:?}");
    }
}
