//! Key templates: what is refused and where, what is derived, what is read back. Tables of cases.

#![expect(clippy::unwrap_used, reason = "a test: failures panic")]

use hashrange_expr::{Draw, Generated, KeyTemplate, Rendered};
use hashrange_model::error::Reason;
use hashrange_model::{AttributeValue, Item, Number};

/// Returns the sentence of a template that is refused.
fn refused(text: &str) -> String {
    let fault = KeyTemplate::parse(text).expect_err(text);
    let sentence = hashrange_model::ApiError::new(Reason::KeyTemplate(fault)).message().unwrap();
    sentence.strip_prefix("Invalid key template").unwrap_or(&sentence).to_owned()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn texts_are_refused_with_their_place() {
    for (text, sentence) in [
        ("", " at character 1: the key attribute that is derived is expected"),
        ("sk", " at character 3: = after the attribute is expected"),
        ("sk = ", " at character 6: a template in quotes is expected"),
        ("sk = a", " at character 6: a template in quotes is expected"),
        ("sk = \"a", " at character 6: a template in quotes is expected"),
        ("sk = ''", " at character 6: a template that is not empty is expected"),
        ("'' = 'a'", " at character 1: the key attribute that is derived is expected"),
        ("sk = 'a' if b", " at character 10: when, else or the end is expected"),
        ("sk = 'a' else", " at character 14: a template in quotes is expected"),
        ("sk = 'é}'", " at character 8: a { before it, or }} for a brace in the key is expected"),
        ("sk = '#{a'", " at character 8: a } after the part is expected"),
        (
            "sk = '{}'",
            " at character 7: \"\" names no place in an item: a part has an attribute such as status, or a place in one such as address.city or lines[0], without blanks and quotes",
        ),
        (
            "sk = '{a.b[x]}'",
            " at character 7: \"a.b[x]\" names no place in an item: a part has an attribute such as status, or a place in one such as address.city or lines[0], without blanks and quotes",
        ),
        (
            "sk = '{ulid(}'",
            " at character 7: there is no function ulid(; there are ulid(), uuid7(), now:iso and shard:hash(a):8",
        ),
        (
            "sk = '{uuid()}'",
            " at character 7: there is no function uuid(); there are ulid(), uuid7(), now:iso and shard:hash(a):8",
        ),
        (
            "sk = '{ulid():lower}'",
            " at character 15: nothing behind ulid() and uuid7() is expected",
        ),
        (
            "sk = '{now():day}'",
            " at character 14: there is no encoder day; there are pad, iso, epoch_s, epoch_ms, desc, esc, lower, upper and text",
        ),
        (
            "sk = '{now:iso:x}'",
            " at character 16: the encoder iso takes year, month, week, day, hour, minute, s, ms, us or ns",
        ),
        (
            "sk = '{ulid()?}'",
            " at character 7: ulid() is never missing, so it takes neither a default nor ?",
        ),
        ("sk = '{a?|b}'", " at character 7: either a default or ? is expected"),
        (
            "sk = '{a|}'",
            " at character 7: \"\" cannot stand for a missing value: it is empty, has the delimiter, or is no value of the part's encoder",
        ),
        (
            "sk = '{a|x#y}#{b}'",
            " at character 7: \"x#y\" cannot stand for a missing value: it is empty, has the delimiter, or is no value of the part's encoder",
        ),
        (
            "sk = '{a:pad:3|1000}'",
            " at character 7: \"1000\" cannot stand for a missing value: it is empty, has the delimiter, or is no value of the part's encoder",
        ),
        (
            "sk = '{a?}#{b}'",
            " at character 12: b stands behind a part that may be missing, where a key ends: only parts with ? can stand there",
        ),
        (
            "sk = '{shard:hash(a)}'",
            " at character 7: shard takes the hash of an attribute and a number of shards from 2 to 10000: shard:hash(id):8",
        ),
        (
            "sk = '{shard:hash(a):1}'",
            " at character 22: shard takes the hash of an attribute and a number of shards from 2 to 10000: shard:hash(id):8",
        ),
        (
            "sk = '{shard:hash(a):+8}'",
            " at character 22: shard takes the hash of an attribute and a number of shards from 2 to 10000: shard:hash(id):8",
        ),
        (
            "sk = '{shard:hash(a):8:x}'",
            " at character 24: shard takes the hash of an attribute and a number of shards from 2 to 10000: shard:hash(id):8",
        ),
        (
            "sk = '{a:zip}'",
            " at character 10: there is no encoder zip; there are pad, iso, epoch_s, epoch_ms, desc, esc, lower, upper and text",
        ),
        (
            "sk = '{a:esc:zip}'",
            " at character 14: there is no encoder zip; there are pad, iso, epoch_s, epoch_ms, desc, esc, lower, upper and text",
        ),
        (
            "sk = '{a:pad}'",
            " at character 10: the encoder pad takes its digits before the point, and maybe those after it: pad:8 or pad:8.2, 38 at most of each",
        ),
        (
            "sk = '{a:pad:0}'",
            " at character 14: the encoder pad takes its digits before the point, and maybe those after it: pad:8 or pad:8.2, 38 at most of each",
        ),
        (
            "sk = '{a:pad:8.}'",
            " at character 14: the encoder pad takes its digits before the point, and maybe those after it: pad:8 or pad:8.2, 38 at most of each",
        ),
        (
            "sk = '{a:pad:39}'",
            " at character 14: the encoder pad takes its digits before the point, and maybe those after it: pad:8 or pad:8.2, 38 at most of each",
        ),
        (
            "sk = '{a:iso:century}'",
            " at character 14: the encoder iso takes year, month, week, day, hour, minute, s, ms, us or ns",
        ),
        (
            "sk = '{a:iso:s:ms}'",
            " at character 16: the encoder iso takes year, month, week, day, hour, minute, s, ms, us or ns",
        ),
        (
            "sk = '{a:iso:ms:day}'",
            " at character 17: the encoder iso takes year, month, week, day, hour, minute, s, ms, us or ns",
        ),
        ("sk = '{a:epoch_s}'", " at character 10: the encoder epoch_s belongs before iso"),
        (
            "sk = '{a:epoch_s:pad}'",
            " at character 18: the encoder pad belongs elsewhere: iso follows epoch_s and epoch_ms",
        ),
        ("sk = '{a:desc}'", " at character 10: the encoder desc belongs after pad or iso"),
        (
            "sk = '{a:esc:desc}'",
            " at character 14: the encoder desc belongs once, after pad or iso",
        ),
        (
            "sk = '{a:iso:desc:desc}'",
            " at character 19: the encoder desc belongs once, after pad or iso",
        ),
        (
            "sk = '{a:pad:3:esc}'",
            " at character 16: the encoder esc belongs once, last, after a text",
        ),
        ("sk = '{a:esc:lower}'", " at character 14: the encoder lower belongs first"),
        (
            "sk = '{a}{b}'",
            " at character 7: where a ends cannot be told: write a delimiter such as # between it and the next part",
        ),
        (
            "sk = 'X{a:esc}/{b}'",
            " at character 8: esc needs a delimiter that sorts before digits and letters, such as # + , - or ., not '/'",
        ),
        (
            "sk = '{a}' when",
            ", in the condition after when, which begins at character 16: Statement wasn't well formed, can't be processed: Unexpected term",
        ),
        (
            "sk = '{a}' when b = 1 2",
            ", in the condition after when, which begins at character 17: Statement wasn't well formed, can't be processed: Unexpected token after expression",
        ),
        (
            "sk = '{a}' when b = \"US\"",
            " at character 17: the condition compares two attributes: write the text US in single quotes, 'US'",
        ),
        (
            "sk = '{a}' when begins_with(b, US)",
            " at character 17: the condition compares two attributes: write the text US in single quotes, 'US'",
        ),
        (
            "sk = '{a}' when c between 1 and d",
            " at character 17: the condition compares two attributes: write the text d in single quotes, 'd'",
        ),
    ] {
        assert_eq!(refused(text), sentence, "{text}");
    }
    assert_eq!(
        refused(&format!("sk = '{}'", "x".repeat(5000))),
        " at character 1: the text is longer than 4096 bytes"
    );
    assert!(
        refused(&format!("sk = 'a'{}", " else 'b'".repeat(40))).ends_with("more than 32 cases")
    );
    let parts = format!("sk = '{}'", "{a}#".repeat(60));
    assert!(refused(&parts).ends_with("there are more than 64 parts and texts in a template"));
}

fn item() -> Item {
    let number = |text: &str| AttributeValue::N(Number::parse(text).unwrap());
    Item::from_attributes([
        ("status", "OPEN".into()),
        ("city", "New York #1".into()),
        ("email", "Ann@X.io".into()),
        ("created", "2026-11-25T09:30:00+02:00".into()),
        ("at", number("1536019200.5")),
        ("at_ms", number("1536019200500")),
        ("price", number("12.5")),
        ("loss", number("-12.5")),
        ("n", number("42")),
        ("flag", true.into()),
        ("empty", "".into()),
        (
            "address",
            AttributeValue::map([
                ("city", "Omaha".into()),
                ("lines", AttributeValue::list(["1 Main St".into()])),
            ]),
        ),
    ])
}

/// Returns the key, or what there is in place of one.
fn rendered(text: &str) -> String {
    let template = KeyTemplate::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    match template.render(&item(), &Generated::default(), 40) {
        Ok(Rendered::Key(key)) => key,
        Ok(Rendered::NoCase) => "(no case)".to_owned(),
        Ok(Rendered::PartMissing(part)) => format!("(no {part})"),
        Err(fault) => {
            let reason = Reason::DerivedKey { attribute: "k".to_owned(), fault };
            let sentence = hashrange_model::ApiError::new(reason).message().unwrap();
            sentence.rsplit_once("refuses the item: ").unwrap().1.to_owned()
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn keys_are_derived_from_items() {
    for (text, expected) in [
        ("k = 'A'", "A"),
        ("k = \"{status}#x\"", "OPEN#x"),
        ("k = '{ status }''s \"'", "OPEN's \""),
        ("k = '{{{status}}}'", "{OPEN}"),
        ("'a key' = '{status}'", "OPEN"),
        ("k = '{city}'", "New York #1"),
        ("k = '{city:esc}#{n:pad:3}'", "New$20York$20$231#042"),
        ("k = '{city:esc}'", "New York #1"),
        ("k = '{email:lower}#{email:upper}'", "ann@x.io#ANN@X.IO"),
        ("k = '{email:lower:esc}+{email:esc}.'", "ann@x.io+Ann@X/2Eio."),
        ("k = '{n:text}#{status:text}'", "42#OPEN"),
        ("k = '{n:pad:4}{n:pad:4:desc}'", "00429957"),
        ("k = '{price:pad:4.2}#{loss:pad:4.2}'", "0012.50#-9987.49"),
        ("k = '{loss:pad:4.2:desc}'", "~0012.50"),
        ("k = '{created:iso}'", "2026-11-25T07:30:00.000Z"),
        ("k = '{created:iso:day}{n:pad:2}'", "2026-11-2542"),
        ("k = '{created:iso:s:desc}'", "7973-88-74T92:69:99Z"),
        ("k = '{at:epoch_s:iso}'", "2018-09-04T00:00:00.500Z"),
        ("k = '{at_ms:epoch_ms:iso:month}'", "2018-09"),
        ("k = '{empty}#{status}'", "#OPEN"),
        ("k = '{status}' when status in [OPEN, PLACED]", "OPEN"),
        ("k = '{status}' when status in ('OPEN', 'PLACED') and n >= 42", "OPEN"),
        ("k = '{status}' when status in [PLACED]", "(no case)"),
        ("k = '{status}' when attribute_exists(deleted)", "(no case)"),
        ("k = 'A' when status = 'X' else 'B' when n < 5 else '{status}#C'", "OPEN#C"),
        ("k = 'A' WHEN status <> 'else' ELSE 'B'", "A"),
        ("k = 'A' when size(status) between 1 and 4", "A"),
        ("k = '{address.city}#{address.lines[0]}'", "Omaha#1 Main St"),
        ("k = '{address.lines[1]}'", "(no address.lines[1])"),
        ("k = '{address.city.x|none}#{n:pad:2}'", "none#42"),
        (
            "k = '{gone:pad:4.1|7}#{gone:iso:day|9999-12-31}#{gone:lower|None}'",
            "0007.0#9999-12-31#none",
        ),
        ("k = '{gone:pad:3:desc|7}'", "992"),
        ("k = '{status}#{city?}'", "OPEN#New York #1"),
        ("k = '{status}#{gone?}#{city?}'", "OPEN"),
        ("k = '{status}#{n:pad:2?}#apt {gone?} of'", "OPEN#42"),
        ("k = '{gone?}#{status?}'", "it would be empty"),
        ("k = '{created:iso:week}'", "2026-W48"),
        ("k = '{created:iso:week:desc}'", "7973-W51"),
        ("k = '{shard:hash(status):16}#{status}'", "01#OPEN"),
        ("k = '{shard:hash(gone):8}'", "(no shard:hash(gone))"),
        (
            "k = '{shard:hash(flag):8}'",
            "shard:hash(flag) must be a string, a number or binary, not BOOL",
        ),
        ("k = '{ulid()}'", "(no ulid())"),
        // What is missing comes before what is wrong.
        ("k = '{flag}#{gone}'", "(no gone)"),
        ("k = '{flag}#x'", "flag must be a string, not BOOL"),
        ("k = '{n}'", "n must be a string; the encoder pad takes numbers, not N"),
        ("k = '{flag:text}'", "flag must be a string or a number, not BOOL"),
        ("k = '{status:pad:3}'", "status must be a number, not S"),
        (
            "k = '{n:iso}'",
            "n must be a string; the encoders epoch_s and epoch_ms take numbers, not N",
        ),
        ("k = '{status:epoch_s:iso}'", "status must be a number, not S"),
        ("k = '{city}#x'", "city contains the delimiter '#'; the encoder esc would allow it"),
        (
            "k = '{status:iso}'",
            "status is no time in the form of 2026-11-25, 2026-11-25T08:00, 2026-11-25T08:00:00.5+02:00 or 20261125T080000Z",
        ),
        ("k = '{at_ms:epoch_s:iso}'", "at_ms is outside the years 0 to 9999"),
        ("k = '{at_ms:pad:3}'", "at_ms has more than 3 digits before the point"),
        ("k = '{price:pad:3}'", "price is not a whole number"),
        ("k = '{empty}'", "it would be empty"),
        ("k = '{created:iso:ns}{created:iso:ns}'", "it would have more than 40 bytes"),
    ] {
        assert_eq!(rendered(text), expected, "{text}");
    }
}

/// Returns a key's parts as `name=value`, those that are not exact with a `~`.
fn read(text: &str, key: &str) -> Vec<String> {
    let template = KeyTemplate::parse(text).unwrap();
    let print = |value: &AttributeValue| match value {
        AttributeValue::S(text) => format!("'{text}'"),
        other => format!("{other:?}"),
    };
    let readings = template.read(key);
    let printed = readings.iter().map(|reading| {
        let parts = reading.parts.iter().map(|part| {
            let sign = if part.is_exact { "=" } else { "~" };
            format!("{}{sign}{}", part.name, print(&part.value))
        });
        parts.collect::<Vec<_>>().join(" ")
    });
    printed.collect()
}

#[test]
fn keys_are_read_back() {
    let none: [&str; 0] = [];
    for (text, key, expected) in [
        ("k = 'ORDER#{a}#{b}'", "ORDER#1#2#3", &["a='1' b='2#3'"][..]),
        ("k = 'ORDER#{a}#{b}'", "ORDER##", &["a='' b=''"]),
        ("k = 'ORDER#{a}#{b}'", "ORDER#1", &none),
        ("k = 'ORDER#{a}#{b}'", "order#1#2", &none),
        ("k = '{a:esc}#{b:pad:3}'", "New$20York#042", &["a='New York' b=N(42)"]),
        ("k = '{a:esc}#{b:pad:3}'", "New York#042", &none),
        ("k = '{a:esc}#{b:pad:3}'", "x#-957x", &none),
        ("k = '{a:pad:3}{b:pad:2:desc}'", "-95742", &["a=N(-42) b=N(57)"]),
        ("k = '{a:iso:day:desc}#{b:lower}'", "7973-88-74#x", &["a~'2026-11-25' b~'x'"]),
        ("k = '{a:iso:day}#{b:lower}'", "2026-11-31#x", &none),
        ("k = '{a:iso:day}#{b:lower}'", "2026-11-30#X", &none),
        ("k = '{a}#X' else 'X#{b}'", "X#X", &["a='X'", "b='X'"]),
        ("k = '{a}'", "", &none),
        ("k = '{a}#{b?}'", "x", &["a='x'"]),
        ("k = '{a}#{b?}'", "x#y", &["a='x' b='y'"]),
        ("k = '{a}#{b?}'", "x#", &["a='x' b=''"]),
        ("k = '{a:pad:2}-{b?}#{c?}'", "07-y", &["a=N(7) b='y'"]),
        ("k = '{a:pad:2}-{b?}#{c?}'", "07-y#z", &["a=N(7) b='y' c='z'"]),
        ("k = '{a:pad:2}-{b?}#{c?}'", "07x", &none),
        ("k = '{a|none}#{b}'", "none#x", &["a~'none' b='x'"]),
        ("k = '{a|none}#{b}'", "some#x", &["a='some' b='x'"]),
        ("k = '{a.b[0]}#x'", "y#x", &["a.b[0]='y'"]),
        ("k = '{shard:hash(a):16}#{a}'", "15#x", &["shard:hash(a)~N(15) a='x'"]),
        ("k = '{shard:hash(a):16}#{a}'", "16#x", &none),
        (
            "k = '{ulid()}#{a}'",
            "01ARYZ6S41TSV4RRFFQ69G5FAV#x",
            &["ulid()~'01ARYZ6S41TSV4RRFFQ69G5FAV' a='x'"],
        ),
        ("k = '{ulid()}'", "01ARYZ6S41TSV4RRFFQ69G5FAI", &none),
        ("k = '{a:iso:week}#x'", "2026-W53#x", &["a~'2026-W53'"]),
        ("k = '{a:iso:week}#x'", "2025-W53#x", &none),
    ] {
        assert_eq!(read(text, key), expected, "{text} {key}");
    }
}

#[test]
fn generated_parts_are_drawn_once_and_kept() {
    let text = "k = '{status}#{ulid()}#{now:iso:s}#{now:iso:day:desc}#{uuid7()}'";
    let template = KeyTemplate::parse(text).unwrap();
    assert!(template.generates());
    let render = |status: &str, generated: &Generated| {
        let item = Item::from_attributes([("status", status.into())]);
        template.render(&item, generated, 200).unwrap().key().unwrap().to_owned()
    };
    let draw = |now_ms| Some(Draw { now_ms, random: 7 });
    let first = render("OPEN", &Generated { draw: draw(1_469_918_176_385), kept: Vec::new() });
    let rest = "#01ARYZ6S410000000000000007#2016-07-30T22:36:16Z#7983-92-69#01563df3-6481-7000-8000-000000000007";
    assert_eq!(first, format!("OPEN{rest}"));
    let kept = template.generated_in(&first);
    assert_eq!(kept.len(), 4);
    // A later draw changes nothing that the earlier key has.
    let later = Generated { draw: draw(1_700_000_000_000), kept: kept.clone() };
    assert_eq!(render("SENT", &later), format!("SENT{rest}"));
    assert_eq!(render("SENT", &Generated { draw: None, kept }), format!("SENT{rest}"));
    assert!(template.generated_in("OPEN#x").is_empty());
}

#[test]
fn an_owner_says_so() {
    for (text, is_owner, attribute) in [
        ("owns k = 'a'", true, "k"),
        ("OWNS 'a key' = 'a'", true, "a key"),
        ("owns = 'a'", false, "owns"),
        ("owns owns = 'a'", true, "owns"),
        ("k = 'owns'", false, "k"),
    ] {
        let template = KeyTemplate::parse(text).unwrap();
        assert_eq!((template.is_owner(), template.attribute()), (is_owner, attribute), "{text}");
    }
}

#[test]
fn a_template_knows_what_it_names() {
    let text = "  GSI1SK = '{b}#{a.x:esc}#{b:lower}#{ulid()}#{shard:hash(h):4}' when c in [a, d] and size(e.f) > 1 else 'X' ";
    let template = KeyTemplate::parse(text).unwrap();
    assert_eq!(template.attribute(), "GSI1SK");
    assert_eq!(template.names().into_iter().collect::<Vec<_>>(), ["a", "b", "c", "e", "h"]);
    assert_eq!(template.text(), text.trim());
    assert_eq!(KeyTemplate::parse(template.text()).unwrap(), template);
}
