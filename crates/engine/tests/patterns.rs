//! The patterns of sort keys and of single tables, one test each. Key templates, versions and gather make the keys:
//! clients write plain items with the usual operations, and the pattern's reads find exactly what they should.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_engine::{EngineOptions, TemplateMode, TreeInput, VersionsRecord};
use hashrange_model::{AttributeValue, Item};
use hashrange_storage::block_on;
use hashrange_testkit::database::Database;
use serde_json::{Map, Value as Json, json};

/// Index name, partition key, and the attributes of the sort key with spaces between them.
type Keys<'k> = (&'k str, &'k str, &'k str);

/// Creates the table `items` with global and local indexes; attributes are texts, or numbers with `:N` behind the name.
fn table(keys: [&str; 2], global: &[Keys<'_>], local: &[Keys<'_>]) -> Database {
    let mut kinds = Map::new();
    let mut schema = |hash: &str, range: &str| -> Json {
        let roles = std::iter::once("HASH").chain(std::iter::repeat("RANGE"));
        let keys = roles.zip([hash].into_iter().chain(range.split_whitespace()));
        let keys = keys.map(|(role, name)| {
            let (name, kind) = name.split_once(':').unwrap_or((name, "S"));
            kinds.insert(name.to_owned(), json!(kind));
            json!({"AttributeName": name, "KeyType": role})
        });
        Json::Array(keys.collect())
    };
    let mut request = json!({"TableName": "items", "BillingMode": "PAY_PER_REQUEST"});
    request["KeySchema"] = schema(keys[0], keys[1]);
    let all = json!({"ProjectionType": "ALL"});
    for (kind, indexes) in [("GlobalSecondaryIndexes", global), ("LocalSecondaryIndexes", local)] {
        let described: Vec<Json> = indexes
            .iter()
            .map(|(name, hash, range)| {
                json!({"IndexName": name, "KeySchema": schema(hash, range), "Projection": all})
            })
            .collect();
        if !described.is_empty() {
            request[kind] = Json::Array(described);
        }
    }
    let kinds = kinds.iter();
    let kinds = kinds.map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
    request["AttributeDefinitions"] = kinds.collect();
    let database = Database::memory(EngineOptions::default());
    database.ok("CreateTable", &request);
    database
}

fn derive(database: &Database, templates: &[&str]) {
    for template in templates {
        block_on(database.engine.put_key_template("items", template, TemplateMode::Fill))
            .unwrap_or_else(|error| panic!("{template}: {error}"));
    }
}

/// Returns an item, or values of expressions, from plain JSON.
fn item(plain: &Json) -> Json {
    let value = |value: &Json| match value {
        Json::Number(number) => json!({"N": number.to_string()}),
        Json::Array(texts) => {
            json!({"L": texts.iter().map(|it| json!({"S": it})).collect::<Vec<_>>()})
        }
        text => json!({"S": text}),
    };
    plain.as_object().unwrap().iter().map(|(name, plain)| (name.clone(), value(plain))).collect()
}

fn put(database: &Database, plain: &Json) {
    database.ok("PutItem", &json!({"TableName": "items", "Item": item(plain)}));
}

fn refused(database: &Database, plain: &Json) -> String {
    database.fails("PutItem", &json!({"TableName": "items", "Item": item(plain)}))
}

/// Sets attributes of an item, all of the names that are given.
fn set(database: &Database, key: &Json, attributes: &Json) {
    let names = attributes.as_object().unwrap().keys().enumerate();
    let (mut sets, mut told, mut values) = (Vec::new(), Map::new(), Map::new());
    for (nth, name) in names {
        sets.push(format!("#a{nth} = :a{nth}"));
        told.insert(format!("#a{nth}"), json!(name));
        values.insert(format!(":a{nth}"), attributes[name].clone());
    }
    let expression = format!("SET {}", sets.join(", "));
    database.ok(
        "UpdateItem",
        &json!({"TableName": "items", "Key": item(key), "UpdateExpression": expression,
            "ExpressionAttributeNames": told, "ExpressionAttributeValues": item(&Json::Object(values))}),
    );
}

/// Returns a Query: texts of the condition stand in single quotes, numbers bare; the index is empty for the table.
fn request(index: &str, condition: &str) -> Json {
    let mut values = Map::new();
    let mut placeholder = |value: Json| {
        let name = format!(":v{}", values.len());
        values.insert(name.clone(), value);
        name
    };
    let mut expression = String::new();
    for (nth, piece) in condition.split('\'').enumerate() {
        if nth % 2 == 1 {
            expression += &placeholder(json!({"S": piece}));
            continue;
        }
        for word in piece.split_inclusive(' ') {
            match word.trim().parse::<i64>() {
                Ok(number) => expression += &(placeholder(json!({"N": number.to_string()})) + " "),
                Err(_) => expression += word,
            }
        }
    }
    let mut request = json!({"TableName": "items", "KeyConditionExpression": expression,
        "ExpressionAttributeValues": values});
    if !index.is_empty() {
        request["IndexName"] = json!(index);
    }
    request
}

