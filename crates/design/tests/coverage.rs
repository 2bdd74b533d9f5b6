//! Coverage: access patterns against keys, and designers' tables, case by case.

use hashrange_cost::{
    AccessPattern, AttributeFacts, Definition, IndexFacts, KeyElement, Pattern, Projection, Sample,
    TableFacts,
};
use hashrange_design::coverage::{self, TableCoverage, read_table};

fn key(names: &str) -> Vec<KeyElement> {
    let kinds = ["HASH", "RANGE"];
    let elements = names.split_whitespace().zip(kinds);
    let element = |(name, kind): (&str, &str)| KeyElement {
        attribute_name: name.to_owned(),
        key_type: kind.to_owned(),
    };
    elements.map(element).collect()
}

fn index(name: &str, keys: &str, projection: &str) -> IndexFacts {
    let mut words = projection.split_whitespace();
    let projection_type = words.next().unwrap_or("ALL").to_owned();
    let non_key_attributes = words.map(str::to_owned).collect();
    IndexFacts {
        index_name: name.to_owned(),
        key_schema: key(keys),
        projection: Projection { projection_type, non_key_attributes },
        item_count: 500,
        index_size_bytes: 50_000,
    }
}

/// Returns a table of 1,000 items of 1,000 bytes; the most frequent user has a tenth of them.
fn table() -> TableFacts {
    let attribute = |name: &str, items: u64, most: u64| AttributeFacts {
        name: name.to_owned(),
        types: vec!["S".to_owned()],
        items,
        most,
        ..AttributeFacts::default()
    };
    TableFacts {
        table: "shop".to_owned(),
        definition: Some(Definition {
            key_schema: key("pk sk"),
            global_secondary_indexes: vec![
                index("by-status", "status placed", "ALL"),
                index("by-mail", "mail", "INCLUDE name"),
            ],
            item_count: 1000,
            table_size_bytes: 1_000_000,
            ..Definition::default()
        }),
        sample: Some(Sample {
            items: 100,
            bytes: 100_000,
            is_all: false,
            attributes: vec![
                attribute("pk", 100, 10),
                attribute("sk", 100, 1),
                attribute("status", 100, 50),
                attribute("mail", 10, 1),
                attribute("total", 100, 3),
            ],
        }),
        ..TableFacts::default()
    }
}

fn pattern(operation: &str, index: Option<&str>, pattern: &str) -> AccessPattern {
    AccessPattern {
        name: "it".to_owned(),
        operation: operation.to_owned(),
        table: "shop".to_owned(),
        index: index.map(str::to_owned),
        pattern: Some(Pattern::read(pattern).expect(pattern)),
        most_units: None,
        example: None,
    }
}

/// Returns the cells of the only row, as `kind keys | filter | units | assumed`.
fn cells(of: &TableCoverage) -> Vec<String> {
    let cell = |cell: &coverage::Cell| {
        let units = cell.read_units.map(|units| units.text()).unwrap_or_default();
        let parts = [cell.keys.join(", "), cell.filter.join(", "), units, cell.assumes.join(", ")];
        format!("{} {}", cell.words(), parts.join(" | ")).trim_end_matches([' ', '|']).to_owned()
    };
    of.rows[0].cells.iter().map(cell).collect()
}

fn covered(operation: &str, index: Option<&str>, text: &str) -> TableCoverage {
    let patterns = [pattern(operation, index, text)];
    coverage::cover(&[table()], &patterns).tables.remove(0)
}

