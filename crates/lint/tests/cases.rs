//! Small cases of each rule: faults, and designs that look like them and are right.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod designs;

use designs::{item, table};
use hashrange_lint::{Item, lint};
use serde_json::json;
use std::collections::BTreeSet;

/// How keys lie in collections.
#[derive(Debug, Clone, Copy)]
enum In {
    /// All in one.
    One,
    /// Each in another.
    Many,
    /// They are the partition keys, each with two items.
    Partition,
}
use In::{Many, One, Partition};

/// Lints keys as sort keys, or as partition keys, and returns the rules that they break.
fn rules(place: In, keys: &[&str]) -> BTreeSet<&'static str> {
    let mut items: Vec<Item> = Vec::new();
    for (nth, key) in keys.iter().enumerate() {
        let other = format!("owner-{:05x}", nth * 7_919 + 40_961);
        let objects = match place {
            One => vec![json!({ "pk": "owner-0a1b2", "sk": key })],
            Many => vec![json!({ "pk": other, "sk": key })],
            Partition => vec![json!({ "pk": key, "sk": "A" }), json!({ "pk": key, "sk": "B" })],
        };
        items.extend(objects.iter().map(|object| item(object.as_object().unwrap())));
    }
    let findings = lint(&table("things pk:S,sk:S"), &items, &[]);
    findings.iter().map(|finding| finding.rule.id()).collect()
}

