//! Words that are no plain names, because they are reserved.
//!
//! In double quotes every word is a name.

use hashrange_model::error::Malformed;

/// Words that a statement reserves, in order. Source: the keywords of PartiQL's grammar, which are
/// those of SQL-92 and its own, as of the version that got RETURNING. That the service reserves
/// such words: answers of the service, quoted in public reports on `size` and `key`.
const RESERVED: [&str; 245] = [
    "absolute",
    "action",
    "add",
    "all",
    "allocate",
    "alter",
    "and",
    "any",
    "are",
    "as",
    "asc",
    "assertion",
    "at",
    "authorization",
    "avg",
    "bag",
    "begin",
    "between",
    "bit",
    "bit_length",
    "blob",
    "bool",
    "boolean",
    "both",
    "by",
    "cascade",
    "cascaded",
    "case",
    "cast",
    "catalog",
    "char",
    "char_length",
    "character",
    "character_length",
    "check",
    "clob",
    "close",
    "coalesce",
    "collate",
    "collation",
    "column",
    "commit",
    "conflict",
    "connect",
    "connection",
    "constraint",
    "constraints",
    "continue",
    "convert",
    "corresponding",
    "count",
    "create",
    "cross",
    "current",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_user",
    "cursor",
    "date",
    "date_add",
    "date_diff",
    "deallocate",
    "dec",
    "decimal",
    "declare",
    "default",
    "deferrable",
    "deferred",
    "delete",
    "desc",
    "describe",
    "descriptor",
    "diagnostics",
    "disconnect",
    "distinct",
    "do",
    "domain",
    "double",
    "drop",
    "else",
    "end",
    "escape",
    "except",
    "exception",
    "exec",
    "execute",
    "exists",
    "external",
    "extract",
    "false",
    "fetch",
    "first",
    "float",
    "for",
    "foreign",
    "found",
    "from",
    "full",
    "get",
    "global",
    "go",
    "goto",
    "grant",
    "group",
    "having",
    "identity",
    "immediate",
    "in",
    "index",
    "indicator",
    "initially",
    "inner",
    "input",
    "insensitive",
    "insert",
    "int",
    "integer",
    "intersect",
    "interval",
    "into",
    "is",
    "isolation",
    "join",
    "key",
    "language",
    "last",
    "leading",
    "left",
    "let",
    "level",
    "like",
    "limit",
    "list",
    "local",
    "lower",
    "match",
    "max",
    "min",
    "missing",
    "modified",
    "module",
    "names",
    "national",
    "natural",
    "nchar",
    "new",
    "next",
    "no",
    "not",
    "nothing",
    "null",
    "nullif",
    "numeric",
    "octet_length",
    "of",
    "old",
    "on",
    "only",
    "open",
    "option",
    "or",
    "order",
    "outer",
    "output",
    "overlaps",
    "pad",
    "partial",
    "pivot",
    "position",
    "precision",
    "prepare",
    "preserve",
    "primary",
    "prior",
    "privileges",
    "procedure",
    "public",
    "read",
    "real",
    "references",
    "relative",
    "remove",
    "restrict",
    "returning",
    "revoke",
    "right",
    "rollback",
    "rows",
    "schema",
    "scroll",
    "section",
    "select",
    "session",
    "session_user",
    "set",
    "sexp",
    "size",
    "smallint",
    "some",
    "space",
    "sql",
    "sqlcode",
    "sqlerror",
    "sqlstate",
    "string",
    "struct",
    "substring",
    "sum",
    "symbol",
    "system_user",
    "table",
    "temporary",
    "then",
    "time",
    "timestamp",
    "to",
    "trailing",
    "transaction",
    "translate",
    "translation",
    "trim",
    "true",
    "tuple",
    "union",
    "unique",
    "unknown",
    "unpivot",
    "update",
    "upper",
    "usage",
    "user",
    "using",
    "value",
    "values",
    "varchar",
    "varying",
    "view",
    "when",
    "whenever",
    "where",
    "with",
    "work",
    "write",
    "zone",
];

