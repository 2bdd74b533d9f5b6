"""PartiQL: statements, parameters, pages, batches with partial failures, transactions with EXISTS."""

import pytest

import tables
from api import CONDITION_FAILED, IPV, NOT_FOUND, Has
from values import av, item, plain_item, plain_items

MALFORMED = "Statement wasn't well formed, can't be processed: "
DUPLICATE = "Duplicate primary key exists in table"


def run(api, statement, *parameters, **more):
    if parameters:
        more["Parameters"] = [av(one) for one in parameters]
    return api("ExecuteStatement", Statement=statement, **more)


def rows(api, statement, *parameters, **more):
    return plain_items(run(api, statement, *parameters, **more)["Items"])


def pages(api, **request):
    """Yields the pages of a statement, following NextToken."""
    while True:
        page = api("ExecuteStatement", **request)
        yield page
        if "NextToken" not in page:
            return
        request["NextToken"] = page["NextToken"]


@pytest.fixture(scope="module")
def numbers(api, make):
    """pk "p" with sk 0..19, neighbours in other partitions; an index by the other key."""
    table = make("pk:S / sk:N", gsi={"by_x": "x:S / sk:N => KEYS_ONLY"})
    tables.fill(api, table, [item(pk="p", sk=nth, even=nth % 2 == 0, x=f"x{nth % 3}") for nth in range(20)])
    tables.fill(api, table, [item(pk=other, sk=5) for other in ("o", "q", "it's")])
    return table


@pytest.mark.parametrize(
    "where, parameters, wanted",
    [
        ("pk = 'p' AND sk = 5", [], [5]),
        ("pk = ? AND sk = ?", ["p", 5], [5]),
        ("pk = ? AND sk > ?", ["p", 16], [17, 18, 19]),
        ("pk = ? AND sk BETWEEN ? AND ?", ["p", 3, 5], [3, 4, 5]),
        ("pk = 'p' AND sk IN [1, 19, 7]", [], [1, 7, 19]),
        ("pk = 'p' AND (sk < 2 OR sk >= 18)", [], [0, 1, 18, 19]),
        ("pk = 'p' AND even = true AND sk < 6", [], [0, 2, 4]),
        ("pk = 'p' AND NOT even = false AND sk < 6", [], [0, 2, 4]),
        ("pk = 'it''s'", [], [5]),
        ("pk IN ['o', 'nobody', 'q']", [], [5, 5]),
        ("pk = 'p' AND begins_with(x, 'x0') AND sk < 7", [], [0, 3, 6]),
        ("pk = 'p' AND x IS MISSING", [], []),
        ("pk = 'nobody'", [], []),
    ],
)
def test_where(api, numbers, where, parameters, wanted):
    found = rows(api, f'SELECT sk FROM "{numbers}" WHERE {where}', *parameters)
    assert [one["sk"] for one in found] == wanted


def test_order_and_index(api, numbers):
    found = rows(api, f"SELECT sk FROM \"{numbers}\" WHERE pk = 'p' ORDER BY sk DESC")
    assert [one["sk"] for one in found] == list(range(19, -1, -1))
    found = rows(api, f'SELECT pk, sk FROM "{numbers}"."by_x" WHERE x = ? AND sk > 10', "x1")
    assert [one["sk"] for one in found] == [13, 16, 19]
    statement = f'SELECT even FROM "{numbers}"."by_x" WHERE x = \'x1\''
    api.invalid(IPV + "Global secondary index by_x does not project [even]", "ExecuteStatement", Statement=statement)


def test_scan_filters(api, numbers):
    assert len(rows(api, f'SELECT * FROM "{numbers}"')) == 23
    assert len(rows(api, f'SELECT * FROM "{numbers}" WHERE sk = 5')) == 4


@pytest.mark.parametrize("limit", [1, 3, 20, 100])
@pytest.mark.parametrize("order", ["", " ORDER BY sk DESC"])
def test_pages_of_one_partition(api, numbers, limit, order):
    statement = f'SELECT sk FROM "{numbers}" WHERE pk = ? AND sk >= ?{order}'
    request = {"Statement": statement, "Parameters": [av("p"), av(4)], "Limit": limit}
    found = [one["sk"] for page in pages(api, **request) for one in plain_items(page["Items"])]
    assert found == sorted(range(4, 20), reverse=bool(order))


def test_pages_of_several_partitions_and_of_a_scan(api, numbers):
    statement = f"SELECT pk, sk FROM \"{numbers}\" WHERE pk IN ['q', 'p', 'o']"
    read = list(pages(api, Statement=statement, Limit=4))
    found = [(one["pk"], one["sk"]) for page in read for one in plain_items(page["Items"])]
    assert found == [("q", 5), *(("p", nth) for nth in range(20)), ("o", 5)]
    assert all(len(page["Items"]) <= 4 for page in read)
    scanned = [one for page in pages(api, Statement=f'SELECT * FROM "{numbers}"', Limit=7) for one in page["Items"]]
    assert len(scanned) == 23


