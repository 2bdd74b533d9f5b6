//! What somebody may have meant who misspelt a name.

/// Longer names are not compared: the work grows with the square of the length.
const NAME_MAX_BYTES: usize = 255;

/// Returns the name that differs least, if it differs little: in a letter of every three.
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

/// Returns how many letters have to be put in, left out or replaced.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (nth, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = nth + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
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
