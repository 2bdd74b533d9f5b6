//! Entities of tables: what is told of items, case by case.

use hashrange_cost::{AttributeDefinition, Definition, IndexFacts, KeyElement};
use hashrange_design::entities::{self, Entities};
use hashrange_expr::KeyTemplate;
use hashrange_model::{AttributeValue, Item};

/// Returns a definition of `pk sk; index: hash range; ...`, of texts.
fn definition(text: &str) -> Definition {
    let mut sections = text.split(';').map(str::trim);
    let mut definition = Definition::default();
    let mut names: Vec<String> = Vec::new();
    let mut schema = |keys: &str| -> Vec<KeyElement> {
        let kinds = ["HASH", "RANGE"];
        let elements = keys.split_whitespace().zip(kinds).map(|(name, kind)| {
            names.push(name.to_owned());
            KeyElement { attribute_name: name.to_owned(), key_type: kind.to_owned() }
        });
        elements.collect()
    };
    definition.key_schema = schema(sections.next().unwrap_or_default());
    for index in sections {
        let (name, keys) = index.split_once(':').unwrap_or_default();
        definition.global_secondary_indexes.push(IndexFacts {
            index_name: name.to_owned(),
            key_schema: schema(keys),
            ..IndexFacts::default()
        });
    }
    names.sort();
    names.dedup();
    let of_name =
        |name: String| AttributeDefinition { attribute_type: "S".to_owned(), attribute_name: name };
    definition.attribute_definitions = names.into_iter().map(of_name).collect();
    definition
}

/// Returns an item of `name=text name:number`; `_` stands for a blank in a text.
fn item(text: &str) -> Item {
    let attributes = text.split_whitespace().map(|attribute| {
        let at = attribute.find(['=', ':']).expect("a value");
        let (name, value) = (&attribute[..at], &attribute[at + 1..]);
        let number = value.parse::<i64>().ok().filter(|_| attribute[at..].starts_with(':'));
        match number {
            Some(number) => (name, AttributeValue::from(number)),
            None => (name, AttributeValue::from(value)),
        }
    });
    Item::from_attributes(attributes)
}

fn infer(table: &str, items: &[Item]) -> Entities {
    entities::infer("shop", &definition(table), items)
}

/// Returns the entities as lines: `name: items, key patterns`.
fn told(found: &Entities) -> Vec<String> {
    let pattern = |key: &entities::KeyPattern| {
        let mark = if key.is_template { "" } else { "?" };
        let when = key.when.as_ref().map_or_else(String::new, |when| format!(" when {when}"));
        (key.items > 0).then(|| format!("{}={}{when}{mark}", key.attribute, key.pattern))
    };
    let lines = found.entities.iter().map(|entity| {
        let keys: Vec<String> = entity.keys.iter().filter_map(pattern).collect();
        format!("{}: {}, {}", entity.name, entity.items, keys.join(", "))
    });
    lines.collect()
}

/// Checks that each template is one, and returns their texts.
fn templates(found: &Entities) -> Vec<&str> {
    for template in &found.templates {
        KeyTemplate::parse(&template.template).expect(&template.template);
    }
    found.templates.iter().map(|template| template.template.as_str()).collect()
}

fn shop() -> Vec<Item> {
    let mut items = Vec::new();
    for user in ["alex", "bob", "cleo"] {
        items.push(item(&format!(
            "pk=USER#{user} sk=PROFILE type=User userId={user} mail={user}@x.io gpk=EMAIL#{user}@x.io gsk=USER#{user}"
        )));
        for nth in 1..=4 {
            let status = if nth == 4 { "SENT" } else { "OPEN" };
            items.push(item(&format!(
                "pk=USER#{user} sk=ORDER#00{nth}{l} type=Order orderId:{nth}{l} userId={user} status={status} \
                 placed=2026-11-0{nth}T10:00:00+02:00 gpk={status} gsk={status}#2026-11-0{nth}",
                l = user.len(),
            )));
        }
    }
    items
}