def test_pages_of_several_partitions_have_ten_items_at_most(api, simple):
    keys = [f"{'k' * (nth % 3 + 1)}{nth}" for nth in range(25)]
    tables.fill(api, simple, [item(pk=key) for key in keys])
    marks = ", ".join("?" * len(keys))
    statement = f'SELECT pk FROM "{simple}" WHERE pk IN [{marks}]'
    request = {"Parameters": [av(key) for key in keys], "Limit": 20}
    read = [plain_items(page["Items"]) for page in pages(api, Statement=statement, **request)]
    assert [len(page) for page in read] == [10, 10, 5]
    assert [one["pk"] for page in read for one in page] == keys
    read = [plain_items(page["Items"]) for page in pages(api, Statement=statement + " ORDER BY pk DESC", **request)]
    assert [one["pk"] for page in read for one in page] == sorted(keys, reverse=True)
    ten = f'SELECT pk FROM "{simple}" WHERE pk IN [{", ".join("?" * 10)}]'
    assert "NextToken" not in run(api, ten, *keys[:10])


def test_local_index_with_a_filter_on_what_it_does_not_hold(api, make):
    table = make("pk:S / sk:N", lsi={"by_x": "pk:S / x:S => KEYS_ONLY"})
    tables.fill(api, table, [item(pk="p", sk=1, x="x", a=1)])
    found = rows(api, f"SELECT a FROM \"{table}\".\"by_x\" WHERE pk = 'p' AND x = 'x'")
    assert found == [{"a": 1}]
    api.invalid(Has("does not project one or more filter attributes: [a]"), "ExecuteStatement",
                Statement=f"SELECT sk FROM \"{table}\".\"by_x\" WHERE pk = 'p' AND a = 1")
    assert rows(api, f'SELECT sk FROM "{table}"."by_x" WHERE a = 1') == []


def test_statements_of_the_developer_guide(api, make):
    music = make("Artist:S / SongTitle:S")
    where = "WHERE Artist='Acme Band' AND SongTitle='PartiQL Rocks'"
    for statement, found in [
        ("INSERT INTO \"{t}\" value {'Artist' : 'Acme Band','SongTitle' : 'PartiQL Rocks'}", None),
        ("UPDATE \"{t}\" SET AwardsWon=1 SET AwardDetail={'Grammys':[2020, 2018]} {w}", None),
        ("UPDATE \"{t}\" SET AwardDetail.Grammys =list_append(AwardDetail.Grammys,[2016]) {w} RETURNING MODIFIED NEW *",
         [{"AwardDetail": {"Grammys": [2020, 2018, 2016]}}]),
        ("UPDATE \"{t}\" REMOVE AwardDetail.Grammys[2] {w} RETURNING MODIFIED OLD *", [{"AwardDetail": {"Grammys": [2016]}}]),
        ("UPDATE \"{t}\" SET BandMembers =<<'member1', 'member2'>> {w}", None),
        ("UPDATE \"{t}\" SET BandMembers =set_add(BandMembers, <<'newmember'>>) {w}", None),
        ("UPDATE \"{t}\" SET AwardsWon = AwardsWon + 1 SET BandMembers =SET_DELETE(BandMembers, <<'member1'>>) {w} "
         "RETURNING ALL NEW *",
         [{"Artist": "Acme Band", "SongTitle": "PartiQL Rocks", "AwardsWon": 2, "AwardDetail": {"Grammys": [2020, 2018]},
           "BandMembers": {"member2", "newmember"}}]),
        ("SELECT SongTitle FROM \"{t}\" WHERE \"Awards\" is MISSING", [{"SongTitle": "PartiQL Rocks"}]),
        ("SELECT SongTitle FROM \"{t}\" WHERE attribute_type(\"Artist\", 'S')", [{"SongTitle": "PartiQL Rocks"}]),
        ("SELECT AwardsWon FROM \"{t}\" WHERE \"Artist\"='Acme Band' AND size(\"BandMembers\") >1", [{"AwardsWon": 2}]),
        ("SELECT AwardsWon FROM \"{t}\" WHERE \"Artist\"='Acme Band' AND contains(\"SongTitle\", 'QL')", [{"AwardsWon": 2}]),
        ("SELECT AwardsWon FROM \"{t}\" WHERE AwardDetail.Grammys[0] >= 2020", [{"AwardsWon": 2}]),
        ("DELETE FROM \"{t}\" {w} RETURNING ALL OLD *",
         [{"Artist": "Acme Band", "SongTitle": "PartiQL Rocks", "AwardsWon": 2, "AwardDetail": {"Grammys": [2020, 2018]},
           "BandMembers": {"member2", "newmember"}}]),
    ]:
        text = statement.replace("{t}", music).replace("{w}", where)
        assert rows(api, text) == (found or []), text


