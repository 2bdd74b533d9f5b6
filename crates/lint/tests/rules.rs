//! Each rule tells what it is for, and is silent about everything that looks like it and does no harm.

use hashrange_lint::{Collection, Finding, Item, Rule, Scalar, Source, SourceKind, Table, lint};

fn source(kind: SourceKind, name: &str, partition: &[&str], sort: &[&str]) -> Source {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Source { kind, name: name.to_owned(), partition: owned(partition), sort: owned(sort) }
}

fn table() -> Table {
    Table {
        name: "table".to_owned(),
        definitions: ["pk", "sk", "g", "l"].map(str::to_owned).to_vec(),
        sources: vec![
            source(SourceKind::Table, "table", &["pk"], &["sk"]),
            source(SourceKind::Local, "local", &["pk"], &["l"]),
            source(SourceKind::Global, "global", &["g"], &["sk", "l"]),
            source(SourceKind::Global, "composed", &["pk"], &["g"]),
        ],
    }
}

fn item(attributes: &[(&str, &str)]) -> Item {
    let scalar = |text: &str| match text.strip_prefix("N:") {
        Some(number) => Scalar::N(number.to_owned()),
        None => Scalar::S(text.to_owned()),
    };
    attributes.iter().map(|(name, text)| ((*name).to_owned(), scalar(text))).collect()
}

fn of_sort_keys(keys: &[&str]) -> Vec<Finding> {
    let items: Vec<_> = keys.iter().map(|key| item(&[("pk", "p"), ("sk", key)])).collect();
    lint(&table(), &items, &[])
}

/// The rule, and the keys that show it, for sort keys of one collection.
fn check(keys: &[&str], expected: &[(Rule, &[&str])]) {
    let found = of_sort_keys(keys);
    let found: Vec<_> =
        found.iter().map(|finding| (finding.rule, finding.examples.clone())).collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(rule, examples)| (*rule, examples.iter().map(|key| (*key).to_owned()).collect()))
        .collect();
    assert_eq!(found, expected, "{keys:?}");
    for finding in of_sort_keys(keys) {
        let shown = finding.items.iter().map(|nth| keys[*nth]);
        let pairs = shown.zip(&finding.examples);
        let count = pairs.filter(|(key, example)| key.starts_with(&example[..])).count();
        assert!(count > 0 || finding.rule == Rule::PointerAmongVersions, "{finding:?}");
        assert_eq!(finding.items.len(), finding.examples.len().min(2), "{finding:?}");
    }
}

#[test]
fn numbers_that_count_are_to_be_padded() {
    check(&["v_2", "v_10"], &[(Rule::UnpaddedNumber, &["v_10", "v_2"])]);
    check(
        &["a#VERSION9#x", "a#VERSION10#x"],
        &[(Rule::UnpaddedNumber, &["a#VERSION10", "a#VERSION9"])],
    );
    check(&["7", "8", "9", "10", "11"], &[(Rule::UnpaddedNumber, &["10", "9"])]);
    check(&["v101_a", "v1000_a", "v099_a"], &[(Rule::PaddingOverflow, &["v1000_a", "v101_a"])]);
    check(&["0998", "0999", "10000"], &[]);
    check(&["0998", "9999", "10000"], &[(Rule::PaddingOverflow, &["10000", "9999"])]);
}

#[test]
fn numbers_that_are_names_are_left_alone() {
    // Few, far apart.
    check(&["SPRINGFIELD#4250542", "SPRINGFIELD#123456", "SPRINGFIELD#99"], &[]);
    check(&["ORDER#7", "ORDER#15", "ORDER#90122", "ORDER#3", "ORDER#1000"], &[]);
    // Another parent, another collection, another name.
    check(&["a#v_2", "b#v_10"], &[]);
    check(&["v_2", "w_10"], &[]);
    // In order, whatever they are.
    check(&["v001", "v002", "v010"], &[]);
    check(&["8", "9"], &[]);
    check(&["10.0.0.9", "10.0.0.10", "2001:db8::1", "user9@example.org2"], &[]);
    check(&["99999999999999999999999999999999999999999999", "v_1"], &[]);
}

#[test]
fn a_pointer_has_to_be_outside_of_the_versions() {
    check(
        &["v0_Audit", "v099_Audit", "v100_Audit"],
        &[(Rule::PointerAmongVersions, &["v099_Audit", "v0_Audit", "v100_Audit"])],
    );
    check(&["v0_Audit", "v001_Audit", "v002_Audit"], &[]);
    check(&["v_0", "v_1", "v_2"], &[]);
    check(&["v_0000", "v_0001", "v_0002"], &[]);
}

