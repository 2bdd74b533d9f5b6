//! DynamoDB's expressions: conditions, filters, key conditions, projections and updates, parsed,
//! checked and evaluated over the binary form of items; and the legacy parameters, which compile
//! to the very same forms.
//!
//! A request makes one [`Placeholders`], compiles its expressions against it in the service's
//! order (update, condition, key condition, filter, projection) and ends with
//! [`Placeholders::check_all_used`]. Compiling finds every fault that needs no item and no table;
//! a compiled expression owns all it needs.
//!
//! ```
//! use hashrange_expr::{Placeholders, condition, update};
//! use hashrange_model::error::{ExpressionKind, Reason};
//! use hashrange_model::{AttributeValue, Item};
//!
//! let stored = Item::from_attributes([("pk", "a".into()), ("visits", 1.into())]);
//! let one = AttributeValue::from(1).to_value();
//! let mut placeholders = Placeholders::new(Some([("#v", "visits")]), Some([(":one", &one)]))?;
//! let update = update("SET #v = #v + :one", &mut placeholders)?;
//! let condition = condition(ExpressionKind::Condition, "#v < :one", &mut placeholders)?;
//! placeholders.check_all_used()?;
//! assert!(!condition.matches(&stored));
//! assert_eq!(
//!     update.apply(&stored)?,
//!     Item::from_attributes([("pk", "a".into()), ("visits", 2.into())])
//! );
//! # Ok::<(), Reason>(())
//! ```
//!
//! PartiQL statements are lowered to the same forms by [`partiql`]. Every form prints itself back
//! as text (`Display`), with names and values in the place of placeholders. [`KeyTemplate`]s derive
//! keys from items and read them back.
//!
//! Absent here: IO, JSON, tables. Faults are typed; their sentences are `hashrange-model`'s.
#![forbid(unsafe_code)]

mod condition;
mod evaluated;
mod key_condition;
pub mod legacy;
mod lookup;
mod parse;
pub mod partiql;
mod path;
mod path_tree;
mod pattern;
mod placeholders;
mod projection;
mod render;
mod syntax;
mod template;
mod text;
mod token;
mod update;

pub use condition::{Condition, Filter, condition};
pub use key_condition::{
    KeyAttribute, KeyCondition, KeyConditions, KeyExpression, KeyOperator, KeyPlan, key_condition,
    key_expression,
};
pub use pattern::{
    PatternFault, PatternReader, Test, Tested, joined as tests_joined, read_pattern,
};
pub use placeholders::Placeholders;
pub use projection::{Projection, projection};
pub use render::attributes as rendered_attributes;
pub use template::{Draw, Generated, KeyPart, KeyReading, KeyTemplate, Rendered};
pub use text::{KeyText, Literal, Name, key_text, name_text, sort_range_text, value_text};
pub use update::{Target, Update, update};