/// Prints all cases that have other findings than expected.
fn check(cases: &[(In, &[&str], &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(place, keys, expected)| {
            let found = rules(*place, keys);
            let expected: BTreeSet<&str> = expected.iter().copied().collect();
            (found != expected).then(|| format!("{keys:?}: {found:?}, expected {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn numbers_that_count_or_measure() {
    let unpadded: &[&str] = &["unpadded-number"];
    check(&[
        (One, &["page:1", "page:2", "page:10"], unpadded),
        (Many, &["INVOICE-8", "INVOICE-9", "INVOICE-10", "INVOICE-11", "INVOICE-12"], unpadded),
        (Many, &["PET#9", "PET#10"], unpadded),
        (One, &["v1.9.0", "v1.10.0", "v2.0.0"], unpadded),
        (One, &["RELEASE#1.9.3", "RELEASE#1.10.1"], unpadded),
        (Many, &["firmware/3.9.12", "firmware/3.10.2", "firmware/3.11.7"], unpadded),
        (One, &["PRICE#9.99", "PRICE#12.50", "PRICE#100.00"], unpadded),
        (One, &["9.95#a1", "19.95#b2", "129.00#c3"], unpadded),
        (One, &["SALARY#950", "SALARY#1,200", "SALARY#12,500"], unpadded),
        (One, &["-5", "-18", "3", "12"], unpadded),
        (One, &["level_1_intro", "level_2_cave", "level_10_sea"], unpadded),
        (One, &["CHAPTER 9", "CHAPTER 10"], unpadded),
        (One, &["S1E9", "S1E10", "rank|9", "rank|10"], unpadded),
        (One, &["q1", "q2", "q3", "q9", "q10", "q11", "q12", "q4"], unpadded),
        (One, &["2kg", "10kg", "25kg"], unpadded),
        (One, &["score~99~ann", "score~1200~bo"], unpadded),
        (One, &["ORDER#1#ITEM#9", "ORDER#1#ITEM#10", "ORDER#1#ITEM#11"], unpadded),
        (One, &["0007", "0042", "9998", "9999", "10000"], &["padding-overflow"]),
        (Many, &["rev-098", "rev-101", "rev-999", "rev-1000"], &["padding-overflow"]),
        (One, &["SEQ#09", "SEQ#10", "SEQ#99", "SEQ#100"], &["padding-overflow"]),
        (One, &["5%", "10%", "25%"], unpadded),
        (One, &["app#v1.9.0.12#linux", "app#v1.10.0.3#linux"], unpadded),
        (One, &["EUR9.99", "EUR12.50"], unpadded),
        (One, &["$9.99", "$129.00", "$12.50"], unpadded),
        (One, &["99.5", "100", "87.25"], unpadded),
        (One, &["duration:90s", "duration:120s"], unpadded),
        (One, &["seq=9", "seq=10"], unpadded),
        (One, &["-0.5", "-12.25", "3.0"], unpadded),
        (One, &["STEP-07", "STEP-08", "STEP-9", "STEP-10"], unpadded),
        (One, &["VERSION#0001", "VERSION#0002", "VERSION#LATEST"], &["pointer-among-versions"]),
        (One, &["rev/current", "rev/12", "rev/13"], &["pointer-among-versions"]),
        (One, &["v0001", "v0002", "v-latest"], &["pointer-among-versions"]),
        (One, &["v0001_Audit", "v0002_Audit", "latest_Audit"], &[]),
    ]);
}

#[test]
fn numbers_that_are_codes() {
    check(&[
        (One, &["4006381333931", "96385074", "012345678905", "5901234123457"], &[]),
        (One, &["+1", "+44", "+358", "+49"], &[]),
        (One, &["GB#20", "GB#161", "GB#1224", "GB#1223"], &[]),
        (Many, &["90210", "1010", "75008", "SW1A 1AA", "D-80331"], &[]),
        (One, &["aZ3", "b91", "10", "9", "Qr7", "x", "400"], &[]),
        (One, &["12.1.21", "9.8.14", "12.1.3", "11.4.7"], &[]),
        (One, &["FLIGHT#BA9", "FLIGHT#BA117", "FLIGHT#LH400", "FLIGHT#LH2024"], &[]),
        (One, &["GATE#9", "GATE#10", "GATE#11"], &[]),
        (One, &["SIZE#8", "SIZE#10", "SIZE#12"], &[]),
        (One, &["Elm Road 9", "Elm Road 10", "Elm Road 11", "Elm Road 12", "Elm Road 13"], &[]),
        (One, &["1c5c1c", "858731", "99812", "af0012", "7"], &[]),
        (One, &["USER#731", "USER#90122", "USER#4410387"], &[]),
        (One, &["10.0.0.9", "10.0.0.10", "10.0.1.0/24"], &[]),
        (One, &["http://example.com/a/9", "http://example.com/a/10"], &[]),
        (One, &["978-3-16-148410-0", "978-0-306-40615-7", "0-306-40615-2"], &[]),
        (One, &["B 7", "B 10", "M-AB 123", "M-XY 9"], &[]),
        (One, &["Fiat 500", "Peugeot 208", "BMW 3", "BMW 320"], &[]),
        (One, &["H2O", "CO2", "C6H12O6", "C2H5OH"], &[]),
        (One, &["PORT#80", "PORT#443", "PORT#8080", "PORT#22"], &[]),
        (One, &["2024", "2025", "2026"], &[]),
        (One, &["v0001", "v0002", "v0010", "latest"], &[]),
        (One, &["00:1A:2B:3C:4D:5E", "AA:1A:2B:3C:4D:5F"], &[]),
        (One, &["9 Mill Lane", "10 Mill Lane", "11 Mill Lane", "12 Mill Lane", "101 Quay"], &[]),
        (One, &["12.1.21.4", "9.8.14.1", "12.1.3.9"], &[]),
        (One, &["200", "404", "1000", "99"], &[]),
        (One, &["top-10-films", "top-5-songs", "covid-19"], &[]),
        (One, &["#ff0000", "#00ff99", "#1a2b3c"], &[]),
        (One, &["0171-234567", "0171-2345678", "030-99"], &[]),
        (One, &["SKU-88231", "SKU-1204", "SKU-77", "SKU-910044"], &[]),
    ]);
}

#[test]
fn dates_and_times() {
    let order: &[&str] = &["date-order"];
    let forms: &[&str] = &["mixed-time-forms"];
    check(&[
        (One, &["2026-9-1", "2026-10-1", "2026-11-30"], order),
        (Many, &["WEEK#2026-W9", "WEEK#2026-W10"], order),
        (One, &["2026#W9", "2026#W10"], order),
        (One, &["9:05 AM", "10:30 AM", "01:15 PM"], order),
        (One, &["SLOT#9:30#a", "SLOT#14:00#b"], order),
        (One, &["Jan", "Feb", "Mar", "Apr"], order),
        (One, &["2026/January", "2026/February", "2026/April"], order),
        (One, &["3 March 2026", "14 February 2026", "20 January 2026"], order),
        (Many, &["31/12/2025#x", "01/02/2026#y", "15/01/2026#z"], order),
        (One, &["2026/1/2", "2026/10/2", "2026/9/30"], order),
        (One, &["7:45AM", "12:10PM", "1:05PM"], order),
        (One, &["2026-03-02 7:15 AM", "2026-03-02 11:15 AM"], order),
        (One, &["03/2026", "11/2025"], order),
        (Many, &["DOC#a1#14.03.2026", "DOC#b2#02.04.2026"], order),
        (One, &["2026-9", "2026-10", "2026-11"], order),
        (One, &["Tue, 03 Mar 2026 10:00:00 GMT", "Fri, 06 Mar 2026 09:00:00 GMT"], order),
        (One, &["20260301", "2026-03-02", "2026-03-03"], forms),
        (One, &["E#2026-03-01T10:00:00Z", "E#2026-03-02 10:00:00Z"], forms),
        (One, &["2026-03-01T10:00:00Z", "2026-03-02T10:00:00+00:00"], forms),
        (One, &["2026/03/01", "2026-03-02", "2026-03-04"], forms),
        (One, &["LOG#1772514938", "LOG#2026-03-03T05:00:00Z", "LOG#1772514999"], forms),
        (One, &["T#1772514938", "T#1772514999", "T#1772514938123"], &["mixed-epochs"]),
        (One, &["2026-03-01T10:00Z", "2026-03-01T10:00:30Z"], &["mixed-precision"]),
        (One, &["F#2026-10-25T02:40:00+02:00", "F#2026-10-25T02:10:00+01:00"], &["local-offsets"]),
        (One, &["2026-03-01", "2026-03-01T10:00:00Z", "2026-03", "2026"], &[]),
        (One, &["2026-W09", "2026-W10", "2026-W11"], &[]),
        (One, &["09:05", "10:30", "18:00"], &[]),
        (One, &["MONDAY#09:00", "TUESDAY#09:00", "FRIDAY#18:00"], &[]),
        (One, &["2026-03-01T10:00:00", "2026-03-01T10:00:00.5"], &[]),
        (One, &["May", "June", "Alice", "Bob"], &[]),
        (One, &["April", "May", "June", "Mark", "Anna", "August", "Paul", "Otto", "Ida"], &[]),
        (Many, &["2026-03-01T10:00:00+01:00", "2026-03-01T10:00:00+01:00#b"], &[]),
        (One, &["20260301T100000Z", "20260302T110000Z"], &[]),
        (One, &["CODE#20269999", "CODE#2026-0001"], &[]),
        (One, &["12-03-07", "04-11-02", "12-01-09"], &[]),
        (One, &["1772514938", "1772514999", "1772515000"], &[]),
    ]);
}

#[test]
fn spellings() {
    let split: &[&str] = &["split-partition"];
    check(&[
        (One, &["STATUS#OPEN#1", "STATUS#open#2", "STATUS#DONE#3"], &["mixed-case"]),
        (Many, &["DE|1", "de|2", "FR|3", "AT|4"], &["mixed-case"]),
        (One, &["Anna@example.com", "anna@example.com", "bo@example.com"], &["mixed-case"]),
        (Partition, &["TEAM#Blue", "TEAM#BLUE", "TEAM#Red"], split),
        (Partition, &["INVOICES#open", "INVOICES#Open", "INVOICES#paid"], split),
        (Partition, &["Anna@Example.com", "anna@example.com"], split),
        (Partition, &["STORE#7", "STORE#07", "STORE#12"], split),
        (Partition, &["CITY#New  York", "CITY#New York"], split),
        (Partition, &["CITY#Sa\u{303}o Paulo", "CITY#S\u{e3}o Paulo"], split),
        (One, &["Co", "CO", "Cu", "Ni", "CO2", "NO"], &[]),
        (One, &["aB3xK9", "Ab3Xk9", "zz81Qp", "Mn02aa"], &[]),
        (Partition, &["aBcd", "AbcD", "QwEr", "tYuI", "OPas", "dfGH"], &[]),
        (One, &["en", "EN-lesson", "de"], &[]),
        (Partition, &["7b", "07a", "12c"], &[]),
        (One, &["NAME#Berg ", "NAME#Holm", "NAME#Vik"], &["trailing-blank"]),
        (Partition, &["SHOP# Lund", "SHOP#Umea", "SHOP#Malmo"], &["trailing-blank"]),
        (One, &["ABC   ", "DEFG  ", "HIJKLM"], &[]),
        (One, &["Rock - Live", "Jazz - Studio", "Pop - Live"], &[]),
    ]);
}

#[test]
fn components() {
    let placeholder: &[&str] = &["placeholder-in-key"];
    let empty: &[&str] = &["empty-component"];
    let mixed: &[&str] = &["mixed-delimiters"];
    check(&[
        (One, &["USER#undefined", "USER#17a", "USER#18b"], placeholder),
        (Partition, &["TENANT#null", "TENANT#acme", "TENANT#brae"], placeholder),
        (One, &["undefined", "2026-03-01", "2026-03-02"], placeholder),
        (One, &["ITEM#${id}", "ITEM#a17", "ITEM#b18"], placeholder),
        (One, &["A-None-1", "A-r12-2", "A-r47-3", "A-r12-4"], placeholder),
        (Many, &["genre#rock#1", "genre#jazz#2", "genre#None#3", "genre#pop#4"], placeholder),
        (One, &["Rock", "Jazz", "None", "Folk"], &[]),
        (One, &["DUE#Invalid Date", "DUE#2026-03-01", "DUE#2026-03-02"], placeholder),
        (
            One,
            &[
                "arn:aws:s3:::logs",
                "arn:aws:iam::123456789012:root",
                "arn:aws:iam::210987654321:root",
                "arn:aws:iam::345678901234:root",
                "arn:aws:iam::543210987654:root",
            ],
            &[],
        ),
        (
            Partition,
            &[
                "arn:aws:s3:::logs",
                "arn:aws:iam::123456789012:root",
                "arn:aws:iam::210987654321:root",
                "arn:aws:iam::345678901234:root",
                "arn:aws:iam::543210987654:root",
            ],
            &[],
        ),
        (
            Many,
            &[
                "arn:aws:s3:::logs",
                "arn:aws:iam::123456789012:root",
                "arn:aws:iam::210987654321:root",
                "arn:aws:iam::345678901234:root",
                "arn:aws:iam::543210987654:root",
            ],
            &[],
        ),
        (One, &["Null#Jennifer", "Berg#Ann", "Holm#Bo"], &[]),
        (One, &["/users/{id}", "/users/me", "/orders/{id}/lines", "/health"], &[]),
        (One, &["none", "some", "all"], &[]),
        (One, &["A#x#1", "A##2", "A#y#3", "A#z#4"], empty),
        (Many, &["SHIP#a1#DE", "SHIP#b2#", "SHIP#c3#FR", "SHIP#d4#PL"], empty),
        (Partition, &["USER#", "USER#ann", "USER#bo", "USER#cy"], empty),
        (One, &["#PROFILE", "ORDER#1", "ORDER#2", "ORDER#3"], &[]),
        (One, &["NE#", "NE#OMAHA#", "NE#OMAHA#ZOO#", "KS#", "KS#TOPEKA#"], &[]),
        (One, &["/a/", "/a/b.txt", "/c/", "/c/d.txt"], &[]),
        (One, &["ORDER#17a", "ORDER|18b", "ORDER#19c"], mixed),
        (Partition, &["DEVICE:7f3a", "DEVICE-81bc", "DEVICE:90de"], mixed),
        (Many, &["LOG#2026-03-01#a1", "LOG#2026-03-02|b2", "LOG#2026-03-03#c3"], mixed),
        (One, &["STATUS#OPEN", "STATUS_OPEN", "STATUS#DONE"], mixed),
        (One, &["USER#ann", "USER_ROLE#admin", "USER#bo"], &[]),
        (One, &["MEMBER#ann-lee", "MEMBER#bob_lee", "MEMBER#cy.lee"], &[]),
        (One, &["share#3Zhh_XFj0", "share#3Zh-hXFj1", "share#9abc_de-f"], &[]),
        (One, &["report-2019.pdf", "report_2020.pdf"], &[]),
        (One, &["BIKES|CITY", "BIKES", "BIKES PARTS|BELL"], &["prefix-of-sibling"]),
        (One, &["team/red", "team/red/ann", "team/redwood"], &["prefix-of-sibling"]),
        (One, &["ann", "anna", "annabel"], &[]),
        (One, &["fi", "fi-FI", "fil", "fil-PH", "de", "de-AT"], &[]),
        (One, &["2026-03", "2026-03-01", "2026-03-02"], &[]),
        (One, &["V1StGXR8_Z5jdHi6B-myT", "a_b-XR8Z5jdHi6BmyTqq", "Zb-_XR8Z5jdHi6BmyTqq"], &[]),
    ]);
}

/// Items of a table with an index; attributes `at`, `id`, `state` and others come from a function.
fn items(count: usize, one: impl Fn(usize) -> serde_json::Value) -> Vec<Item> {
    (0..count).map(|nth| item(one(nth).as_object().unwrap())).collect()
}

fn check_items(create: &str, items: &[Item], expected: &[&str]) {
    let findings = lint(&table(create), items, &[]);
    let found: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.id()).collect();
    assert_eq!(found, expected.iter().copied().collect(), "{create}: {findings:#?}");
}

const STATES: [&str; 4] = ["PLACED", "PAID", "SHIPPED", "DONE"];

#[test]
fn keys_follow_their_attributes() {
    let create = "orders pk:S,sk:S --gsi GSI1=GSI1PK:S,GSI1SK:S";
    let order = |nth: usize, key_state: &str, state: &str| {
        json!({
            "pk": format!("USER#u{:03x}", nth * 37 % 11 + 300), "sk": format!("ORDER#{:05x}a", nth * 7919),
            "GSI1PK": format!("STORE#{}", ["lund", "umea", "ystad"][nth % 3]),
            "GSI1SK": format!("{key_state}#2026-03-{:02}T10:00:00Z", nth + 1), "status": state,
            "placedAt": format!("2026-03-{:02}T10:00:00Z", nth + 1),
            "updatedAt": format!("2026-04-{:02}T10:00:00Z", nth + 1),
        })
    };
    let right = |nth: usize| STATES[nth % 4];
    // Written in small letters, which is the same.
    check_items(
        create,
        &items(20, |nth| order(nth, right(nth), &right(nth).to_lowercase())),
        &["concatenated-key"],
    );
    let drifted = items(20, |nth| {
        order(nth, right(nth), if nth.is_multiple_of(8) { "SHIPPED" } else { right(nth) })
    });
    check_items(create, &drifted, &["drifted-composite"]);
}

#[test]
fn keys_follow_dates_numbers_and_addresses() {
    let create = "people pk:S,sk:S --gsi by-mail=mailKey:S,sk:S";
    let person = |nth: usize, mail: &str| {
        json!({
            "pk": format!("P#{:05x}b", nth * 4099), "sk": "PROFILE", "mailKey": format!("EMAIL#{mail}"),
            "email": format!("person{}x@example.com", nth * 31), "name": format!("N{nth}"),
        })
    };
    let kept = |nth: usize| format!("person{}x@example.com", nth * 31);
    check_items(create, &items(12, |nth| person(nth, &kept(nth))), &[]);
    let old = |nth: usize| if nth == 7 { "maiden.name@example.org".to_owned() } else { kept(nth) };
    check_items(create, &items(12, |nth| person(nth, &old(nth))), &["drifted-composite"]);

    let create = "tasks pk:S,sk:S --gsi due=team:S,dueKey:S";
    let task = |nth: usize, day: usize, priority: usize| {
        json!({
            "pk": format!("T#{:05x}c", nth * 5003), "sk": "TASK", "team": (["red", "blue"][nth % 2]),
            "dueKey": format!("P{}#2026-05-{:02}#{:04x}d", nth % 3 + 1, nth + 1, nth * 999),
            "due": format!("2026-05-{day:02}T08:00:00Z"), "priority": priority,
            "lastSeen": format!("2026-05-{:02}T08:00:00Z", nth % 9 + 1),
        })
    };
    check_items(create, &items(15, |nth| task(nth, nth + 1, nth % 3 + 1)), &[]);
    let moved = items(15, |nth| task(nth, if nth == 4 { 29 } else { nth + 1 }, nth % 3 + 1));
    check_items(create, &moved, &["drifted-composite"]);
    let raised = items(15, |nth| task(nth, nth + 1, if nth == 4 { 1 } else { nth % 3 + 1 }));
    check_items(create, &raised, &["drifted-composite"]);
}

#[test]
fn attributes_that_only_resemble_a_component_may_differ() {
    // The author of most documents is the owner, in whose partition they are.
    let create = "documents pk:S,sk:S";
    let names = ["ann", "bo", "cy", "dee"];
    let document = |nth: usize| {
        json!({
            "pk": format!("OWNER#{}", names[nth % 4]), "sk": format!("DOC#2026-03-{:02}#{:04x}f", nth + 1, nth * 777),
            "updatedBy": names[if nth.is_multiple_of(6) { (nth + 1) % 4 } else { nth % 4 }],
            "createdAt": format!("2026-03-{:02}T08:00:00Z", nth + 1),
            "updatedAt": format!("2026-03-{:02}T08:00:00Z", nth + 1 + nth % 3 / 2),
        })
    };
    check_items(create, &items(20, document), &[]);
    // Names written in another alphabet, and with other letters.
    let create = "places country:S,place:S";
    let cities = [
        ("LOWER", "Groß-Enzersdorf", "GROSS-ENZERSDORF"),
        ("SKANE", "Malmö", "MALMO"),
        ("SKANE", "Lund", "LUND"),
        ("OSLO", "Oslo", "OSLO"),
        ("BAVARIA", "München", "MUNCHEN"),
        ("MO", "St. Louis", "SAINT-LOUIS"),
        ("KS", "Topeka", "TOPEKA"),
        ("NE", "Omaha", "OMAHA"),
    ];
    let place = |nth: usize| {
        let (state, city, key) = cities[nth];
        json!({ "country": "X", "place": format!("{state}#{key}#{}", nth * 9173 + 100_000), "city": city })
    };
    check_items(create, &items(8, place), &[]);
}

#[test]
fn values_keep_delimiters_out() {
    let create = "tickets venue:S,ticket:S";
    let ticket = |nth: usize, seat: &str| json!({ "venue": format!("V{:03x}q", nth % 3 + 700), "ticket": format!("2026-03-{:02}|{seat}", nth + 1), "seat": seat });
    let seats = ["A12", "B7", "C3", "D9", "E11", "F2"];
    check_items(create, &items(6, |nth| ticket(nth, seats[nth])), &[]);
    let divided = items(6, |nth| ticket(nth, if nth == 3 { "D|9" } else { seats[nth] }));
    check_items(create, &divided, &["delimiter-in-data"]);
}

#[test]
fn partitions_are_many_and_even() {
    let create = "orders pk:S,sk:S --gsi by-kind=kind:S,sk:S";
    let order = |nth: usize, kind: &str| json!({ "pk": format!("U#{:05x}e", nth * 6151), "sk": format!("2026-03-{:02}", nth % 28 + 1), "kind": kind });
    let kinds = ["book", "tool", "food", "toy", "lamp"];
    check_items(create, &items(40, |nth| order(nth, kinds[nth % 5])), &[]);
    check_items(create, &items(40, |nth| order(nth, "ORDER")), &["single-partition-index"]);
    let most = items(40, |nth| {
        order(nth, if nth.is_multiple_of(4) { kinds[nth / 4 % 5] } else { "book" })
    });
    check_items(create, &most, &["dominant-partition"]);
    // A sparse index is small on purpose.
    let sparse = items(60, |nth| {
        let mut order = order(nth, "x");
        if !nth.is_multiple_of(7) {
            order.as_object_mut().unwrap().remove("kind");
        }
        order
    });
    check_items(create, &sparse, &[]);
    // A few items of a model.
    check_items(create, &items(5, |nth| order(nth, "ORDER")), &[]);
}

#[test]
fn items_of_one_kind_have_no_empty_component() {
    let create = "work pk:S,sk:S --gsi by-team=team:S,workKey:S";
    let work = |nth: usize, name: &str| {
        json!({
            "pk": format!("W#{:05x}f", nth * 3571), "sk": "W", "team": (["it", "hr"][nth % 2]),
            "workKey": format!("{name}/2026-03-{:02}T10:00:00Z", nth + 1), "text": "x",
        })
    };
    let names = ["bo", "ann", "cy"];
    check_items(create, &items(9, |nth| work(nth, names[nth % 3])), &[]);
    let none = items(9, |nth| work(nth, if nth == 5 { "" } else { names[nth % 3] }));
    check_items(create, &none, &["empty-component"]);
}

#[test]
fn a_number_in_an_attribute_is_a_number_in_the_key() {
    let create = "boards board:S,entry:S";
    let entry = |nth: usize, name: &str| {
        let points = [980, 12450, 604, 1201, 77][nth % 5] + nth;
        let mut object = json!({ "board": (["a", "b"][nth % 2]), "entry": format!("{points}#p{:03x}x", nth * 97 + 300) });
        object.as_object_mut().unwrap().insert(name.to_owned(), json!(points));
        object
    };
    check_items(create, &items(10, |nth| entry(nth, "euros")), &["unpadded-number"]);
    // A number of a customer is a name.
    check_items(create, &items(10, |nth| entry(nth, "customerId")), &[]);
}

#[test]
fn libraries_name_the_values_in_keys() {
    let create = "shops pk:S,sk:S --gsi gsi1=gsi1pk:S,gsi1sk:S";
    let shop = |nth: usize, unit: &str, key_unit: &str| {
        json!({
            "pk": format!("$mall#city_{}", (["atlanta", "boston", "denver"][nth % 3])),
            "sk": format!("$store_1#store_s{:04x}", nth * 911), "gsi1pk": format!("$mall#id_m{:03x}", nth % 4 + 900),
            "gsi1sk": format!("$store_1#unitid_{key_unit}#store_s{:04x}", nth * 911),
            "unitId": unit, "rent": nth * 10, "city": (["Atlanta", "Boston", "Denver"][nth % 3]),
        })
    };
    let unit = |nth: usize| ["B45", "B46", "C11", "C12", "D8"][nth % 5];
    let low = |nth: usize| unit(nth).to_lowercase();
    check_items(create, &items(15, |nth| shop(nth, unit(nth), &low(nth))), &[]);
    let moved = items(15, |nth| shop(nth, unit(if nth == 3 { 0 } else { nth }), &low(nth)));
    check_items(create, &moved, &["drifted-composite"]);
    let lost = |nth: usize| if nth == 3 { "undefined".to_owned() } else { low(nth) };
    check_items(
        create,
        &items(15, |nth| shop(nth, unit(nth), &lost(nth))),
        &["placeholder-in-key"],
    );
}

#[test]
fn counters_grow_with_time() {
    let create = "bookings account:S,booking:S";
    let booking = |nth: usize, number: usize| {
        json!({
            "account": format!("acct-{:04x}z", nth * 613), "booking": format!("BOOKING#{number}"),
            "made": format!("2026-03-{:02}T10:00:00Z", nth + 1),
        })
    };
    let numbers = [871, 944, 1020, 1377, 2240, 5104, 9989, 10450];
    check_items(create, &items(8, |nth| booking(nth, numbers[nth])), &["unpadded-number"]);
    check_items(create, &items(8, |nth| booking(nth, numbers[nth * 3 % 8])), &[]);
}

#[test]
fn kinds_of_items_may_write_as_they_like() {
    // Two kinds of items in one index, in partitions of their own.
    let create = "mixed pk:S,sk:S --gsi GSI1=GSI1PK:S,GSI1SK:S";
    let one = |nth: usize| {
        let id = format!("{:05x}g", nth * 8011);
        if nth.is_multiple_of(2) {
            json!({
                "pk": format!("USER#{id}"), "sk": format!("USER#{id}"), "GSI1PK": format!("TEAM#{}", nth % 3),
                "GSI1SK": format!("2026-03-{:02}T10:00:00.000Z", nth + 1), "name": "x", "mail": "y", "role": "z",
            })
        } else {
            json!({
                "pk": format!("JOB#{id}"), "sk": "JOB", "GSI1PK": format!("QUEUE#{}", nth % 3),
                "GSI1SK": format!("2026-03-{:02}T10:00:00Z", nth + 1), "tries": 1, "worker": "w", "payload": "p",
            })
        }
    };
    check_items(create, &items(20, one), &[]);
    // A profile stands first on purpose.
    let create = "photos pk:S,sk:S";
    let names = ["alex", "bea", "carl", "dov"];
    let one = |nth: usize| {
        let name = names[nth % 4];
        if nth < 4 {
            json!({ "pk": format!("USER#{name}"), "sk": format!("#METADATA#{name}"), "made": "x", "name": name })
        } else {
            json!({ "pk": format!("USER#{name}"), "sk": format!("FRIEND#{name}#{}", names[(nth + 1) % 4]), "made": "x", "name": name })
        }
    };
    check_items(create, &items(12, one), &[]);
}

#[test]
fn keys_are_joined_by_any_text() {
    let create = "homes id:S --gsi by-place=placeKey:S";
    let home = |nth: usize, between: &str| {
        let (city, street) =
            (["Lund", "Umea", "Ystad"][nth % 3], ["Elm Road", "Mill Lane"][nth % 2]);
        json!({ "id": format!("{:05x}h", nth * 6007), "city": city, "street": street, "placeKey": format!("{city}{between}{street}") })
    };
    for between in ["#", "_", ", ", " / ", "::"] {
        check_items(create, &items(9, |nth| home(nth, between)), &["concatenated-key"]);
    }
    let create = "files folder:S,file:S";
    let file = |nth: usize, name: &str| json!({ "folder": format!("f{:03x}k", nth % 3 + 500), "file": format!("{name}-2026-03-{:02}", nth + 1), "name": name });
    let names = ["budget", "report", "minutes", "plan", "costs", "offer"];
    check_items(create, &items(6, |nth| file(nth, names[nth])), &[]);
    let dashed = items(6, |nth| file(nth, if nth == 2 { "annual-report" } else { names[nth] }));
    check_items(create, &dashed, &["delimiter-in-data"]);
}

#[test]
fn large_samples_are_read_to_the_end() {
    let create = "orders pk:S,sk:S --gsi GSI1=GSI1PK:S,GSI1SK:S --gsi GSI2=GSI2PK:S,GSI2SK:S";
    let order = |nth: usize| {
        let mut object = json!({
            "pk": format!("USER#{:06x}", nth / 7 * 7919), "sk": format!("ORDER#{:08x}#2026-03-{:02}", nth * 40_503, nth % 28 + 1),
            "GSI1PK": format!("STORE#{:04x}s", nth % 500), "GSI1SK": format!("{}#{:07}", STATES[nth % 4], nth),
            "GSI2PK": format!("DAY#2026-03-{:02}", nth % 28 + 1), "GSI2SK": format!("{:08x}", nth * 40_503), "status": STATES[nth % 4],
        });
        for attribute in 0..33 {
            object[format!("attribute{attribute}")] =
                json!(format!("value {} of {nth}", attribute * nth));
        }
        object
    };
    check_items(create, &items(10_000, order), &[]);
}