#[test]
fn a_cell_says_how_a_key_answers_a_pattern_and_what_it_costs() {
    for (operation, text, expected) in [
        (
            "Query",
            "pk = ? AND begins_with(sk, ?)",
            [
                "key range pk = ?, begins_with(sk, ?) |  | 0.5 to 12.5",
                "not answerable",
                "not answerable",
            ],
        ),
        (
            "Query",
            "pk = ? AND sk = ?",
            ["key range pk = ?, sk = ? |  | 0.5", "not answerable", "not answerable"],
        ),
        (
            "Scan",
            "FILTER status = ? AND total > ?",
            [
                "scan  | status = ?, total > ? | 122.5",
                "filter after range status = ? | total > ? | 0.5 to 3.5 | placed",
                "not answerable",
            ],
        ),
        (
            "Scan",
            "FILTER mail = ? RETURNS name",
            ["scan  | mail = ? | 122.5", "not answerable", "key range mail = ? |  | 0.5 to 1"],
        ),
        ("GetItem", "", ["key range pk = ?, sk = ? |  | 0.5", "not answerable", "not answerable"]),
        ("GetItem", "mail = ?", ["not answerable", "not answerable", "not answerable"]),
        ("DeleteItem", "pk = ?", ["not answerable", "not answerable", "not answerable"]),
        (
            "Scan",
            "FILTER mail = ?",
            ["scan  | mail = ? | 122.5", "not answerable", "not answerable"],
        ),
        (
            "PutItem",
            "IF attribute_not_exists(pk)",
            ["key range pk = ?, sk = ?", "not answerable", "not answerable"],
        ),
    ] {
        let found = cells(&covered(operation, None, text));
        assert_eq!(found, expected, "{operation} {text}");
    }
}

#[test]
fn the_best_key_and_the_fault_of_the_one_asked_for_are_told() {
    for (operation, index, text, best, fault) in [
        ("Query", None, "pk = ?", Some(0), None),
        ("Query", Some("by-status"), "status = ?", Some(1), None),
        (
            "Query",
            None,
            "status = ?",
            Some(1),
            Some("no Query reads so: no `=` gives its partition key pk one value"),
        ),
        (
            "Query",
            Some("by-mail"),
            "mail = ? RETURNS total",
            Some(0),
            Some("its entries have no total"),
        ),
        ("Query", Some("by-town"), "town = ?", Some(0), Some("shop has no index by-town")),
        (
            "Query",
            None,
            "pk = ? FILTER contains(sk, ?)",
            Some(0),
            Some("no Query reads so: a filter of a Query names no attribute of its key"),
        ),
        ("PutItem", None, "", Some(0), None),
    ] {
        let found = covered(operation, index, text);
        assert_eq!((found.rows[0].best, found.rows[0].fault.as_deref()), (best, fault), "{text}");
    }
    let found = covered("Query", Some("by-status"), "status = ?");
    assert_eq!(found.unused, ["by-mail"]);
}

#[test]
fn an_index_without_some_items_answers_no_scan_but_one_of_its_own() {
    let text = "FILTER total > ?";
    assert_eq!(cells(&covered("Scan", None, text))[1], "not answerable");
    let own = covered("Scan", Some("by-status"), text);
    assert_eq!(cells(&own)[1], "scan  | total > ? | 6.5");
    assert_eq!(own.rows[0].best, Some(1));
    let why = covered("Scan", None, text).rows[0].cells[1].why.clone();
    assert_eq!(why.as_deref(), Some("it lacks the items without placed"));
}

/// A local index costs its own entries, and half a unit for each started 4 KB of each item that is fetched.
#[test]
fn items_that_a_local_index_has_fetched_cost_their_whole_size() {
    let mut facts = table();
    let definition = facts.definition.as_mut().expect("a definition");
    definition.local_secondary_indexes = vec![index("by-total", "pk total", "INCLUDE status")];
    definition.table_size_bytes = 5_000_000;
    // 500 entries of 100 bytes, 50 of them of one partition key: 1 unit of entries, 1 unit for each item of 5,000 bytes.
    for (asked, text, expected) in [
        (None, "pk = ? AND total = ?", "1.5 to 15.5, fetched"),
        (None, "pk = ? AND total = ? RETURNS status", "0.5, local"),
        (Some("by-total"), "pk = ?", "0.5 to 1, local"),
        (Some("by-total"), "pk = ? RETURNS COUNT", "0.5 to 1, local"),
        (Some("by-total"), "pk = ? RETURNS note", "1.5 to 51, fetched"),
        (Some("by-total"), "pk = ? FILTER note = ? RETURNS COUNT", "1.5 to 51, fetched"),
        (Some("by-total"), "pk = ? FILTER status = ? RETURNS pk", "0.5 to 1, local"),
    ] {
        let found = coverage::cover(&[facts.clone()], &[pattern("Query", asked, text)]);
        let cell = &found.tables[0].rows[0].cells[1];
        let units = cell.read_units.expect("units").text();
        let told = format!("{units}, {}", if cell.is_fetched { "fetched" } else { "local" });
        assert_eq!(told, expected, "{text}");
    }
    for (text, expected) in
        [("FILTER note = ?", "506.5"), ("FILTER status = ? RETURNS note", "6.5 to 506.5")]
    {
        let found = coverage::cover(&[facts.clone()], &[pattern("Scan", Some("by-total"), text)]);
        let units = found.tables[0].rows[0].cells[1].read_units.expect("units").text();
        assert_eq!(units, expected, "{text}");
        let cell = format!(", {expected} RU, each item fetched from the table");
        assert!(found.to_markdown().contains(&cell), "{}", found.to_markdown());
    }
}

