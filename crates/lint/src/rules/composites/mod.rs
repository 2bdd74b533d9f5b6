//! Keys that are put together from attributes of the same items.
//!
//! | file | idea |
//! |---|---|
//! | `agreement.rs` | whether a component is made of the value of an attribute |
//! | `forms.rs` | keys of one form, and the attributes that their components are made of |
//! | `drifted.rs` | items whose attribute has changed and whose key has not |
//! | `concatenated.rs` | keys of global indexes that need not be put together |
//! | `delimiter.rs` | values that have the delimiter |

mod agreement;
mod concatenated;
mod delimiter;
mod drifted;
mod forms;

use crate::finding::Finding;
use crate::keys::Column;
use forms::Form;

/// Returns the findings about how the values of a key attribute are put together.
pub(crate) fn of_column(column: &Column<'_>) -> Vec<Finding> {
    if column.is_number {
        return Vec::new();
    }
    let forms = Form::all(column);
    let mut findings: Vec<Finding> =
        forms.iter().find_map(|form| drifted::check(column, form)).into_iter().collect();
    findings.extend(concatenated::check(column));
    findings.extend(delimiter::check(column));
    findings
}