#[test]
fn the_matrix_has_a_cell_for_each_entity_of_the_table_and_of_an_index() {
    let mut items = shop();
    items.push(item("pk=USER#dora sk=PROFILE type=User userId=dora mail=dora@x.io"));
    let found = infer("pk sk; by: gpk gsk", &items);
    let cells: Vec<_> = found
        .matrix
        .iter()
        .flat_map(|matrix| matrix.cells.iter().map(move |cell| (matrix.index.as_deref(), cell)))
        .map(|(index, cell)| {
            let sort = cell.sort.as_deref().unwrap();
            (index, &cell.partition[..], sort, &cell.entity[..], cell.items)
        })
        .collect();
    assert_eq!(
        cells,
        [
            (None, "USER#{userId}", "ORDER#{orderId:pad:4}", "Order", 12),
            (None, "USER#{userId}", "PROFILE", "User", 4),
            (Some("by"), "{status}", "{status}#{placed:iso:day}", "Order", 12),
            (Some("by"), "EMAIL#{mail}", "USER#{userId}", "User", 3),
        ]
    );
    let json = serde_json::to_value(&found.matrix[1].cells[1]).unwrap();
    assert_eq!(
        json["Example"],
        serde_json::json!({
            "pk": {"S": "USER#alex"}, "sk": {"S": "PROFILE"},
            "gpk": {"S": "EMAIL#alex@x.io"}, "gsk": {"S": "USER#alex"},
        })
    );
    let bytes: u64 = found.matrix[0].cells.iter().map(|cell| cell.bytes).sum();
    assert_eq!(bytes, found.bytes);
}

#[test]
fn the_kinds_of_a_table_get_their_templates() {
    let found = infer("pk sk; by: gpk gsk", &shop());
    assert_eq!(found.told_by.as_deref(), Some("type"));
    assert_eq!(
        told(&found),
        [
            "Order: 12, pk=USER#{userId}, sk=ORDER#{orderId:pad:4}, gpk={status}, gsk={status}#{placed:iso:day}",
            "User: 3, pk=USER#{userId}, sk=PROFILE, gpk=EMAIL#{mail}, gsk=USER#{userId}",
        ]
    );
    assert_eq!(
        templates(&found),
        [
            "pk = \"USER#{userId}\"",
            "sk = \"ORDER#{orderId:pad:4}\" when type = 'Order' else \"PROFILE\" when type = 'User'",
            "gpk = \"{status}\" when type = 'Order' else \"EMAIL#{mail}\" when type = 'User'",
            "gsk = \"{status}#{placed:iso:day}\" when type = 'Order' else \"USER#{userId}\" when type = 'User'",
        ]
    );
    assert!(found.templates.iter().all(|it| it.derived == it.items && it.without.is_empty()));
    let order = &found.entities[0];
    assert_eq!((order.items, order.keys[2].items, order.keys[2].derived), (12, 12, 12));
    let status = order.attributes.iter().find(|it| it.name == "status").unwrap();
    assert_eq!((status.types.as_slice(), status.share > 0.99), (&["S"][..], true));
    assert!(order.example.starts_with("pk = 'USER#"), "{}", order.example);
}

#[test]
fn without_an_attribute_the_keys_tell_kinds_apart() {
    let items: Vec<Item> = shop().iter().map(|item| item.retain(|name| name != "type")).collect();
    let found = infer("pk sk; by: gpk gsk", &items);
    assert_eq!(found.told_by, None);
    let names: Vec<&str> = found.entities.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["USER ORDER", "USER PROFILE"]);
    assert_eq!(
        templates(&found)[1],
        "sk = \"ORDER#{orderId:pad:4}\" when orderId IS NOT MISSING else \"PROFILE\" when mail IS NOT MISSING"
    );
    assert!(found.notes.iter().any(|note| note.contains("no attribute names the kind")));
}

#[test]
fn a_kind_may_be_named_by_any_attribute_that_agrees_with_the_keys() {
    for name in ["_et", "__edb_e__", "what"] {
        let items: Vec<Item> = shop()
            .iter()
            .map(|item| {
                let kind = item.get("type").unwrap().to_attribute_value();
                let kind = kind.to_value();
                item.with_changes([("type", None), (name, Some(kind.get()))])
            })
            .collect();
        let found = infer("pk sk; by: gpk gsk", &items);
        assert_eq!(found.told_by.as_deref(), Some(name));
        assert!(templates(&found)[1].ends_with(&format!("when {name} = 'User'")), "{found:?}");
    }
}