/// Returns one attribute of each item of an answer.
fn shown(answer: &Json, attribute: &str) -> Vec<String> {
    let items = answer["Items"].as_array().unwrap().iter();
    let text = |item: &Json| {
        let value = &item[attribute];
        value["S"].as_str().or(value["N"].as_str()).unwrap_or("-").to_owned()
    };
    items.map(text).collect()
}

fn query(database: &Database, index: &str, condition: &str, attribute: &str) -> Vec<String> {
    shown(&database.ok("Query", &request(index, condition)), attribute)
}

/// Returns the last of a Query, read backward with Limit 1.
fn last(database: &Database, index: &str, condition: &str, attribute: &str) -> Vec<String> {
    let mut request = request(index, condition);
    request["ScanIndexForward"] = json!(false);
    request["Limit"] = json!(1);
    shown(&database.ok("Query", &request), attribute)
}

fn gather(database: &Database, index: &str, condition: &str, attribute: &str) -> Vec<String> {
    let request = request(index, condition).to_string();
    let answer = block_on(database.engine.gather_json(request.as_bytes())).unwrap();
    shown(&serde_json::from_slice(&answer).unwrap(), attribute)
}

fn scan(database: &Database, index: &str, attribute: &str) -> Vec<String> {
    shown(&database.ok("Scan", &json!({"TableName": "items", "IndexName": index})), attribute)
}

fn keep_versions(database: &Database, version: &str, pointer: &str) -> usize {
    let versions = VersionsRecord::new(version, pointer);
    block_on(database.engine.set_versions("items", Some(versions))).unwrap().warnings.len()
}

/// 1. A hierarchy: country, state, city and zip are plain attributes, the sort key is made of them.
#[test]
fn a_hierarchy_is_a_prefix_of_every_level() {
    let database = table(["country", "place"], &[], &[]);
    derive(&database, &["place = '{state:upper}#{city:upper}#{zip}'"]);
    for (country, state, city, zip) in [
        ("USA", "ne", "Omaha", "68118"),
        ("USA", "NY", "NewYorkCity", "10019"),
        ("USA", "NY", "NewYorkCity", "10001"),
        ("USA", "NY", "Newark", "14513"),
        ("FRANCE", "Ile-de-France", "Paris", "75001"),
    ] {
        put(&database, &json!({"country": country, "state": state, "city": city, "zip": zip}));
    }
    let of =
        |condition: &str| query(&database, "", &format!("country = 'USA'{condition}"), "place");
    let all = ["NE#OMAHA#68118", "NY#NEWARK#14513", "NY#NEWYORKCITY#10001", "NY#NEWYORKCITY#10019"];
    assert_eq!(of(""), all);
    assert_eq!(of(" AND begins_with(place, 'NY#')"), all[1..]);
    assert_eq!(of(" AND begins_with(place, 'NY#NEWYORKCITY#')"), all[2..]);
    assert_eq!(of(" AND place = 'NY#NEWYORKCITY#10001'"), all[2..3]);
    // A prefix without its delimiter takes siblings along.
    assert_eq!(of(" AND begins_with(place, 'NY#NEW')"), all[1..]);
    // A delimiter within a part would be another level; a part without a text is one without a name.
    let odd = |city: &str| json!({"country": "USA", "state": "NY", "city": city, "zip": "1"});
    assert!(refused(&database, &odd("New#York")).contains("key template of the attribute place"));
    put(&database, &odd(""));
    assert_eq!(of(" AND begins_with(place, 'NY##')"), ["NY##1"]);
    database.assert_sound();
}

/// 2. Operators: what is one range, and what a range takes along.
#[test]
fn an_operator_is_one_range() {
    let database = table(["shop", "id"], &[("by-status", "shop", "placed_as")], &[]);
    derive(&database, &["placed_as = '{status}#{placed:iso:day}'"]);
    for (id, status, placed) in [
        ("1", "CANCELLED", "2022-05-01"),
        ("2", "SHIPPED", "2022-12-31T20:00:00-05:00"),
        ("3", "SHIPPED", "2023-01-15"),
        ("4", "SHIPPED", "2022-12-30"),
    ] {
        put(&database, &json!({"shop": "nl", "id": id, "status": status, "placed": placed}));
    }
    let of = |condition: &str| {
        query(&database, "by-status", &format!("shop = 'nl' AND placed_as {condition}"), "id")
    };
    assert_eq!(of("BETWEEN 'SHIPPED#' AND 'SHIPPED#\u{10ffff}'"), ["4", "2", "3"]);
    // A time with an offset is the day of UTC, so it lies behind midnight.
    assert_eq!(of("BETWEEN 'SHIPPED#' AND 'SHIPPED#2023-01-01'"), ["4", "2"]);
    assert_eq!(of("< 'SHIPPED#2023-01-01'"), ["1", "4"], "CANCELLED comes along");
    assert_eq!(of("> 'SHIPPED#2022-12-30'"), ["2", "3"], "the first behind a cursor");
    assert_eq!(last(&database, "by-status", "shop = 'nl'", "id"), ["3"]);
    let reversed = request("by-status", "shop = 'nl' AND placed_as BETWEEN 'B' AND 'A'");
    let error = database.fails("Query", &reversed);
    assert!(error.contains("upper bound to be greater than or equal to lower bound"), "{error}");
}