/// Reserved words that are also functions, known to the service or not. Source: PartiQL's grammar.
const FUNCTIONS: [&str; 22] = [
    "avg",
    "bag",
    "bit_length",
    "cast",
    "char_length",
    "character_length",
    "count",
    "date_add",
    "date_diff",
    "exists",
    "extract",
    "list",
    "lower",
    "max",
    "min",
    "octet_length",
    "sexp",
    "size",
    "substring",
    "sum",
    "trim",
    "upper",
];

/// Reserved words that begin or join clauses: in the place of a name such a word is not reported as
/// a keyword, but as the sign of a missing name.
const OF_CLAUSES: [&str; 49] = [
    "all",
    "and",
    "as",
    "asc",
    "at",
    "between",
    "by",
    "case",
    "create",
    "cross",
    "delete",
    "desc",
    "distinct",
    "drop",
    "except",
    "exec",
    "false",
    "for",
    "from",
    "full",
    "group",
    "having",
    "in",
    "inner",
    "insert",
    "intersect",
    "is",
    "join",
    "left",
    "like",
    "limit",
    "missing",
    "not",
    "null",
    "on",
    "or",
    "order",
    "outer",
    "pivot",
    "remove",
    "returning",
    "right",
    "select",
    "set",
    "true",
    "union",
    "update",
    "values",
    "where",
];

/// Words that conditions reserve to be readable at all.
const OF_CONDITIONS: [&str; 42] = [
    "all", "and", "as", "asc", "at", "between", "by", "case", "cross", "delete", "desc",
    "distinct", "exists", "false", "from", "full", "group", "having", "in", "inner", "insert",
    "into", "is", "join", "left", "like", "limit", "missing", "not", "null", "on", "or", "order",
    "outer", "remove", "right", "select", "set", "true", "union", "update", "where",
];

/// Set of reserved words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Words {
    /// Words that statements reserve.
    Statement,
    /// Words that conditions reserve outside of statements.
    Condition,
}

impl Words {
    /// Returns whether a word is a name without quotes.
    pub(super) fn is_name(self, word: &str) -> bool {
        match self {
            Self::Statement => !is_reserved(word),
            Self::Condition => !contains(&OF_CONDITIONS, word),
        }
    }

    /// Returns whether a word before a parenthesis is a function's name.
    pub(super) fn may_be_called(self, word: &str) -> bool {
        match self {
            Self::Statement => self.is_name(word) || contains(&FUNCTIONS, word),
            Self::Condition => !word.eq_ignore_ascii_case("in"),
        }
    }

    /// Returns the fault of a reserved word in the place of a value or path.
    pub(super) fn refusal(self, word: &str) -> Malformed {
        match self {
            Self::Statement if !self.is_name(word) && !contains(&OF_CLAUSES, word) => {
                Malformed::Keyword
            }
            Self::Statement | Self::Condition => Malformed::Term,
        }
    }
}

/// Returns whether statements take a word as a name only in double quotes.
pub fn is_reserved(word: &str) -> bool {
    contains(&RESERVED, word)
}

/// Looks a word up in a sorted list of words in small letters.
fn contains(words: &[&str], word: &str) -> bool {
    let small = word.bytes().map(|byte| byte.to_ascii_lowercase());
    words.binary_search_by(|known| known.bytes().cmp(small.clone())).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_order() {
        for words in [&RESERVED[..], &FUNCTIONS, &OF_CLAUSES, &OF_CONDITIONS] {
            assert!(words.is_sorted());
            assert!(words.iter().all(|word| is_reserved(word)));
        }
    }

    #[test]
    fn words_are_told_in_whatever_letters() {
        for word in ["size", "Date", "KEY", "user", "value", "missing", "bag"] {
            assert!(is_reserved(word), "{word}");
        }
        for word in ["name", "status", "year", "type", "sizes", "ke", "", "contains", "begins_with"]
        {
            assert!(!is_reserved(word), "{word}");
        }
    }
}