#[test]
fn without_sizes_nothing_is_said_of_costs() {
    let mut facts = table();
    facts.sample = None;
    let definition = facts.definition.as_mut().expect("a definition");
    definition.item_count = 0;
    definition.global_secondary_indexes[0].item_count = 0;
    let found = coverage::cover(&[facts], &[pattern("Query", None, "pk = ?")]);
    assert!(found.tables[0].rows[0].cells[0].read_units.is_none());
    let unknown = AccessPattern { table: "other".to_owned(), ..pattern("Query", None, "pk = ?") };
    assert_eq!(coverage::cover(&[table()], &[unknown]).unknown, ["it (other)"]);
}

#[test]
fn designers_tables_are_read_in_csv_and_in_markdown() {
    let csv = "\u{feff}Id;Access Pattern;Index;Key condition;Filter\r\n\
               A1;\"profile; of a user\";-;PK = USER#alex AND SK = PROFILE;\r\n\
               A2;orders;table;\"PK = USER#alex AND begins_with(SK, \"\"ORDER#\"\")\";total > 10\r\n\
               \r\n\
               A3;open;GSI1;status = OPEN and placed between 2026-01-01 and 2026-02-01;\r\n";
    let markdown = "# Design\n\nSome prose | with a bar.\n\n\
        | # | Description | Index | Operation | Keys | Filter |\n\
        |---|:---|---|---|---|---|\n\
        | A1 | profile; of a user | | query | `PK` = `USER#alex`, SK=:sk | |\n\
        | A2 | orders | | Query | #PK = :pk AND SK begins_with ORDER# | total > 10 |\n\
        | A3 | open | `GSI1` | Query | status = 'OPEN' && placed BETWEEN a AND b | |\n\n\
        More prose.\n";
    let expected = [
        ("A1: profile; of a user", None, "PK = ? AND SK = ?"),
        ("A2: orders", None, "PK = ? AND begins_with(SK, ?) FILTER total > ?"),
        ("A3: open", Some("GSI1"), "status = ? AND placed BETWEEN ? AND ?"),
    ];
    for text in [csv, markdown] {
        let read = read_table(text, Some("shop")).unwrap_or_else(|fault| panic!("{fault}: {text}"));
        let told: Vec<_> = read
            .iter()
            .map(|it| {
                (
                    it.name.as_str(),
                    it.index.as_deref(),
                    it.pattern.as_ref().map(ToString::to_string),
                )
            })
            .collect();
        let expected = expected.map(|(name, index, text)| {
            let pattern = Pattern::read(text).map(|it| it.to_string()).expect(text);
            (name, index, Some(pattern))
        });
        assert_eq!(told, expected, "{text}");
        assert!(read.iter().all(|it| it.table == "shop" && it.operation == "Query"));
    }
}