/// 3. A time series: keys that do not collide, a partition for each month, and all devices of a day.
#[test]
fn a_time_series_has_buckets_that_gather_reads() {
    let database = table(
        ["device", "event"],
        &[("by-month", "device_month", "ts:N"), ("by-day", "device_day", "ts:N")],
        &[],
    );
    derive(
        &database,
        &[
            "event = '{ts:epoch_s:iso:s}#{id}'",
            "device_month = '{device}#{ts:epoch_s:iso:month}'",
            "device_day = '{ts:epoch_s:iso:day}#{shard:hash(device):4}'",
        ],
    );
    for (device, ts, id) in [
        ("123", 1_310_216_400, "e1"),
        ("123", 1_535_544_000, "e2"),
        ("123", 1_536_022_800, "e3"),
        ("123", 1_536_022_800, "e4"),
        ("456", 1_536_022_801, "f1"),
        ("789", 1_536_022_799, "g1"),
    ] {
        put(&database, &json!({"device": device, "ts": ts, "id": id}));
    }
    let before = query(&database, "", "device = '123' AND event < '2018-09-04'", "event");
    assert_eq!(before, ["2011-07-09T13:00:00Z#e1", "2018-08-29T12:00:00Z#e2"]);
    assert_eq!(last(&database, "", "device = '123'", "id"), ["e4"], "two in one second are two");
    assert_eq!(query(&database, "by-month", "device_month = '123#2018-09'", "id"), ["e3", "e4"]);
    let year = "device_month = '123#2018-{shard:01..12}'";
    assert_eq!(gather(&database, "by-month", year, "id"), ["e2", "e3", "e4"]);
    let window = format!("{year} AND ts BETWEEN 1535544000 AND 1536022799");
    assert_eq!(gather(&database, "by-month", &window, "id"), ["e2"]);
    let day = gather(&database, "by-day", "device_day = '2018-09-04#{shard}'", "id");
    assert_eq!(day, ["g1", "e3", "e4", "f1"]);
    database.assert_sound();
}

/// 4. A chat: each order of the parts answers its own question, and a second index costs no code.
#[test]
fn a_chat_is_read_by_user_and_by_time() {
    let database = table(["room", "message"], &[], &[("by-time", "room", "sent_by")]);
    derive(&database, &["message = '{user}#{sent:iso:s}'", "sent_by = '{sent:iso:s}#{user}'"]);
    for (user, sent) in [
        ("zoe", "2018-08-30T09:10:11Z"),
        ("amsg", "2018-09-04T01:00:00Z"),
        ("amsg", "2018-08-29T12:00:00Z"),
        ("amsg", "2017-01-01T00:00:00Z"),
        ("amsgx", "2018-09-01T00:00:00Z"),
    ] {
        put(&database, &json!({"room": "seattle", "user": user, "sent": sent}));
    }
    let of = |prefix: &str| {
        let condition = format!("room = 'seattle' AND begins_with(message, '{prefix}')");
        query(&database, "", &condition, "sent")
    };
    assert_eq!(of("amsg#").len(), 3);
    assert_eq!(of("amsg#2018"), ["2018-08-29T12:00:00Z", "2018-09-04T01:00:00Z"]);
    assert_eq!(of("amsg#2018-08"), ["2018-08-29T12:00:00Z"]);
    let of_room = |condition: &str| query(&database, "by-time", condition, "user");
    let from = "room = 'seattle' AND sent_by BETWEEN '2018-08-30' AND '2018-09-02'";
    assert_eq!(of_room(from), ["zoe", "amsgx"]);
    assert_eq!(last(&database, "by-time", "room = 'seattle'", "user"), ["amsg"]);
    database.assert_sound();
}

/// 5. Facets of a document: one Query for all, small writes beside a large body, versions beside both.
#[test]
fn a_document_is_read_by_facet_or_as_a_whole() {
    let database = table(["document", "facet"], &[], &[]);
    assert_eq!(keep_versions(&database, "v_{n:pad:4}_{name}", "{name}_now"), 0);
    put(&database, &json!({"document": "d", "facet": "metadata", "views": 1}));
    put(&database, &json!({"document": "d", "facet": "permissions", "reader": "ann"}));
    put(&database, &json!({"document": "d", "facet": "body_now", "text": "x".repeat(50_000)}));
    put(&database, &json!({"document": "d", "facet": "body_now", "text": "y".repeat(50_000)}));
    assert_eq!(query(&database, "", "document = 'd' AND facet = 'metadata'", "views"), ["1"]);
    assert_eq!(
        query(&database, "", "document = 'd'", "facet"),
        ["body_now", "metadata", "permissions", "v_0001_body", "v_0002_body"]
    );
    let counted = database.ok(
        "UpdateItem",
        &json!({"TableName": "items", "Key": item(&json!({"document": "d", "facet": "metadata"})),
            "UpdateExpression": "ADD #v :one", "ExpressionAttributeNames": {"#v": "views"},
            "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnConsumedCapacity": "TOTAL"}),
    );
    assert_eq!(counted["ConsumedCapacity"]["CapacityUnits"], json!(1.0));
    database.assert_sound();
}

