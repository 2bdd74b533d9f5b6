//! Properties: items survive the way through JSON, every operation is read and written, and no
//! bytes make the parser panic.
#![expect(clippy::format_collect, reason = "long requests are made once")]

use hashrange_model::{AttributeValue, Item, Number};
use hashrange_wire::check::check;
use hashrange_wire::{
    Call, DecodedItem, Encode, Operation, PutItemInput, QueryOutput, calls, decode, exceptions,
    syntax_check, with_call,
};

/// A small generator, so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).expect("31 bits fit") % bound
    }

    fn text(&mut self) -> String {
        const LETTERS: [char; 12] =
            ['a', 'Z', '"', '\\', '\n', '\u{0}', '\u{1F}', 'é', '😀', '/', '\u{7F}', ' '];
        let length = self.below(20);
        (0..length).map(|_| LETTERS[self.below(LETTERS.len())]).collect()
    }

    fn number(&mut self) -> Number {
        let sign = ["", "-"][self.below(2)];
        let (digits, exponent) = (self.next() >> self.below(60), self.below(240));
        let text = format!("{sign}{digits}e{}", i64::try_from(exponent).expect("small") - 130);
        Number::parse(&text).unwrap_or_else(|_| Number::from(7))
    }

    fn bytes(&mut self) -> Vec<u8> {
        let length = self.below(10);
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    fn value(&mut self, level: usize) -> AttributeValue {
        match self.below(if level < 5 { 10 } else { 8 }) {
            0 => self.text().into(),
            1 => self.number().into(),
            2 => AttributeValue::B(self.bytes().into()),
            3 => (self.below(2) == 0).into(),
            4 => AttributeValue::Null,
            5 => AttributeValue::string_set((0..=self.below(4)).map(|_| self.text())),
            6 => AttributeValue::number_set((0..=self.below(4)).map(|_| self.number())),
            7 => AttributeValue::binary_set((0..=self.below(4)).map(|_| self.bytes())),
            8 => AttributeValue::list((0..self.below(4)).map(|_| self.value(level + 1))),
            _ => AttributeValue::M(
                (0..self.below(4)).map(|_| (self.name(), self.value(level + 1))).collect(),
            ),
        }
    }

    fn name(&mut self) -> String {
        format!("n{}", self.text())
    }

    fn item(&mut self) -> Item {
        let attributes: Vec<(String, AttributeValue)> =
            (0..self.below(8)).map(|_| (self.name(), self.value(1))).collect();
        Item::from_attributes(attributes.iter().map(|(name, value)| (&**name, value.clone())))
    }
}

fn to_json<T: Encode>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    value.encode(&mut out);
    out
}

#[test]
fn items_survive_the_way_through_json() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for nth in 0..3000 {
        let item = random.item();
        let json = to_json(&item);
        let decoded = decode::<DecodedItem>(&json).expect("what was written can be read").value;
        assert_eq!(decoded.fault, None, "item {nth}");
        assert_eq!(decoded.item, item, "item {nth}: {}", String::from_utf8_lossy(&json));
        assert_eq!(to_json(&decoded.item), json, "item {nth}");
    }
}

#[test]
fn every_operation_is_read_and_written() {
    fn read_empty<C: Call>() {
        assert!(decode::<C::Input<'_>>(b"{}").is_ok(), "{}", C::OPERATION.name());
    }
    fn written<T: Encode + Default>() -> Vec<u8> {
        to_json(&T::default())
    }
    for &operation in Operation::ALL {
        with_call!(operation, C => read_empty::<C>());
        let body = with_call!(operation, C => written::<<C as Call>::Output>());
        let is_empty = matches!(operation, Operation::TagResource | Operation::UntagResource);
        assert_eq!(body, if is_empty { &b""[..] } else { b"{}" }, "{}", operation.name());
    }
}

#[test]
fn every_call_names_its_operation() {
    for &operation in Operation::ALL {
        assert_eq!(with_call!(operation, C => <C as Call>::OPERATION), operation);
    }
    assert_eq!(calls::PutItem::OPERATION, Operation::PutItem);
}

#[test]
fn responses_are_written_as_the_service_writes_them() {
    let item = Item::from_attributes([("pk", "a\"b".into()), ("n", 1.into())]);
    let page = QueryOutput {
        items: Some(vec![item.clone(), Item::empty()]),
        count: Some(2),
        consumed_capacity: Some(hashrange_wire::ConsumedCapacity {
            table_name: Some("T".to_owned()),
            capacity_units: Some(0.5),
            read_capacity_units: Some(1.0),
            ..hashrange_wire::ConsumedCapacity::default()
        }),
        ..QueryOutput::default()
    };
    assert_eq!(
        String::from_utf8(to_json(&page)).expect("JSON is UTF-8"),
        r#"{"Items":[{"n":{"N":"1"},"pk":{"S":"a\"b"}},{}],"Count":2,"ConsumedCapacity":{"TableName":"T","CapacityUnits":0.5,"ReadCapacityUnits":1.0}}"#
    );
    let failed = exceptions::ConditionalCheckFailedException {
        message: Some("The conditional request failed".to_owned()),
        item: Some(item),
    };
    assert_eq!(
        String::from_utf8(to_json(&failed)).expect("JSON is UTF-8"),
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed","Item":{"n":{"N":"1"},"pk":{"S":"a\"b"}}}"#
    );
    let table = hashrange_wire::TableDescription {
        creation_date_time: Some(1_700_000_000.123),
        item_count: Some(-5),
        ..hashrange_wire::TableDescription::default()
    };
    assert_eq!(to_json(&table), br#"{"CreationDateTime":1700000000.123,"ItemCount":-5}"#);
}