def test_next_token_belongs_to_its_statement(api, numbers):
    statement = f'SELECT sk FROM "{numbers}" WHERE pk = ?'
    page = run(api, statement, "p", Limit=2)
    assert page["LastEvaluatedKey"] == item(pk="p", sk=1)
    token = page["NextToken"]
    mismatch = "NextToken does not match request"
    api.invalid(mismatch, "ExecuteStatement", Statement=statement, Parameters=[av("q")], NextToken=token)
    api.invalid(mismatch, "ExecuteStatement", Statement=statement + " ", Parameters=[av("p")], NextToken=token)
    for damaged in ("x", token[:-4], token[:10] + ("A" if token[10] != "A" else "B") + token[11:]):
        api.invalid("Invalid NextToken", "ExecuteStatement", Statement=statement, Parameters=[av("p")], NextToken=damaged)


def test_capacity_is_that_of_the_equivalent_operation(api, numbers):
    key = item(pk="p", sk=5)
    for consistent in (False, True):
        more = {"ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"}
        get = api("GetItem", TableName=numbers, Key=key, **more)
        statement = run(api, f'SELECT * FROM "{numbers}" WHERE pk = ? AND sk = ?', "p", 5, **more)
        assert statement["ConsumedCapacity"] == get["ConsumedCapacity"]
        assert statement["Items"] == [get["Item"]]