/// 6. Versions `v_1`, `v_2` behind `v_0`: a width makes them sort.
#[test]
fn versions_of_a_document_are_in_their_order_by_a_width() {
    let database = table(["document", "facet"], &[], &[]);
    let forms = [("v_{n}", "v_0", 2), ("v_{n:pad:3}", "v_000", 1)];
    for ((form, pointer, warnings), document) in forms.into_iter().zip(["unpadded", "padded"]) {
        assert_eq!(keep_versions(&database, form, pointer), warnings, "{form}");
        for nth in 1..=10 {
            put(&database, &json!({"document": document, "facet": pointer, "nth": nth}));
        }
    }
    let numbers = |document: &str| query(&database, "", &format!("document = '{document}'"), "nth");
    let in_order = ["10", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    assert_eq!(numbers("padded"), in_order);
    assert_eq!(numbers("unpadded")[..4], ["10", "1", "10", "2"], "v_0, v_1, v_10, v_2");
    assert_eq!(last(&database, "", "document = 'padded'", "nth"), ["10"]);
    assert_eq!(last(&database, "", "document = 'unpadded'", "nth"), ["9"]);
    database.assert_sound();
}

/// 6. Audits of the guide, also of parts; beyond a hundred versions the pointer lies among them.
#[test]
fn audits_have_their_newest_state_in_the_pointer() {
    let database = table(["equipment", "revision"], &[], &[]);
    keep_versions(&database, "v{n:pad:3}_{name}", "v0_{name}");
    for (auditor, state) in [("Al", "INIT"), ("Bo", "ONGOING"), ("Rick", "COMPLETE")] {
        let audit =
            json!({"equipment": "1", "revision": "v0_Audit", "auditor": auditor, "state": state});
        put(&database, &audit);
    }
    put(&database, &json!({"equipment": "1", "revision": "v0_Audit#pump", "auditor": "Zoe"}));
    let of = |condition: &str, attribute: &str| {
        query(&database, "", &format!("equipment = '1' AND {condition}"), attribute)
    };
    assert_eq!(of("revision = 'v0_Audit'", "auditor"), ["Rick"]);
    assert_eq!(of("revision = 'v0_Audit'", "LatestVersion"), ["3"]);
    assert_eq!(of("revision = 'v002_Audit'", "state"), ["ONGOING"]);
    assert_eq!(of("begins_with(revision, 'v0_Audit#')", "auditor"), ["Zoe"]);
    let history = "revision BETWEEN 'v001_' AND 'v099_~'";
    let versions = ["v001_Audit", "v001_Audit#pump", "v002_Audit", "v003_Audit"];
    assert_eq!(of(history, "revision"), versions);
    for nth in 4..=101 {
        set(&database, &json!({"equipment": "1", "revision": "v0_Audit"}), &json!({"nth": nth}));
    }
    let of_audit = of("begins_with(revision, 'v')", "revision");
    assert_eq!(of_audit[100..], ["v0_Audit", "v0_Audit#pump", "v100_Audit", "v101_Audit"]);
    database.assert_sound();
}

/// 6. A pointer outside the versions: the prefix is the history, its last item the newest version.
#[test]
fn a_pointer_outside_the_versions_is_in_no_range_of_them() {
    let database = table(["equipment", "revision"], &[], &[]);
    assert_eq!(keep_versions(&database, "v{n:pad:3}_{name}", "latest_{name}"), 0);
    for nth in 1..=101 {
        put(&database, &json!({"equipment": "1", "revision": "latest_Audit", "nth": nth}));
    }
    let versions = "equipment = '1' AND begins_with(revision, 'v')";
    let expected: Vec<_> = (1..=101).map(|nth: u32| nth.to_string()).collect();
    assert_eq!(query(&database, "", versions, "nth"), expected);
    assert_eq!(last(&database, "", versions, "revision"), ["v101_Audit"]);
    let newest = "equipment = '1' AND begins_with(revision, 'latest_')";
    assert_eq!(query(&database, "", newest, "LatestVersion"), ["101"]);
}

/// 7. An adjacency list: nodes and edges are told apart by their kind, the inverted index is read from the other side.
#[test]
fn an_adjacency_list_is_read_from_both_ends() {
    let database = table(["pk", "sk"], &[("inverted", "sk", "pk")], &[]);
    derive(
        &database,
        &[
            "pk = 'INVOICE#{invoice}' when kind in ['Invoice', 'Edge'] else 'BILL#{bill}' when kind = 'Bill'",
            "sk = 'BILL#{bill}' when kind in ['Bill', 'Edge'] else 'INVOICE#{invoice}' when kind = 'Invoice'",
        ],
    );
    put(&database, &json!({"kind": "Invoice", "invoice": "92551", "day": "2026-11-25"}));
    put(&database, &json!({"kind": "Bill", "bill": "4224663", "due": "2026-12-25"}));
    for (invoice, bill) in [("92551", "4224663"), ("92551", "4224687"), ("92552", "4224663")] {
        put(&database, &json!({"kind": "Edge", "invoice": invoice, "bill": bill, "cents": 100}));
    }
    let of = |index: &str, condition: &str, attribute: &str| {
        query(&database, index, condition, attribute)
    };
    let whole = of("", "pk = 'INVOICE#92551'", "sk");
    assert_eq!(whole, ["BILL#4224663", "BILL#4224687", "INVOICE#92551"]);
    let edges = of("", "pk = 'INVOICE#92551' AND begins_with(sk, 'BILL#')", "bill");
    assert_eq!(edges, ["4224663", "4224687"]);
    let back = of("inverted", "sk = 'BILL#4224663' AND begins_with(pk, 'INVOICE#')", "pk");
    assert_eq!(back, ["INVOICE#92551", "INVOICE#92552"]);
    assert_eq!(of("", "pk = 'BILL#4224663' AND sk = 'BILL#4224663'", "due"), ["2026-12-25"]);
    database.assert_sound();
}

/// 8. Write shards: rooms that are sharded by the server from 0, or by clients from 1, are read as one.
#[test]
fn shards_of_a_room_are_gathered() {
    let database = table(["room", "sent"], &[], &[]);
    for (nth, room) in ["seattle-1", "seattle-2", "seattle-1", "oslo-1"].into_iter().enumerate() {
        put(&database, &json!({"room": room, "sent": format!("09:0{nth}")}));
    }
    let both = gather(&database, "", "room = 'seattle-{shard:1..2}'", "sent");
    assert_eq!(both, ["09:00", "09:01", "09:02"]);
    let database = table(["room", "sent"], &[], &[]);
    derive(&database, &["room = '{name}-{shard:hash(sent):3}'"]);
    for nth in 0..9 {
        put(&database, &json!({"name": "seattle", "sent": format!("09:0{nth}")}));
    }
    let all = gather(&database, "", "room = 'seattle-{shard}'", "sent");
    assert_eq!(all, (0..9).map(|nth| format!("09:0{nth}")).collect::<Vec<_>>());
    let of_shards =
        (0..3).map(|nth| query(&database, "", &format!("room = 'seattle-{nth}'"), "sent").len());
    let of_shards: Vec<_> = of_shards.collect();
    assert!(of_shards.iter().all(|held| *held > 0), "{of_shards:?}");
    assert_eq!(of_shards.iter().sum::<usize>(), 9);
}

/// 9. A sparse index is a queue: orders enter and leave it by their status.
#[test]
fn a_sparse_index_is_the_queue_of_open_orders() {
    let database = table(["pk", "sk"], &[("open", "open_shop", "placed")], &[]);
    derive(&database, &["open_shop = '{shop}' when status = 'PLACED'"]);
    for (user, order, status, placed) in [
        ("alex", "1", "PLACED", "2023-01-02"),
        ("bob", "7", "SHIPPED", "2023-01-01"),
        ("bob", "8", "PLACED", "2023-01-01"),
    ] {
        let (pk, sk) = (format!("USER#{user}"), format!("ORDER#{order}"));
        put(
            &database,
            &json!({"pk": pk, "sk": sk, "shop": "nl", "status": status, "placed": placed}),
        );
    }
    assert_eq!(scan(&database, "open", "sk"), ["ORDER#8", "ORDER#1"]);
    set(&database, &json!({"pk": "USER#bob", "sk": "ORDER#8"}), &json!({"status": "SHIPPED"}));
    set(&database, &json!({"pk": "USER#bob", "sk": "ORDER#7"}), &json!({"status": "PLACED"}));
    assert_eq!(query(&database, "open", "open_shop = 'nl'", "sk"), ["ORDER#7", "ORDER#1"]);
    database.assert_sound();
}

/// 10. A single table: each kind of entity has its own case of the templates, and one index serves all of them.
#[test]
fn an_overloaded_index_serves_every_entity() {
    let database = table(["pk", "sk"], &[("gsi1", "gsi1pk", "gsi1sk")], &[]);
    derive(
        &database,
        &[
            "pk = 'USER#{user}' when kind in ['User', 'Order'] else 'ORDER#{order:pad:4}' when kind = 'OrderItem' \
             else 'ORG#{org}' when kind = 'Membership'",
            "sk = 'PROFILE' when kind = 'User' else 'ORDER#{order:pad:4}' when kind = 'Order' \
             else 'ITEM#{line:pad:2}' when kind = 'OrderItem' else 'USER#{user}' when kind = 'Membership'",
            "gsi1pk = 'EMAIL#{email:lower}' when kind = 'User' else 'ORDER#{order:pad:4}' when kind in ['Order', 'OrderItem'] \
             else 'USER#{user}' when kind = 'Membership'",
            "gsi1sk = 'USER#{user}' when kind = 'User' else 'META' when kind = 'Order' \
             else 'ITEM#{line:pad:2}' when kind = 'OrderItem' else 'ORG#{org}' when kind = 'Membership'",
        ],
    );
    put(&database, &json!({"kind": "User", "user": "alex", "email": "A@x.io"}));
    for order in [42, 7, 100] {
        put(&database, &json!({"kind": "Order", "user": "alex", "order": order}));
    }
    for line in [10, 2] {
        put(&database, &json!({"kind": "OrderItem", "order": 42, "line": line}));
    }
    put(&database, &json!({"kind": "Membership", "org": "1", "user": "alex"}));
    let of = |index: &str, condition: &str, attribute: &str| {
        query(&database, index, condition, attribute)
    };
    assert_eq!(of("", "pk = 'USER#alex' AND sk = 'PROFILE'", "email"), ["A@x.io"]);
    let orders = of("", "pk = 'USER#alex' AND begins_with(sk, 'ORDER#')", "sk");
    assert_eq!(orders, ["ORDER#0007", "ORDER#0042", "ORDER#0100"]);
    assert_eq!(of("gsi1", "gsi1pk = 'ORDER#0042'", "gsi1sk"), ["ITEM#02", "ITEM#10", "META"]);
    assert_eq!(of("gsi1", "gsi1pk = 'USER#alex'", "gsi1sk"), ["ORG#1"]);
    assert_eq!(of("gsi1", "gsi1pk = 'EMAIL#a@x.io'", "user"), ["alex"]);
    assert_eq!(of("", "pk = 'ORG#1'", "sk"), ["USER#alex"]);
    database.assert_sound();
}

/// 11. Status and date in one key, in a local index; a key of several attributes finds the same.
#[test]
fn status_and_date_are_one_range() {
    let database = table(
        ["customer", "id"],
        &[("several", "customer", "delivery placed")],
        &[("joined", "customer", "delivery_date")],
    );
    derive(&database, &["delivery_date = '{delivery}#{placed:iso:day}'"]);
    let order = |id: &str, delivery: &str, placed: &str| json!({"customer": "alex", "id": id, "delivery": delivery, "placed": placed});
    put(&database, &order("1", "PLACED", "2023-01-05"));
    put(&database, &order("2", "SHIPPED", "2022-12-30"));
    put(&database, &order("3", "SHIPPED", "2023-01-15"));
    put(&database, &order("4", "PLACED", "2023-01-20"));
    set(&database, &json!({"customer": "alex", "id": "4"}), &json!({"delivery": "SHIPPED"}));
    for (joined, several, expected) in [
        ("begins_with(delivery_date, 'SHIPPED#')", "", &["2", "3", "4"][..]),
        (
            "delivery_date BETWEEN 'SHIPPED#' AND 'SHIPPED#2022-12-31~'",
            " AND placed < '2023'",
            &["2"],
        ),
        (
            "delivery_date BETWEEN 'SHIPPED#2023-01-01' AND 'SHIPPED#2023-01-31~'",
            " AND begins_with(placed, '2023-01')",
            &["3", "4"],
        ),
    ] {
        let joined = format!("customer = 'alex' AND {joined}");
        assert_eq!(query(&database, "joined", &joined, "id"), expected, "{joined}");
        let several = format!("customer = 'alex' AND delivery = 'SHIPPED'{several}");
        assert_eq!(query(&database, "several", &several, "id"), expected, "{several}");
    }
    // Dates that do not sort get no key.
    assert!(refused(&database, &order("5", "PLACED", "05.01.2023")).contains("placed is no time"));
    database.assert_sound();
}

/// 12. Encodings: values in their order have keys in this order.
#[test]
fn encodings_keep_the_order_of_values() {
    let cases = [
        ("{v:pad:3}", json!([-100, -2, -1, 0, 2, 10, 100])),
        ("{v:pad:2.2}", json!([-1.5, -1.25, 0, 1.25, 1.5, 9.5, 10])),
        ("{v:pad:3:desc}", json!([100, 10, 2, 0, -1, -2])),
        ("T#{v:pad:3:desc}#{k}", json!([100, 10, 2])),
        ("{v:epoch_s:iso}", json!([0, 999_999_999, 1_000_000_000])),
        ("{v:epoch_ms:iso:desc}", json!([1_000_000_000_000_i64, 999_999_999_999_i64])),
        (
            "{v:iso}",
            json!([
                "2026-11-24T23:59:59-02:00",
                "2026-11-25T04:30:00+02:00",
                "20261125T024200Z",
                "2026-11-25T02:42:00.5Z"
            ]),
        ),
        ("{v:iso:week}", json!(["2025-12-28", "2026-01-01", "2026-03-05", "2026-10-10"])),
        ("{v:iso:day:desc}", json!(["2026-11-25", "2026-11-09", "2025-12-31"])),
        ("{v:esc}#{k}", json!(["A", "A B", "A#1", "AB", "a"])),
        ("{v:lower}#{k}", json!(["Anna", "anton", "ZOE", "École"])),
    ];
    for (template, values) in cases {
        let database = table(["pk", "k"], &[("by-key", "pk", "derived")], &[]);
        derive(&database, &[&format!("derived = '{template}'")]);
        let values = values.as_array().unwrap();
        for (nth, value) in values.iter().enumerate().rev() {
            put(&database, &json!({"pk": "p", "k": nth.to_string(), "v": value}));
        }
        let expected: Vec<_> = (0..values.len()).map(|nth| nth.to_string()).collect();
        let keys = query(&database, "by-key", "pk = 'p'", "derived");
        assert_eq!(query(&database, "by-key", "pk = 'p'", "k"), expected, "{template}: {keys:?}");
    }
}

/// 13. Paths: a key with the depth before the path has the children of a folder side by side; a tree needs no depth.
#[test]
fn a_path_has_its_subtree_and_its_children() {
    let database = table(["drive", "full_path"], &[("by-depth", "drive", "by_depth")], &[]);
    derive(
        &database,
        &[
            "full_path = '/{names[0]}/{names[1]?}/{names[2]?}'",
            "by_depth = '3#/{names[0]}/{names[1]}/{names[2]}' when names[2] is not missing \
             else '2#/{names[0]}/{names[1]}' when names[1] is not missing else '1#/{names[0]}'",
        ],
    );
    for names in [&["a"][..], &["a", "b"], &["a", "b", "c"], &["a", "b", "d"], &["ab"], &["a", "e"]]
    {
        put(&database, &json!({"drive": "1", "names": names}));
    }
    let of = |index: &str, condition: &str| {
        query(&database, index, &format!("drive = '1' AND begins_with({condition})"), "full_path")
    };
    assert_eq!(of("", "full_path, '/a/'"), ["/a/b", "/a/b/c", "/a/b/d", "/a/e"]);
    assert_eq!(of("by-depth", "by_depth, '2#/a/'"), ["/a/b", "/a/e"]);
    assert_eq!(of("by-depth", "by_depth, '3#/a/b/'"), ["/a/b/c", "/a/b/d"]);
    assert_eq!(of("by-depth", "by_depth, '1#'"), ["/a", "/ab"]);
    let tree = TreeInput {
        table_name: "items".to_owned(),
        partition_key: Item::from_attributes([("drive", AttributeValue::from("1"))]),
        prefix: Some("/a/".to_owned()),
        ..TreeInput::default()
    };
    let nodes = block_on(database.engine.tree(tree)).unwrap().nodes;
    let names: Vec<_> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["b", "b/", "e"]);
    database.assert_sound();
}