#[test]
fn a_request_reads_back_as_written() {
    let request = PutItemInput {
        table_name: Some("Tab".into()),
        item: Some(Item::from_attributes([("pk", "a".into())]).into()),
        return_values: Some(hashrange_wire::ReturnValue::AllOld),
        expression_attribute_names: Some([("#a".into(), "a".into())].into_iter().collect()),
        ..PutItemInput::default()
    };
    let body = to_json(&request);
    let decoded = decode::<PutItemInput<'_>>(&body).expect("what was written can be read");
    assert_eq!(decoded.value, request);
    assert!(!decoded.suspect);
}

const BODIES: [(Operation, &str); 4] = [
    (
        Operation::PutItem,
        r#"{"TableName":"Tab","Item":{"pk":{"S":"a\u00e9\n"},"n":{"N":"-1.5e3"},"b":{"B":"aQ=="},
            "l":{"L":[{"M":{"x":{"NULL":true}}},{"BOOL":false}]},"s":{"NS":["1","2"]}},
            "ReturnValues":"ALL_OLD"}"#,
    ),
    (
        Operation::TransactWriteItems,
        r#"{"ClientRequestToken":"t","TransactItems":[{"Update":{"TableName":"Tab","Key":{"pk":
            {"S":"a"}},"UpdateExpression":"SET a = :v","ExpressionAttributeValues":{":v":
            {"SS":["a","b"]}}}},{"Delete":{"TableName":"Tab","Key":{"pk":{"BS":["aQ=="]}}}}]}"#,
    ),
    (
        Operation::BatchWriteItem,
        r#"{"RequestItems":{"Tab":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},
            {"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]},"ReturnConsumedCapacity":"TOTAL"}"#,
    ),
    (
        Operation::CreateTable,
        r#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],
            "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"ProvisionedThroughput":
            {"ReadCapacityUnits":1,"WriteCapacityUnits":1.5},"Tags":[null]}"#,
    ),
];

#[test]
fn no_bytes_make_the_parser_panic() {
    fn is_read<C: Call>(body: &[u8]) -> bool {
        decode::<C::Input<'_>>(body).is_ok()
    }
    let alphabet = b"{}[]\",:\\u0019eE+-.ntfalsrTSNBLM \xC3\xA9\xFF\x00";
    let mut random = Random(42);
    for nth in 0..20_000 {
        let (operation, body) = BODIES[nth % BODIES.len()];
        let mut body = body.as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(body.len());
            let byte = alphabet[random.below(alphabet.len())];
            match random.below(4) {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                2 => drop(body.remove(at)),
                _ => body.truncate(at.max(8)),
            }
        }
        let is_well_formed = syntax_check(&body).is_ok();
        let is_read = with_call!(operation, C => is_read::<C>(&body));
        assert!(is_well_formed || !is_read, "{}", String::from_utf8_lossy(&body));
        // Only that it ends is of interest: its messages have a test of their own.
        drop(check(operation, &body));
    }
}

#[test]
fn hostile_nesting_and_repetition_end_quickly() {
    let nested =
        |opening: &str, count: usize| format!("{{\"Item\":{{\"a\":{}", opening.repeat(count));
    for body in
        [nested("{\"L\":[", 500_000), nested("{\"M\":{\"a\":", 500_000), "[".repeat(1 << 20)]
    {
        assert!(decode::<PutItemInput<'_>>(body.as_bytes()).is_err());
        assert!(syntax_check(body.as_bytes()).is_err());
    }
    let names: String = (0..200_000).map(|nth| format!("\"#{}\":\"a\",", nth % 150_000)).collect();
    let body = format!("{{\"ExpressionAttributeNames\":{{{names}\"#x\":\"b\"}}}}");
    let decoded = decode::<PutItemInput<'_>>(body.as_bytes()).expect("it is well-formed").value;
    assert_eq!(decoded.expression_attribute_names.map(|names| names.len()), Some(150_001));
}
