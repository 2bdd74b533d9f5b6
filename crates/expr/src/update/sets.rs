//! DELETE of set members.

use crate::evaluated::Evaluated;
use hashrange_model::{AttributeValue, Value, ValueRef};
use std::collections::BTreeMap;

/// Sets whose members one update deletes, decoded: one value may be taken from hundreds of sets.
#[derive(Debug, Default)]
pub(super) struct Sets<'v>(
    /// Members in their order, by the address of the value's bytes.
    BTreeMap<usize, Vec<&'v [u8]>>,
);

impl<'v> Sets<'v> {
    /// Returns the set without the members of `value` (`None` inside when it becomes empty), or
    /// `None` if the stored value has another type.
    #[expect(clippy::option_option, reason = "another type, and nothing left, are two answers")]
    pub(super) fn without(
        &mut self,
        stored: Option<ValueRef<'v>>,
        value: &'v Value,
    ) -> Option<Option<Evaluated<'v>>> {
        let Some(stored) = stored else { return Some(None) };
        #[expect(clippy::manual_let_else, reason = "three lines read as the table that they are")]
        let (members, removed) = match (stored, value.get()) {
            (ValueRef::Ss(members), ValueRef::Ss(removed))
            | (ValueRef::Ns(members), ValueRef::Ns(removed))
            | (ValueRef::Bs(members), ValueRef::Bs(removed)) => (members, removed),
            _ => return None,
        };
        let laid_out = || {
            let mut members: Vec<&[u8]> = removed.iter().collect();
            // Members stand in the order of their values, which for numbers is that of the bytes.
            members.sort_unstable();
            members
        };
        let removed = self.0.entry(value.as_bytes().as_ptr().addr()).or_insert_with(laid_out);
        let is_kept = |member: &[u8]| removed.binary_search(&member).is_err();
        if !members.iter().any(is_kept) {
            return Some(None);
        }
        let left = match stored {
            ValueRef::Ss(_) => AttributeValue::string_set(
                members.strings().filter(|member| is_kept(member.as_bytes())),
            ),
            ValueRef::Ns(_) => AttributeValue::number_set(
                members
                    .numbers()
                    .filter(|member| is_kept(member.as_bytes()))
                    .map(|member| member.to_number()),
            ),
            _ => AttributeValue::binary_set(
                members.iter().filter(|member| is_kept(member)).map(<[u8]>::to_vec),
            ),
        };
        Some(Some(Evaluated::Computed(left.to_value())))
    }
}
