//! The name among several that a misspelt one may stand for.

/// Longer names are not compared: the work grows with the square of the length.
const NAME_MAX_BYTES: usize = 255;

/// Returns the name that differs least, if it differs in at most one letter of every three.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > NAME_MAX_BYTES {
        return None;
    }
    let most = wanted.chars().count().div_ceil(3);
    let distances = names.into_iter().filter(|name| name.len() <= NAME_MAX_BYTES).map(|name| {
        let distance = distance(&wanted.to_lowercase(), &name.to_lowercase());
        (distance, name)
    });
    let near = distances.filter(|&(distance, name)| distance <= most && name != wanted);
    near.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// Returns how many letters have to be put in, left out, replaced or swapped with the next.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // Rows of the table of distances: of the prefix that is one letter shorter, and two.
    let (mut before, mut earlier): (Vec<usize>, Vec<usize>) =
        ((0..=to.len()).collect(), Vec::new());
    for nth in 0..from.len() {
        let mut row = vec![nth + 1];
        for column in 0..to.len() {
            let replaced = before[column] + usize::from(from[nth] != to[column]);
            let mut least = replaced.min(before[column + 1] + 1).min(row[column] + 1);
            let swaps =
                nth > 0 && column > 0 && from[nth] == to[column - 1] && from[nth - 1] == to[column];
            if swaps {
                least = least.min(earlier[column - 1] + 1);
            }
            row.push(least);
        }
        earlier = std::mem::replace(&mut before, row);
    }
    before[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_that_differs_little() {
        let names = ["cities", "orders", "devices", "HASHRANGE_ENDPOINT"];
        let cases = [
            ("citys", Some("cities")),
            ("Cities", Some("cities")),
            ("order", Some("orders")),
            ("devcies", Some("devices")),
            ("odrres", Some("orders")),
            ("HASHRANGE_ENDPONT", Some("HASHRANGE_ENDPOINT")),
            ("cities", None),
            ("users", None),
            ("", None),
        ];
        for (wanted, expected) in cases {
            assert_eq!(nearest(wanted, names), expected, "{wanted}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), ["x"]), None);
    }
}