#[test]
fn dates_have_to_begin_with_the_year() {
    check(&["02.01.2023", "10.12.2022"], &[(Rule::DateOrder, &["02.01.2023", "10.12.2022"])]);
    check(
        &["SHIPPED#1/15/2023", "SHIPPED#12/30/2022"],
        &[(Rule::DateOrder, &["SHIPPED#1/15/2023", "SHIPPED#12/30/2022"])],
    );
    check(&["Apr 1, 2023", "Mar 1, 2023"], &[(Rule::DateOrder, &["Apr 1, 2023", "Mar 1, 2023"])]);
    check(&["05-Jan-2023", "06-Dec-2022"], &[(Rule::DateOrder, &["05-Jan-2023", "06-Dec-2022"])]);
    check(&["2023-01-02", "2022-12-10"], &[]);
    // They stand in their order, whichever part is the day.
    check(&["01.02.2023", "02.03.2023"], &[]);
    // In the wrong order only if the day is first; it may be the month.
    check(&["02.01.2023", "01.02.2023"], &[]);
    check(&["10.0.20", "1.10.3", "May 2023"], &[]);
}

#[test]
fn times_have_to_have_one_zone_and_one_precision() {
    check(
        &["2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00+00:00"],
        &[(Rule::LocalOffsets, &["2026-01-01T09:00:00+00:00", "2026-01-01T10:00:00+02:00"])],
    );
    check(
        &["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.5Z"],
        &[(Rule::MixedPrecision, &["2026-01-01T10:00:00.5Z", "2026-01-01T10:00:00Z"])],
    );
    check(&["2026-01-01T10:00:00+00:00", "2026-01-01T10:00:00.5+00:00"], &[]);
    check(&["2026-01-01T10:00:00+02:00", "2026-01-01T12:00:00+02:00"], &[]);
    check(&["2026-01-01T10:00:00.000Z#1", "2026-01-01T10:00:00.500Z#2"], &[]);
    check(&["2026-01-01", "2026-01-01T10:00:00Z", "2026-01"], &[]);
    // Without a zone a longer one follows the shorter one.
    check(&["2026-01-01T10:00:00", "2026-01-01T10:00:00.5"], &[]);
    check(&["2026-01-01T", "2026-01-01Tä0:00Z", "9999999999T10:00Z"], &[]);
}

#[test]
fn seconds_and_milliseconds_are_not_mixed() {
    let mixed: &[&str] = &["1760000000", "1760000001000"];
    check(&["1760000000", "1760000001000", "1760000002"], &[(Rule::MixedEpochs, mixed)]);
    check(&["1760000000", "1760000001", "1760000002"], &[]);
    check(&["1760000000", "1760000001000", "5", "6", "7"], &[]);
    let numbers = ["N:1760000000", "N:1760000001000", "N:1760000002"];
    let items: Vec<_> = numbers.iter().map(|key| item(&[("pk", "p"), ("sk", key)])).collect();
    assert_eq!(lint(&table(), &items, &[])[0].rule, Rule::MixedEpochs);
}

#[test]
fn names_are_in_one_case() {
    check(&["OPEN#1", "Open#2"], &[(Rule::MixedCase, &["OPEN", "Open"])]);
    check(&["OPEN#1", "CLOSED#2", "x#Open"], &[]);
    // Identifiers may differ in capitals.
    check(&["aB3x", "Ab3x", "a", "A"], &[]);
}

#[test]
fn one_prefix_reads_a_key_with_what_is_below_it() {
    let shown: &[&str] = &["NE#OMAHA", "NE#OMAHA HEIGHTS"];
    check(&["NE#OMAHA", "NE#OMAHA#ZOO", "NE#OMAHA HEIGHTS"], &[(Rule::PrefixOfSibling, shown)]);
    check(
        &["ORDER#1", "ORDER#1#ITEM#1", "ORDER#10"],
        &[(Rule::PrefixOfSibling, &["ORDER#1", "ORDER#10"])],
    );
    // A closing delimiter keeps them apart.
    check(&["NE#OMAHA#", "NE#OMAHA#ZOO", "NE#OMAHA HEIGHTS#"], &[]);
    check(&["NE#OMAHA#ZOO", "NE#OMAHA HEIGHTS#ZOO"], &[]);
    // Nothing is below them, or there is no such sibling.
    check(&["NE#OMAHA", "NE#OMAHA HEIGHTS"], &[]);
    check(&["NE#OMAHA", "NE#OMAHA#ZOO", "KS#OMAHA HEIGHTS"], &[]);
}

