//! Items, values and expressions as people write them:
//! `country = 'NL' and begins_with(place, '07#')`.
//!
//! The short calls ([`Database::query`](crate::Database::query) and the others) and the command
//! line take such texts; programs can parse their users' texts with this module.
//!
//! # Values
//!
//! | written | type |
//! |---|---|
//! | `"text"`, `'text'` | S; escapes as in JSON in the first form, `''` for `'` in the second |
//! | `12`, `-1.5e3` | N, exact |
//! | `b"aGk="` | B, in base64 |
//! | `true`, `false`, `null` | BOOL, NULL |
//! | `[1, "a"]`, `{"a": 1, b: 2}` | L, M |
//! | `<<"a", "b">>`, `<<1, 2>>`, `<<b"aGk=">>` | SS, NS, BS |
//!
//! # Expressions
//!
//! DynamoDB's own, with values in place. Keywords may be written in small letters. A name of
//! letters, digits and `_` stands for itself, even a reserved word; any other goes in backquotes:
//! `` `first name` ``.

mod expression;
mod literal;

pub use expression::Placeholders;
pub use literal::{TextFault, parse_item, parse_value};