def test_writes(api, sorted_table, pk):
    into = f'"{sorted_table}"'
    assert run(api, f"INSERT INTO {into} VALUE {{'pk': ?, 'sk': 1, 'tags': <<'a'>>, 'l': [1]}}", pk)["Items"] == []
    api.refuses("DuplicateItemException", DUPLICATE, "ExecuteStatement",
                Statement=f"INSERT INTO {into} VALUE {{'pk': ?, 'sk': 1}}", Parameters=[av(pk)])
    where = "WHERE pk = ? AND sk = 1"
    changed = rows(api, f"UPDATE {into} SET n = 1 SET tags = set_add(tags, <<'b'>>) SET l = list_append(l, [2]) "
                        f"{where} RETURNING MODIFIED NEW *", pk)
    assert changed == [{"n": 1, "tags": {"a", "b"}, "l": [1, 2]}]
    old = rows(api, f"UPDATE {into} SET n = n + ? REMOVE l[0] {where} RETURNING ALL OLD *", 41, pk)
    assert old == [{"pk": pk, "sk": 1, **changed[0]}]
    failed = api.refuses(CONDITION_FAILED, "The conditional request failed", "ExecuteStatement",
                         Statement=f"UPDATE {into} SET n = 0 {where} AND n = 41", Parameters=[av(pk)],
                         ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert plain_item(failed["Item"])["n"] == 42
    assert rows(api, f"DELETE FROM {into} {where} AND n = ? RETURNING ALL OLD *", pk, 42) == [
        {"pk": pk, "sk": 1, "n": 42, "tags": {"a", "b"}, "l": [2]}
    ]
    assert run(api, f"DELETE FROM {into} {where}", pk, Limit=1, ConsistentRead=True)["Items"] == []
    api.refuses(CONDITION_FAILED, "The conditional request failed", "ExecuteStatement",
                Statement=f"UPDATE {into} SET n = 0 {where}", Parameters=[av(pk)])


@pytest.mark.parametrize(
    "statement, message",
    [
        ("nonsense", MALFORMED + "Expected data manipulation"),
        ("SELECT * FROM {t} WHERE pk = 'a' extra", MALFORMED + "Unexpected token after expression"),
        ("SELECT * FROM {t} t", "Aliasing is not supported"),
        ("SELECT COUNT(*) FROM {t}", "Unexpected path component at 1:8:5"),
        ("SELECT * FROM {t} WHERE sk < true",
         "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"),
        ("UPDATE {t} SET a = 1 WHERE pk = 'a'",
         "Where clause does not contain a mandatory equality on all key attributes"),
        ("SELECT * FROM {t} WHERE pk = 'a' || 'b'", MALFORMED + "Unexpected token after expression"),
        ("UPDATE {t} SET a = a / 2 WHERE pk = 'a' AND sk = 1", MALFORMED + "Unexpected token after expression"),
        ("INSERT INTO {t} VALUE {'pk': 'a', 'sk': missing}", Has("Unsupported data type: missing under key root at 1:")),
        ("INSERT INTO {t} VALUE {'pk': 'a', 'sk': 1,}", MALFORMED + "Unexpected term"),
        ("SELECT * FROM {t} WHERE pk = ?", Has("parameters")),
        ("SELECT * FROM " + "(" * 4000, Has(MALFORMED)),
        ("SELECT * FROM {t} WHERE " + "(" * 4000, Has("nested too deeply")),
        ("SELECT * FROM {t} WHERE a = " + "[" * 4000, Has("nested too deeply")),
        ("SELECT * FROM {t} WHERE " + "NOT " * 2000, MALFORMED + "Unexpected term"),
    ],
)
def test_faults(api, numbers, statement, message):
    api.invalid(message, "ExecuteStatement", Statement=statement.replace("{t}", f'"{numbers}"'))


def test_unknown_table(api):
    api.refuses(NOT_FOUND, "Requested resource not found", "ExecuteStatement", Statement="SELECT * FROM nowhere")


def test_batch_writes_fail_apart(api, sorted_table, pk):
    into = f'"{sorted_table}"'
    insert = {"Statement": f"INSERT INTO {into} VALUE {{'pk': ?, 'sk': ?}}"}
    api("BatchExecuteStatement", Statements=[insert | {"Parameters": [av(pk), av(nth)]} for nth in range(3)])
    answer = api(
        "BatchExecuteStatement",
        Statements=[
            insert | {"Parameters": [av(pk), av(0)]},
            insert | {"Parameters": [av(pk), av(7)]},
            {"Statement": f"UPDATE {into} SET n = 1 WHERE pk = ? AND sk = 1 AND n = 5", "Parameters": [av(pk)]},
            {"Statement": f"DELETE FROM {into} WHERE pk = ? AND sk = 2", "Parameters": [av(pk)]},
            {"Statement": f"DELETE FROM {into} WHERE pk = ?", "Parameters": [av(pk)]},
            {"Statement": "garbage"},
        ],
        ReturnConsumedCapacity="TOTAL",
    )
    codes = [one.get("Error", {}).get("Code") for one in answer["Responses"]]
    assert codes == ["DuplicateItem", None, "ConditionalCheckFailed", None, "ValidationError", "ValidationError"]
    assert answer["ConsumedCapacity"] == [{"TableName": sorted_table, "CapacityUnits": 4.0}]
    assert [one["sk"] for one in rows(api, f"SELECT sk FROM {into} WHERE pk = ?", pk)] == [0, 1, 7]


def test_batch_reads(api, numbers):
    statements = [
        {"Statement": f'SELECT sk FROM "{numbers}" WHERE pk = ? AND sk = ?', "Parameters": [av("p"), av(nth)]}
        for nth in (3, 99)
    ]
    answer = api("BatchExecuteStatement", Statements=statements + [{"Statement": f'SELECT * FROM "{numbers}"'}])
    found, absent, refused = answer["Responses"]
    assert found == {"TableName": numbers, "Item": item(sk=3)} and absent == {"TableName": numbers}
    assert refused["Error"]["Code"] == "ValidationError"
    mixed = statements[:1] + [{"Statement": f"DELETE FROM \"{numbers}\" WHERE pk = 'p' AND sk = 1"}]
    api.invalid("Read and write requests together in the same batch is not supported.",
                "BatchExecuteStatement", Statements=mixed)
    api.invalid("Provided list of item keys contains duplicates", "BatchExecuteStatement", Statements=statements[:1] * 2)


def test_transaction_with_exists(api, sorted_table, pk):
    into = f'"{sorted_table}"'
    statements = [
        {"Statement": f"INSERT INTO {into} VALUE {{'pk': ?, 'sk': 1}}", "Parameters": [av(pk)]},
        {"Statement": f"EXISTS(SELECT * FROM {into} WHERE pk = ? AND sk = 0 AND \"open\" = true)", "Parameters": [av(pk)]},
    ]
    canceled = api.fails("ExecuteTransaction", TransactStatements=statements)
    assert canceled["Error"]["Code"] == "TransactionCanceledException"
    assert [one["Code"] for one in canceled["CancellationReasons"]] == ["None", "ConditionalCheckFailed"]
    assert rows(api, f"SELECT * FROM {into} WHERE pk = ?", pk) == []
    run(api, f"INSERT INTO {into} VALUE {{'pk': ?, 'sk': 0, 'open': true}}", pk)
    for _ in range(2):
        done = api("ExecuteTransaction", TransactStatements=statements, ClientRequestToken=pk[:36])
        assert done["Responses"] == []
    canceled = api.fails("ExecuteTransaction", TransactStatements=statements)
    assert [one["Code"] for one in canceled["CancellationReasons"]] == ["DuplicateItem", "None"]
    read = [
        {"Statement": f"SELECT sk FROM {into} WHERE pk = ? AND sk = ?", "Parameters": [av(pk), av(nth)]} for nth in (0, 1, 2)
    ]
    assert api("ExecuteTransaction", TransactStatements=read)["Responses"] == [{"Item": item(sk=0)}, {"Item": item(sk=1)}, {}]
