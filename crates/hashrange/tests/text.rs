//! Any text is answered: read, or refused with a place that lies in it.

use hashrange::AttributeValue;
use hashrange::text::{Placeholders, TextFault, parse_item, parse_value};
use proptest::prelude::*;

/// Pieces of which texts are made that come further than random ones.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "a",
            "b.c",
            "[0]",
            "`x y`",
            "'it''s'",
            "\"q\\n\"",
            "b\"AQ==\"",
            "12",
            "-1.5e3",
            "<<",
            ">>",
            "{",
            "}",
            "[",
            "]",
            "(",
            ")",
            ":",
            ":v",
            "#n",
            ",",
            "=",
            "<",
            ">=",
            "<>",
            "+",
            "-",
            ".",
            "and",
            "OR",
            "not",
            "between",
            "in",
            "size",
            "begins_with",
            "SET",
            "add",
            "remove",
            "true",
            "null",
            "é",
            "\u{1F600}",
            "'",
            "\"",
            "`",
            "\\",
            "b\"",
        ])
        .prop_map(str::to_owned),
        ".{0,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.join(" "))
}

fn place_is_in(text: &str, fault: &TextFault) -> bool {
    fault.offset <= text.chars().count()
}

proptest! {
    #[test]
    fn every_text_is_read_or_refused_with_its_place(text in prop_oneof![pieces(), ".*"]) {
        let faults = [
            parse_item(&text).err(),
            parse_value(&text).err(),
            Placeholders::default().expression(&text).err(),
            Placeholders::default().pairs(&text).err(),
            Placeholders::default().update(&text).err(),
            Placeholders::beside([":v".to_owned(), "#n".to_owned()]).update(&text).err(),
        ];
        for fault in faults.into_iter().flatten() {
            prop_assert!(place_is_in(&text, &fault), "{:?}: {}", text, fault);
        }
    }

    #[test]
    fn text_in_either_quotes_is_that_text(text in ".*") {
        let single = format!("'{}'", text.replace('\'', "''"));
        prop_assert_eq!(parse_value(&single), Ok(AttributeValue::from(text.as_str())));
        let double = serde_json::to_string(&text).expect("text is JSON");
        prop_assert_eq!(parse_value(&double), Ok(AttributeValue::from(text.as_str())));
    }

    #[test]
    fn a_name_in_backquotes_is_that_name(name in ".*") {
        let mut placeholders = Placeholders::default();
        let text = format!("`{}` = 1", name.replace('`', "``"));
        prop_assert_eq!(placeholders.expression(&text), Ok("#n0 = :v0".to_owned()));
        prop_assert_eq!(placeholders.names(), &[("#n0".to_owned(), name)]);
    }
}
