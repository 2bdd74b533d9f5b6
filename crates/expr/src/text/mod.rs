//! Expressions printed back as text, with names and literal values for placeholders, whether the
//! request had them as expressions, legacy parameters or PartiQL.
//!
//! The text is the service's grammar with values in it, which the library's `text` and the command
//! line take: text in single quotes, names that are no plain words in backquotes. Compiling the
//! printed text gives the same form, except for conditions that only PartiQL can express: `TRUE`
//! and `FALSE` stand for conditions that hold always or never, and sums may have more than two
//! terms.
//!
//! | file | idea |
//! |---|---|
//! | `literal.rs` | names, document paths and values |
//! | `condition.rs` | conditions |
//! | `key.rs` | key conditions, and the range of a sort key with both of its ends |
//! | `update.rs` | update actions |

mod condition;
mod key;
mod literal;
mod update;

pub(crate) use condition::Plain;
pub(crate) use literal::Path;

pub use key::{KeyText, key_text, sort_range_text};
pub use literal::{Literal, Name, name_text, value_text};

use crate::projection::Projection;
use std::fmt::{self, Display, Formatter};

impl Display for Projection {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (nth, path) in self.paths().iter().enumerate() {
            formatter.write_str(if nth == 0 { "" } else { ", " })?;
            Path(path).fmt(formatter)?;
        }
        Ok(())
    }
}