#[test]
fn values_of_an_attribute_are_no_kinds() {
    // States of one kind of items, and an attribute called type that says something else.
    let mut items = Vec::new();
    for (state, city, zip) in [
        ("NE", "OMAHA", 1),
        ("NE", "LINCOLN", 2),
        ("NY", "ALBANY", 3),
        ("NY", "NEWYORK", 4),
        ("CA", "DAVIS", 5),
        ("CA", "CHICO", 6),
    ] {
        items.push(item(&format!(
            "country=USA place={state}#{city}#{zip} state={state} city={city} zip:{zip} type={}",
            ["kiosk", "drive"][usize::from(zip > 3)]
        )));
    }
    let found = infer("country place", &items);
    assert_eq!(found.told_by, None);
    assert_eq!(told(&found), ["shop: 6, country=USA?, place={state}#{city}#{zip:text}"]);
    assert_eq!(templates(&found), ["place = \"{state}#{city}#{zip:text}\""]);
}

#[test]
fn keys_of_indexes_are_attributes_too() {
    let places = [("US", "NE", "OMAHA"), ("US", "NE", "LINCOLN"), ("FR", "IDF", "PARIS")];
    let items: Vec<Item> = places
        .iter()
        .map(|(country, state, city)| {
            item(&format!("country={country} place={state}#{city} state={state} city={city}"))
        })
        .collect();
    let found = infer("country place; by-state: state; by-city: city", &items);
    assert_eq!(templates(&found), ["place = \"{state}#{city}\""]);
    // An index by the attribute that names the kind.
    let found = infer("pk sk; by-type: type", &shop());
    assert_eq!((found.told_by.as_deref(), found.entities.len()), (Some("type"), 2));
}

#[test]
fn keys_that_are_attributes_of_their_own_have_no_template() {
    let items: Vec<Item> =
        (1..9).map(|nth| item(&format!("artist=a{nth} song=s{nth} year:{}", 1990 + nth))).collect();
    let found = infer("artist song", &items);
    assert_eq!(told(&found), ["shop: 8, artist={artist}?, song={song}?"]);
    assert_eq!(templates(&found), Vec::<&str>::new());
    assert_eq!(found.entities[0].keys[0].why, None);
    assert_eq!(found.others.items, 0);
}

#[test]
fn what_a_template_does_not_derive_is_drift() {
    let mut items: Vec<Item> =
        (10..60).map(|nth| item(&format!("pk=ORDER#{nth} id={nth} x=1"))).collect();
    items.push(item("pk=ORDER#97 id=79 x=1"));
    items.push(item("pk=order-98 id=98 x=1"));
    let found = infer("pk", &items);
    let key = &found.entities[0].keys[0];
    assert_eq!((key.pattern.as_str(), key.is_template), ("ORDER#{id}", true));
    assert_eq!((key.items, key.derived), (51, 50));
    assert_eq!(key.drift[0].item, "pk = 'ORDER#97'");
    assert_eq!(key.drift[0].derived.as_deref(), Some("ORDER#79"));
    // The other form of key is of no kind: told, not hidden.
    assert_eq!((found.others.items, found.others.examples[0].as_str()), (1, "pk = 'order-98'"));
}

#[test]
fn a_part_that_no_attribute_has_is_told() {
    let items: Vec<Item> =
        (1..9).map(|nth| item(&format!("pk=USER#u{nth}#{} sk=X note=n", nth * 7919))).collect();
    let found = infer("pk sk", &items);
    let key = &found.entities[0].keys[0];
    assert_eq!((key.pattern.as_str(), key.is_template), ("USER#{}#{}", false));
    assert_eq!(key.why.as_deref(), Some("no attribute has the part behind USER#"));
    assert_eq!(templates(&found), Vec::<&str>::new());
    let why = found.entities[0].keys[1].why.as_deref();
    assert_eq!(why, Some("all items have one value, which shows no template"));
}

