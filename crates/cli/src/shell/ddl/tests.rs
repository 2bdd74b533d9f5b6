//! Messages about definitions that cannot be read.

use super::parse;

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn what_is_wrong_is_said_with_its_place() {
    let cases = [
        ("CREATE TABLE", "character 13: expected the table's name, not the end"),
        (
            "CREATE TABLE 't' (pk S) PRIMARY KEY (pk)",
            "character 14: a name stands as it is, or in double quotes; single quotes \
             are for text",
        ),
        (
            "CREATE TABLE t (pk INT) PRIMARY KEY (pk)",
            "character 20: expected a type: S (text), N (number) or B (binary), not `INT`",
        ),
        (
            "CREATE TABLE t (pk S)",
            "character 22: a table needs PRIMARY KEY (partition) or PRIMARY KEY \
             (partition, sort)",
        ),
        (
            "CREATE TABLE t (pk S,\n  name S)\nPRIMARY KEY (pk)",
            "line 3 of the statement, character 17: name is in no key: only key attributes are declared, items \
             may have any others",
        ),
        (
            "CREATE TABLE t (pk S) PRIMARY KEY (pk, sk)",
            "character 43: the type of the key attribute sk is not declared",
        ),
        (
            "CREATE TABLE t (pk S, pk N) PRIMARY KEY (pk)",
            "character 27: pk is declared as S and as N",
        ),
        (
            "CREATE TABLE t (pk S PRIMARY KEY) PRIMARY KEY (pk)",
            "character 47: the primary key is named twice",
        ),
        (
            "CREATE TABLE t (pk S) PRIMARY KEY (pk) STREAM (ALL)",
            "character 48: expected NEW AND OLD IMAGES, NEW IMAGE, OLD IMAGE or KEYS \
             ONLY, not `ALL`",
        ),
        (
            "CREATE TABLE t (pk S) PRIMARY KEY (pk) BILLING PROVISIONED (1)",
            "character 63: units are two numbers: (read, write)",
        ),
        (
            "CREATE TABLE t (pk S) PRIMARY KEY (pk) BILLING PROVISIONED (1, x)",
            "character 64: expected a number of units, not `x`",
        ),
        (
            "CREATE TABLE t (pk S) PRIMARY KEY (pk) TTL OFF",
            "character 44: expected `(` and the attribute with the time, not `OFF`",
        ),
        (
            "CREATE TABLE t (pk S, a S) LSI l (a) PRIMARY KEY (pk)",
            "character 38: PRIMARY KEY stands before LSI, which has its partition key",
        ),
        (
            "CREATE INDEX i ON t (a)",
            "character 1: an index is added with ALTER TABLE table ADD GSI name (key, ...)",
        ),
        (
            "DROP DATABASE x",
            "character 1: only tables are created, altered and dropped: CREATE TABLE, \
             ALTER TABLE, DROP TABLE",
        ),
        ("DROP TABLE a b", "character 14: expected the end of the statement, not `b`"),
        (
            "ALTER TABLE t RENAME x",
            "character 15: expected ADD GSI, DROP GSI, SET BILLING, SET STREAM, SET TTL \
             or SET DELETION PROTECTION, not `RENAME`",
        ),
        ("ALTER TABLE t ADD GSI i (", "character 26: expected a key attribute, not the end"),
    ];
    for (statement, expected) in cases {
        let fault = parse(statement).map_err(|fault| fault.to_string());
        assert_eq!(fault.err().as_deref(), Some(expected), "{statement}");
    }
}

#[test]
fn long_words_are_cut_in_messages() {
    let fault = parse(&format!("DROP TABLE a {}", "x".repeat(9000))).map_err(|it| it.problem);
    assert!(fault.is_err_and(|problem| problem.len() < 100));
}