/// 13. A parent instead of a path: a move is one write.
#[test]
fn a_parent_pointer_moves_a_folder_by_one_write() {
    let database = table(["id", ""], &[("children", "parent", "label")], &[]);
    derive(&database, &["parent = '{folder|root}'"]);
    for (id, folder, label) in
        [("1", "", "src"), ("2", "1", "lib"), ("3", "2", "x"), ("4", "", "docs")]
    {
        let mut node = json!({"id": id, "label": label});
        if !folder.is_empty() {
            node["folder"] = json!(folder);
        }
        put(&database, &node);
    }
    assert_eq!(query(&database, "children", "parent = 'root'", "label"), ["docs", "src"]);
    set(&database, &json!({"id": "2"}), &json!({"folder": "4"}));
    assert_eq!(query(&database, "children", "parent = '4'", "label"), ["lib"]);
    assert_eq!(query(&database, "children", "parent = '2'", "label"), ["x"]);
    assert!(query(&database, "children", "parent = '1'", "label").is_empty());
}

/// 14. Uniqueness and a count: one transaction of plain items, whose keys the table makes.
#[test]
fn a_transaction_keeps_emails_unique_and_counts() {
    let database = table(["pk", "sk"], &[], &[]);
    let key = "'EMAIL#{email:lower}' when kind = 'Email' else 'USER#{user}'";
    derive(
        &database,
        &[
            &format!("pk = {key} when kind = 'User'"),
            "sk = 'EMAIL' when kind = 'Email' else 'PROFILE' when kind = 'User'",
        ],
    );
    let signed_up = |user: &str, email: &str| {
        let put = |kind: &str| {
            json!({"Put": {"TableName": "items", "ConditionExpression": "attribute_not_exists(pk)",
                "Item": item(&json!({"kind": kind, "user": user, "email": email}))}})
        };
        let count = json!({"Update": {"TableName": "items",
            "Key": item(&json!({"pk": "USERS", "sk": "STATS"})),
            "UpdateExpression": "ADD signed_up :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}}}});
        json!({"TransactItems": [put("Email"), put("User"), count]})
    };
    database.ok("TransactWriteItems", &signed_up("alex", "A@x.io"));
    database.ok("TransactWriteItems", &signed_up("bob", "b@x.io"));
    let error = database.fails("TransactWriteItems", &signed_up("carl", "a@X.io"));
    assert!(error.contains("[ConditionalCheckFailed, None, None]"), "{error}");
    assert_eq!(query(&database, "", "pk = 'USERS'", "signed_up"), ["2"]);
    assert_eq!(query(&database, "", "pk = 'EMAIL#a@x.io'", "user"), ["alex"]);
    assert!(query(&database, "", "pk = 'USER#carl'", "sk").is_empty());
    database.assert_sound();
}

/// 14. Locks: a number that the table counts holds off the second writer, a lease the second owner.
#[test]
fn locks_hold_off_the_second_writer() {
    let database = table(["pk", "sk"], &[], &[]);
    keep_versions(&database, "v{n:pad:6}_{name}", "{name}");
    put(&database, &json!({"pk": "p", "sk": "doc", "text": "one"}));
    let mut save = json!({"TableName": "items", "Item": item(&json!({"pk": "p", "sk": "doc", "text": "two"})),
        "ConditionExpression": "LatestVersion = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}});
    database.ok("PutItem", &save);
    assert!(database.fails("PutItem", &save).contains("conditional request failed"));
    save["ExpressionAttributeValues"][":n"] = json!({"N": "2"});
    save["Item"]["text"] = json!({"S": "three"});
    database.ok("PutItem", &save);
    assert_eq!(query(&database, "", "pk = 'p'", "text"), ["three", "one", "two", "three"]);
    let lease = |owner: &str, now: u64| {
        json!({"TableName": "items",
            "Item": item(&json!({"pk": "LOCK#x", "sk": "-", "held_by": owner, "expires": now + 30})),
            "ConditionExpression": "attribute_not_exists(pk) OR expires < :now",
            "ExpressionAttributeValues": {":now": {"N": now.to_string()}}})
    };
    block_on(database.engine.set_versions("items", None)).unwrap();
    database.ok("PutItem", &lease("a", 100));
    assert!(database.fails("PutItem", &lease("b", 120)).contains("conditional request failed"));
    database.ok("PutItem", &lease("b", 131));
    assert_eq!(query(&database, "", "pk = 'LOCK#x'", "held_by"), ["b"]);
}

/// 14. The best first, and of equal scores the earlier name: scores count down in the key.
#[test]
fn the_best_of_a_group_come_first() {
    let database = table(["game", "user"], &[("best", "game", "rank")], &[]);
    derive(&database, &["rank = '{score:pad:6:desc}#{user}'"]);
    for (user, score) in [("zoe", 900), ("ann", 10_000), ("bob", 900), ("eve", 85)] {
        put(&database, &json!({"game": "g", "user": user, "score": score}));
    }
    set(&database, &json!({"game": "g", "user": "eve"}), &json!({"score": 9_999}));
    let mut top = request("best", "game = 'g'");
    top["Limit"] = json!(3);
    assert_eq!(shown(&database.ok("Query", &top), "user"), ["ann", "eve", "bob"]);
}

/// 15. The table's order, another order within a partition, and another partition.
#[test]
fn each_question_has_its_index() {
    let database = table(
        ["org", "project"],
        &[("by-owner", "owned_by", "project")],
        &[("by-update", "org", "updated_at")],
    );
    derive(&database, &["owned_by = '{owner:lower}'", "updated_at = '{updated:iso:s}'"]);
    for (org, project, owner, updated) in [
        ("1", "apollo", "Ann", "2026-11-30T01:00:00+02:00"),
        ("1", "gemini", "bob", "2026-11-20"),
        ("1", "mercury", "ann", "2026-11-29T22:00:00Z"),
        ("2", "skylab", "ann", "2026-11-28"),
    ] {
        put(
            &database,
            &json!({"org": org, "project": project, "owner": owner, "updated": updated}),
        );
    }
    assert_eq!(query(&database, "", "org = '1'", "project"), ["apollo", "gemini", "mercury"]);
    let mut recent = request("by-update", "org = '1' AND updated_at > '2026-11-24'");
    recent["ConsistentRead"] = json!(true);
    assert_eq!(shown(&database.ok("Query", &recent), "project"), ["mercury", "apollo"]);
    let owned = query(&database, "by-owner", "owned_by = 'ann'", "project");
    assert_eq!(owned, ["apollo", "mercury", "skylab"]);
    let mut consistent = request("by-owner", "owned_by = 'ann'");
    consistent["ConsistentRead"] = json!(true);
    assert!(database.fails("Query", &consistent).contains("global secondary indexes"));
    database.assert_sound();
}