#[test]
fn an_index_key_of_some_items_has_its_condition() {
    let items: Vec<Item> = (0..20)
        .map(|nth| {
            let status = ["OPEN", "PLACED", "SENT"][nth % 3];
            let key = if status == "SENT" { String::new() } else { format!(" g={status}#{nth}") };
            item(&format!("pk={nth} no={nth} status={status}{key}"))
        })
        .collect();
    let found = infer("pk; open: g", &items);
    let expected = "g = \"{status}#{no}\" when status in ['OPEN', 'PLACED']";
    assert_eq!(templates(&found), ["pk = \"{no}\"", expected]);
    assert_eq!((found.templates[1].derived, found.templates[1].is_check), (14, false));
}

#[test]
fn a_key_is_made_of_other_keys_that_are_attributes() {
    let items: Vec<Item> = (10..30)
        .map(|nth| {
            let (stage, day) = (["OPEN", "SENT"][nth % 2], format!("2026-11-{nth}"));
            item(&format!("pk=u{nth} stage_day={stage}#{day} stage={stage} day={day} total:5"))
        })
        .collect();
    let found = infer("pk stage_day; by: stage day", &items);
    assert_eq!(templates(&found), ["stage_day = \"{stage}#{day}\""]);
    assert_eq!(
        told(&found),
        ["shop: 20, pk={pk}?, stage_day={stage}#{day}, stage={stage}?, day={day}?"]
    );
}

#[test]
fn times_and_padded_numbers_are_encoders() {
    for (key, attributes, pattern) in [
        ("2026-11-%%", "at=2026-11-%%T09:30:00Z", "{at:iso:day}"),
        ("v00%%", "version:%%", "v{version:pad:4}"),
        ("ann%%", "name=Ann%%", "{name:lower}"),
        ("x#%%", "n:%%", "x#{n:text}"),
        ("a|%%|b", "n=%%", "a|{n}|b"),
    ] {
        let items: Vec<Item> = (10..28)
            .map(|nth| {
                let of = |text: &str| text.replace("%%", &nth.to_string());
                item(&format!("pk=c sk={} {}", of(key), of(attributes)))
            })
            .collect();
        let found = infer("pk sk", &items);
        let key = &found.entities[0].keys[1];
        assert_eq!((key.pattern.as_str(), key.is_template), (pattern, true), "{key:?}");
    }
}

/// Of items with very many attributes the keys and the first ones are looked at, and all are counted.
#[test]
fn attributes_beyond_the_first_hundred_are_told_as_left_out() {
    let wide = |number: usize| {
        let many: Vec<_> = (0..300).map(|nth| format!("a{nth:03}=w{nth}w{number}")).collect();
        let keys = format!("pk=USER#u{number} sk=ORDER#o{number} type=order id=o{number}");
        item(&format!("{keys} {} zone=u{number}", many.join(" ")))
    };
    let items: Vec<Item> = (0..50).map(wide).collect();
    let found = infer("pk sk", &items);
    assert_eq!(told(&found), ["USER ORDER: 50, pk=USER#{}?, sk=ORDER#{}?"]);
    let note = "items have up to 305 attributes: kinds and templates come from keys and the first 100 of each item, by name";
    assert_eq!(found.notes, [note]);
    assert_eq!((found.entities[0].attributes.len(), found.entities[0].more_attributes), (100, 205));
    let bytes: usize = items.iter().map(Item::size).sum();
    assert_eq!(usize::try_from(found.entities[0].bytes).ok(), Some(bytes));
}

#[test]
fn any_items_are_looked_at_without_a_panic() {
    let texts = [
        "",
        "#",
        "##",
        "{",
        "}{",
        "\"",
        "'",
        "é#é",
        "a#",
        "#a",
        "|",
        "\u{0}",
        "A#\u{1f600}",
        "{}#{}",
    ];
    let items: Vec<Item> = texts
        .iter()
        .flat_map(|one| texts.map(|other| (*one, other)))
        .map(|(one, other)| {
            Item::from_attributes([("pk", one.into()), ("sk", other.into()), ("it's", one.into())])
        })
        .collect();
    let found = infer("pk sk", &items);
    assert_eq!(found.items, 196);
    templates(&found);
    assert_eq!(
        infer("pk sk", &[]).notes,
        ["no items were looked at, so nothing is told of entities"]
    );
    assert_eq!(entities::infer("t", &Definition::default(), &items).items, 196);
}