#[test]
fn the_delimiter_is_not_in_data() {
    let places = |cities: &[&str]| -> Vec<Item> {
        let one =
            |city: &&str| item(&[("pk", "p"), ("sk", &format!("TX#{city}#1")), ("city", city)]);
        cities.iter().map(one).collect()
    };
    let found = lint(&table(), &places(&["A", "B", "C", "D#E"]), &[]);
    let shown: Vec<_> =
        found.iter().map(|finding| (finding.rule, &finding.examples[0][..])).collect();
    assert_eq!(shown, [(Rule::DelimiterInData, "TX#D#E#1")]);
    // References to other keys, which have delimiters all of them.
    assert!(lint(&table(), &places(&["A#1", "B#2", "C#3", "D#4"]), &[]).is_empty());
    assert!(lint(&table(), &places(&["A", "B", "D#E"]), &[]).is_empty(), "too few show it");
}

#[test]
fn keys_of_global_indexes_need_not_be_put_together() {
    let orders = |composed: fn(&str, &str) -> String| -> Vec<Item> {
        let one = |nth: usize| {
            let (stage, day) =
                (if nth.is_multiple_of(2) { "OPEN" } else { "DONE" }, format!("2026-01-0{nth}"));
            item(&[("pk", "p"), ("g", &composed(stage, &day)), ("stage", stage), ("day", &day)])
        };
        (1..=6).map(one).collect()
    };
    let found = lint(&table(), &orders(|stage, day| format!("{stage}#{day}")), &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].evidence, "g is stage#day in all 6 items looked at");
    assert_eq!(
        (found[0].index.as_deref(), found[0].rule),
        (Some("composed"), Rule::ConcatenatedKey)
    );
    assert!(lint(&table(), &orders(|stage, day| format!("{stage}#{day}#x")), &[]).is_empty());
}

#[test]
fn definitions_are_of_keys() {
    let mut table = table();
    table.definitions.push("age".to_owned());
    let found = lint(&table, &[], &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].rule, found[0].attribute.as_deref()),
        (Rule::UnusedAttribute, Some("age"))
    );
}

#[test]
fn collections_of_tables_with_local_indexes_have_a_limit() {
    let collection =
        |gib: u64| Collection { partition: "p".to_owned(), items: 7, bytes: gib << 30 };
    let found = lint(&table(), &[], &[collection(9), collection(7)]);
    assert_eq!(
        found.iter().map(|finding| finding.rule).collect::<Vec<_>>(),
        [Rule::LargeCollection]
    );
    let mut without = table();
    without.sources.retain(|source| source.kind != SourceKind::Local);
    assert!(
        lint(&without, &[], &[collection(90)])
            .iter()
            .all(|found| found.rule == Rule::UnusedAttribute)
    );
}

/// Whatever keys are, the rules come to an end and do not fail.
#[test]
fn no_key_is_too_strange() {
    let strange = [
        "",
        "#",
        "##",
        "0",
        "00",
        "v",
        "v0_",
        "--",
        "T",
        "２０２３",
        "é",
        "2026-01-01T::Z",
        "2026-01-01T10:00+019223372036854775807",
        "1/1/1",
        "+",
        "\u{0}",
    ];
    let keys: Vec<String> = strange
        .iter()
        .flat_map(|one| strange.iter().map(move |other| format!("{one}{other}")))
        .collect();
    of_sort_keys(&keys.iter().map(String::as_str).collect::<Vec<_>>());
}

/// The linter proposes a fix for the form of the keys that it found.
#[test]
fn a_fix_is_of_the_form_that_was_found() {
    for (keys, rule, fix) in [
        (&["v-latest", "v-0001", "v-0002"][..], Rule::PointerAmongVersions, "latest alone"),
        (&["v0_A", "v099_A", "v100_A"], Rule::PointerAmongVersions, "as many zeros"),
        (&["-005", "-018", "003"], Rule::UnpaddedNumber, "below zero sort first"),
        (&["9:05 AM", "10:30 AM", "01:15 PM"], Rule::DateOrder, "24 hours"),
        (&["2026-03-01 01:05 PM", "2026-03-01 11:30 AM"], Rule::DateOrder, "24 hours"),
        (&["2026-W9", "2026-W10"], Rule::DateOrder, "2026-W09"),
        (&["2026#W9", "2026#W10"], Rule::DateOrder, "2026-W09"),
        (&["Jan", "Feb", "Mar", "Apr"], Rule::DateOrder, "2026-03"),
        (&["02.01.2023", "10.12.2022"], Rule::DateOrder, "YYYY-MM-DD"),
    ] {
        let found = of_sort_keys(keys);
        let [finding] = &found[..] else { panic!("{keys:?}: {found:#?}") };
        assert_eq!(finding.rule, rule, "{keys:?}");
        assert!(finding.fix.contains(fix), "{keys:?}: {}", finding.fix);
    }
}