#[test]
fn conditions_are_read_as_designers_write_them() {
    for (written, pattern) in [
        ("PK = USA", "PK = ?"),
        ("PK=123 AND SK BETWEEN t1 AND t2", "PK = ? AND SK BETWEEN ? AND ?"),
        ("PK = USA and begins_with(SK, `NY#`)", "PK = ? AND begins_with(SK, ?)"),
        ("\"PK\" = 'a AND b'", "PK = ?"),
        ("a >= 1, b != 2, c in (x, y)", "a >= ? AND b <> ? AND c IN (?, ?)"),
        ("attribute_not_exists(`a b`)", "attribute_not_exists(`a b`)"),
        ("contains(tags, red)", "contains(tags, ?)"),
        ("a = ? OR b = ?", "(a = ? OR b = ?)"),
        ("brand starts with Mc", "begins_with(brand, ?)"),
        ("`PK = x`", "PK = ?"),
    ] {
        let csv = format!("name,filter\nx,\"{}\"\n", written.replace('"', "\"\""));
        let read = read_table(&csv, Some("t")).unwrap_or_else(|fault| panic!("{fault}: {written}"));
        let expected = Pattern::read(&format!("FILTER {pattern}")).expect(pattern);
        assert_eq!(read[0].pattern.as_ref(), Some(&expected), "{written}");
    }
}

#[test]
fn faults_name_line_and_column() {
    for (text, expected) in [
        ("", "line 1: neither CSV nor a table in Markdown"),
        ("a,b\n1,2\n", "line 1: neither CSV"),
        ("table,keys\nt,a = 1\n", "line 1: no column is named Access pattern"),
        ("name,keys\nx,a = 1\n", "line 2: the access pattern names no table"),
        ("name,table,keys\n\nx,t,a like b\n", "line 3, column keys: \"a like b\" is no condition"),
        ("name,table,Op\nx,t,Select\n", "line 2, column Op: \"Select\" is no operation"),
        ("name,table\nx,t\nx,t\n", "line 3, column name: a second access pattern is named \"x\""),
        ("name,table\n\"x,t\n", "line 2: a quote is not closed"),
        (
            "| Name | Table | Filter |\n|-|-|-|\n| x | t | a = |\n",
            "line 3, column Filter: \"a =\" is no condition",
        ),
        (
            "| Name | Table |\n|-|-|\n| | t |\n",
            "line 3, column Name: the access pattern has no name",
        ),
    ] {
        let fault = read_table(text, None).expect_err(text).to_string();
        assert!(fault.starts_with(expected), "{text}: {fault}");
    }
    let large = "name\n".repeat(300_000);
    assert!(read_table(&large, None).expect_err("large").why.starts_with("more than"));
    for hostile in [
        "|||\n|-|\n",
        "name\n\u{0}\"",
        "name,keys\nx,(((((((\n",
        "name,keys\nx,é=é AND é\n",
        "name,keys\nx,and and and\n",
    ] {
        read_table(hostile, Some("t")).ok();
    }
}

#[test]
fn the_matrix_is_a_table_in_markdown() {
    let mut patterns = vec![pattern("Query", None, "pk = ?"), pattern("Query", Some("x"), "a = ?")];
    patterns[1].name = "odd | <b>".to_owned();
    let text = coverage::cover(&[table()], &patterns).to_markdown();
    assert!(
        text.starts_with("## shop\n\n| access pattern | operation | table (pk, sk) |"),
        "{text}"
    );
    assert!(text.contains("| it | Query | **key range**, 0.5 to 12.5 RU |"), "{text}");
    assert!(text.contains("- **odd \\| \\<b\\>**: shop has no index x"), "{text}");
    assert!(text.contains("- no access pattern needs the index by-mail"), "{text}");
    let note =
        "- RU are estimates with items of the mean size, 1000 bytes: larger items take more\n";
    assert!(text.contains(note), "{text}");
}

#[test]
fn all_tables_of_access_patterns_are_read_and_no_cell_is_dropped() {
    let text = "| Name | Meaning |\n|-|-|\n| pk | the user |\n\n| Pattern | Keys |\n|-|-|\n| one | a = 1 |\n\nMore:\n\n\
                | Id | Operation |\n|-|-|\n| 2 | Scan | |\n";
    let read = read_table(text, Some("t")).expect("two tables");
    let names: Vec<&str> = read.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["one", "2"]);
    let fault = read_table("| Pattern | Keys |\n|-|-|\n| one | a = 1 | b = 2 |\n", Some("t"));
    assert_eq!(
        fault.expect_err("three cells").to_string(),
        "line 3: more cells than the 2 of the header"
    );
}
