//! Tables created, described, changed and dropped, each in a line.

use super::served::Server;

fn described(server: &Server, table: &str) -> serde_json::Value {
    let printed = server.run(&["describe", table, "-ojson"], b"").printed();
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn a_table_has_all_that_its_line_says() {
    let server = Server::start(&[]);
    let create = [
        "create",
        "orders",
        "pk:S",
        "sk:S",
        "--gsi=by-state=country:S,state:S",
        "--gsi=by-place=country:S+state:S,city:S+pk/include=total,date",
        "--lsi=by-date=date:S/keys-only",
        "--ttl=expires",
        "--stream=new-and-old",
        "--tag=team=shop",
        "--tag=empty=",
        "--protect",
        "--class=infrequent-access",
        "--max-throughput=100:50",
    ];
    assert_eq!(server.run(&create, b"").printed(), "created orders\n");
    server
        .run(&["put", "orders", "{pk:'a',sk:'1',country:'NL',state:'x',date:'d'}"], b"")
        .printed();
    let printed = server.run(&["describe", "orders"], b"").printed();
    let table = described(&server, "orders");
    let stream = table["LatestStreamArn"].as_str().unwrap();
    let expected = format!(
        "orders: active, 1 items, 26 bytes

index     keys                              projection           status  items  bytes
────────  ────────────────────────────────  ───────────────────  ──────  ─────  ─────
(table)   pk S, sk S                        ALL                  ACTIVE  1      26
by-date   pk S, date S                      KEYS_ONLY            local   1      11
by-state  country S, state S                ALL                  ACTIVE  1      26
by-place  country S + state S, city S + pk S  INCLUDE date, total  ACTIVE  0      0

billing       on demand, at most 100 read and 50 write units a second
stream        NEW_AND_OLD_IMAGES {stream}
time to live  expires, enabled
protected     yes
class         STANDARD_INFREQUENT_ACCESS
tags          empty=, team=shop
arn           arn:aws:dynamodb:us-east-1:314159265358:table/orders
"
    );
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let without_rules = |text: &str| {
        words(text).into_iter().filter(|word| !word.starts_with('─')).collect::<Vec<_>>()
    };
    assert_eq!(without_rules(&printed), without_rules(&expected), "{printed}");
    assert_eq!(table["TimeToLiveDescription"]["AttributeName"], "expires");
    assert_eq!(table["Tags"].as_array().unwrap().len(), 2);
}

#[test]
fn changes_are_made_one_after_the_other() {
    let server = Server::start(&["--profile=hostile", "--table-delay-ms=20"]);
    assert_eq!(
        server.run(&["create", "tab", "pk:S", "--throughput=10:5"], b"").printed(),
        "created tab\n"
    );
    let alter = [
        "alter",
        "tab",
        "--protect",
        "--stream=keys",
        "--add-gsi=one=a:S,b:N/throughput=3:2",
        "--add-gsi=two=a:S",
        "--ttl=e",
        "--throughput=20:6",
    ];
    let printed = server.run(&alter, b"").printed();
    let expected = "tab: protected\ntab: units changed\ntab: stream enabled\ntab: index one added\n\
                    tab: index two added\ntab: time to live by e\n";
    assert_eq!(printed, expected);
    let table = described(&server, "tab");
    let units = |described: &serde_json::Value| {
        let units = &described["ProvisionedThroughput"];
        (units["ReadCapacityUnits"].as_u64(), units["WriteCapacityUnits"].as_u64())
    };
    assert_eq!(units(&table), (Some(20), Some(6)));
    let indexes = table["GlobalSecondaryIndexes"].as_array().unwrap();
    let of = |name: &str| indexes.iter().find(|index| index["IndexName"] == name).unwrap();
    assert_eq!((units(of("one")), units(of("two"))), ((Some(3), Some(2)), (Some(20), Some(6))));
    assert!(indexes.iter().all(|index| index["IndexStatus"] == "ACTIVE"), "{indexes:?}");
    let alter = ["alter", "tab", "--index-throughput=one=4:4", "--no-stream", "--drop-gsi=two"];
    let printed = server.run(&alter, b"").printed();
    assert_eq!(printed, "tab: units changed\ntab: no stream\ntab: index two dropped\n");
    let table = described(&server, "tab");
    assert_eq!(table["GlobalSecondaryIndexes"].as_array().unwrap().len(), 1);
    assert_eq!(units(&table["GlobalSecondaryIndexes"][0]), (Some(4), Some(4)));
    assert!(table["StreamSpecification"].is_null());
    assert_eq!(server.run(&["alter", "tab", "--on-demand"], b"").printed(), "tab: on demand\n");
    assert_eq!(described(&server, "tab")["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST");
}

#[test]
fn a_protected_table_stays_and_another_is_dropped() {
    let server = Server::start(&["--profile=hostile", "--table-delay-ms=20"]);
    let create = ["create", "tab", "pk:S", "--protect", "--tag=a=1"];
    assert_eq!(server.run(&create, b"").printed(), "created tab\n");
    let again = server.run(&create, b"");
    assert_eq!(again.code, 3, "{again:?}");
    let again = server.run(&["create", "tab", "pk:S", "--if-not-exists"], b"");
    assert_eq!(again.printed(), "there is already a table tab\n");
    let unasked = server.run(&["drop", "tab"], b"");
    assert_eq!(
        (unasked.code, unasked.stderr.as_str()),
        (2, "hashrange: tab has 0 items: --yes drops it without asking\n")
    );
    let kept = server.run(&["drop", "tab", "--yes"], b"");
    assert_eq!(kept.code, 3);
    assert!(kept.stderr.contains("currently protected against deletion"), "{kept:?}");
    server.run(&["put", "tab", "{pk:'1'}"], b"");
    let other = Server::start(&[]);
    other.run(&create, b"").printed();
    let alter = ["alter", "tab", "--no-protect", "--untag=a", "--tag=b=2"];
    assert_eq!(
        other.run(&alter, b"").printed(),
        "tab: not protected\ntab: tagged\ntab: untagged\n"
    );
    assert_eq!(described(&other, "tab")["Tags"], serde_json::json!([{"Key": "b", "Value": "2"}]));
    other.run(&["put", "tab", "{pk:'1'}"], b"").printed();
    assert_eq!(other.run(&["drop", "tab", "-y"], b"").printed(), "dropped tab with 1 item\n");
    assert_eq!(other.run(&["tables"], b"").printed(), "");
    let absent = other.run(&["drop", "tab", "--yes", "--if-exists"], b"");
    assert_eq!(absent.printed(), "there is no table tab\n");
}

#[test]
fn what_is_wrong_with_a_definition_is_said() {
    let server = Server::start(&[]);
    server.create("tab");
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["create", "xyz", "pk"],
            2,
            "attribute pk has no type: write pk:S for text, pk:N for a number, pk:B for binary",
        ),
        (&["create", "xyz", "pk:T"], 2, "key pk:T: \"T\" is no type of a key"),
        (&["create", "xyz", "pk:S", "--gsi=idx=a"], 2, "attribute a has no type"),
        (
            &["create", "xyz", "pk:S", "--gsi=idx=pk:N"],
            2,
            "attribute pk is S in one place, N in another",
        ),
        (&["create", "xyz", "pk:S", "--gsi=idx"], 2, "--gsi idx: expected = and its keys"),
        (&["create", "xyz", "pk:S", "--lsi=idx=a:S"], 3, "ValidationException: "),
        (
            &["create", "xyz", "pk:S", "--throughput=1"],
            2,
            "--throughput 1: \"1\" is not READ:WRITE",
        ),
        (&["create", "xyz", "pk:S", "--tag=a"], 2, "--tag a: \"a\" is not NAME=VALUE"),
        (&["alter", "tab"], 2, "say what to change"),
        (&["alter", "tab", "--no-ttl"], 2, "--no-ttl: tab has no time to live"),
        (&["alter", "tab", "--drop-gsi=xyz"], 3, "ResourceNotFoundException: "),
        (&["alter", "xyz", "--protect"], 3, "ResourceNotFoundException: "),
        (&["drop", "xyz", "--yes"], 3, "ResourceNotFoundException: "),
        (&["describe", "xyz"], 3, "ResourceNotFoundException: "),
    ];
    for (arguments, code, start) in cases {
        let found = server.run(arguments, b"");
        assert_eq!((found.code, found.stdout.as_str()), (*code, ""), "{arguments:?} {found:?}");
        let start = format!("hashrange: {start}");
        assert!(found.stderr.starts_with(&start), "{arguments:?}: {}", found.stderr);
    }
    assert_eq!(server.run(&["tables"], b"").printed(), "tab\n");
}
