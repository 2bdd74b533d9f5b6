//! The items of the sample `world`, unpacked from a table of tab-separated values.
//!
//! The header of the file and `data/world/prepare.mjs`, which makes it, describe its form and the
//! licence of its data. The sort key is `STATE#CITY#ID`: upper-case ASCII letters, digits and
//! hyphens, so that no part holds the delimiter and every byte of a part sorts after it.

use crate::items::{BrokenData, Items};
use flate2::read::GzDecoder;
use hashrange::{AttributeValue, Item, Number};
use std::borrow::Cow;
use std::io::{BufRead, BufReader};

/// Number of cities in the file.
pub(crate) const ITEM_COUNT: u64 = 46_570;

/// Least population of a city in the index `megacities`.
const MEGACITY: u64 = 1_000_000;

static CITIES: &[u8] = include_bytes!("../data/world/cities.tsv.gz");

/// Returns the cities, sorted by key.
pub(crate) fn items() -> Items {
    let lines = BufReader::new(GzDecoder::new(CITIES)).lines();
    Box::new(lines.filter_map(|line| match line {
        Ok(line) if line.starts_with('#') => None,
        Ok(line) => Some(city(&line).ok_or(BrokenData { line })),
        Err(error) => Some(Err(BrokenData { line: error.to_string() })),
    }))
}

fn city(line: &str) -> Option<Item> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [country, state, state_key, city, city_key, id, population, latitude, longitude, capital] =
        columns[..]
    else {
        return None;
    };
    let place = format!("{}#{}#{id}", key_part(state_key, state), key_part(city_key, city));
    let mut attributes: Vec<(&str, AttributeValue)> = vec![
        ("country", country.into()),
        ("place", place.into()),
        ("city", city.into()),
        ("state", state.into()),
        ("geonames_id", number(id)?),
        ("population", number(population)?),
        ("latitude", number(latitude)?),
        ("longitude", number(longitude)?),
    ];
    // The attribute is absent from all other cities: that keeps the two indexes sparse.
    if capital == "C" {
        attributes.push(("capital", "yes".into()));
    }
    if population.parse::<u64>().ok()? >= MEGACITY {
        attributes.push(("megacity", "yes".into()));
    }
    Some(Item::from_attributes(attributes))
}

/// Returns a part of the key: the one given, or the name folded by the simple rule.
fn key_part<'a>(given: &'a str, name: &str) -> Cow<'a, str> {
    if !given.is_empty() {
        return given.into();
    }
    let mut part = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '\'' => {}
            ' ' | '-' if part.ends_with('-') => {}
            ' ' => part.push('-'),
            _ => part.push(character.to_ascii_uppercase()),
        }
    }
    part.into()
}

fn number(text: &str) -> Option<AttributeValue> {
    Number::parse(text).ok().map(AttributeValue::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain_ascii_and_sorted() {
        let mut last = (String::new(), String::new());
        let mut count = 0;
        for item in items() {
            let item = item.unwrap();
            let text =
                |name| item.get(name).unwrap().to_attribute_value().as_str().unwrap().to_owned();
            let (country, place) = (text("country"), text("place"));
            let parts: Vec<&str> = place.split('#').collect();
            assert_eq!(parts.len(), 3, "{place}");
            for part in parts {
                let plain =
                    |byte: u8| byte == b'-' || byte.is_ascii_uppercase() || byte.is_ascii_digit();
                assert!(!part.is_empty() && part.bytes().all(plain), "{place}");
            }
            let key = (country, place);
            assert!(last < key, "{last:?} before {key:?}");
            last = key;
            count += 1;
        }
        assert_eq!(count, ITEM_COUNT);
    }

    #[test]
    fn names_fold_to_key_parts() {
        let cases = [
            ("", "Texas", "TEXAS"),
            ("", "New York City", "NEW-YORK-CITY"),
            ("", "Coeur d'Alene", "COEUR-DALENE"),
            ("ILE-DE-FRANCE", "Île-de-France", "ILE-DE-FRANCE"),
        ];
        for (given, name, expected) in cases {
            assert_eq!(key_part(given, name), expected);
        }
    }

    #[test]
    fn a_line_with_a_missing_or_wrong_column_is_no_city() {
        let whole = "US\tTexas\t\tHouston\t\t4699066\t2296224\t29.76328\t-95.36327\t";
        assert!(city(whole).is_some());
        assert!(city(whole.trim_end()).is_none());
        assert!(city(&whole.replace("2296224", "many")).is_none());
        assert!(city("").is_none());
    }
}
