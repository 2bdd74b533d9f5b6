//! Tags in requests: checks their keys, their values and their number.

use crate::request::required;
use crate::schema::Tags;
use hashrange_model::limits::TAGS_MAX;
use hashrange_model::{ApiResult, Reason};
use hashrange_wire::Tag;

/// Tag keys with this prefix, in any case, belong to the service.
const RESERVED_PREFIX: &str = "aws:";

/// Maximum of bytes of all tag keys and values of a resource.
const TAG_SET_MAX_BYTES: usize = 10_240;

/// Returns the tags of a request by key; one bad tag refuses the request.
pub(crate) fn checked_tags(tags: Vec<Tag>) -> ApiResult<Tags> {
    let mut by_key = Tags::new();
    for tag in tags {
        let key = required(tag.key, "tags.member.key")?;
        let value = required(tag.value, "tags.member.value")?;
        if !is_valid(&key) {
            return Err(Reason::TagKeyInvalid(key).into());
        }
        check_not_reserved(&key)?;
        if !is_valid(&value) {
            return Err(Reason::TagValueInvalid(value).into());
        }
        if by_key.insert(key.clone(), value).is_some() {
            return Err(Reason::DuplicateTag(key).into());
        }
    }
    check_set(&by_key)?;
    Ok(by_key)
}

/// Returns whether a text has only letters and digits of any script, blanks, and `+-=._:/@`.
fn is_valid(text: &str) -> bool {
    text.chars().all(|letter| {
        letter.is_alphanumeric()
            || (letter.is_whitespace() && !letter.is_control())
            || "+-=._:/@".contains(letter)
    })
}

pub(crate) fn check_not_reserved(key: &str) -> Result<(), Reason> {
    let is_reserved = key
        .get(..RESERVED_PREFIX.len())
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case(RESERVED_PREFIX));
    if is_reserved { Err(Reason::TagKeyReserved(key.to_owned())) } else { Ok(()) }
}

/// Refuses more tags than a resource may have, or more bytes of them.
pub(crate) fn check_set(tags: &Tags) -> Result<(), Reason> {
    if tags.len() > TAGS_MAX {
        return Err(Reason::TooManyTags);
    }
    let size_bytes = tags.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size_bytes > TAG_SET_MAX_BYTES {
        return Err(Reason::TagsTooLarge { size_bytes, max_bytes: TAG_SET_MAX_BYTES });
    }
    Ok(())
}
