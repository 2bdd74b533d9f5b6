//! TagResource, UntagResource, ListTagsOfResource.

use crate::engine::{Engine, required};
use crate::environment::table_name_of;
use crate::schema::Table;
use hashrange_model::limits::TAGS_MAX;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    ListTagsOfResourceInput, ListTagsOfResourceOutput, Tag, TagResourceInput, TagResourceOutput,
    UntagResourceInput, UntagResourceOutput,
};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// Tags in one page of ListTagsOfResource.
const PAGE_TAGS: usize = 10;
/// Tag keys with this prefix belong to the service.
const RESERVED_PREFIX: &str = "aws:";

impl<S: Store> Engine<S> {
    /// Adds or replaces tags of a table.
    pub async fn tag_resource(&self, input: TagResourceInput<'_>) -> ApiResult<TagResourceOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        let tags = checked_tags(required(input.tags, "tags")?)?;
        if tags.is_empty() {
            return Err(Reason::NoTags.into());
        }
        let _definitions = self.core().definitions.lock().await;
        let table = self.tagged_table(arn, "TagResource")?;
        self.core().change_table(&table, |record| {
            record.tags.extend(tags);
            if record.tags.len() > TAGS_MAX {
                return Err(Reason::TooManyTags.into());
            }
            Ok(())
        })?;
        Ok(TagResourceOutput {})
    }

    /// Removes tags of a table; absent keys are no error.
    pub async fn untag_resource(
        &self,
        input: UntagResourceInput<'_>,
    ) -> ApiResult<UntagResourceOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        let keys = required(input.tag_keys, "tagKeys")?;
        if keys.is_empty() {
            return Err(Reason::NoTagKeys.into());
        }
        let _definitions = self.core().definitions.lock().await;
        let table = self.tagged_table(arn, "UntagResource")?;
        self.core().change_table(&table, |record| {
            record.tags.retain(|key, _| !keys.iter().any(|removed| removed == key));
            Ok(())
        })?;
        Ok(UntagResourceOutput {})
    }

    /// Lists the tags of a table in pages; the token is the last key of the page before.
    pub async fn list_tags_of_resource(
        &self,
        input: ListTagsOfResourceInput<'_>,
    ) -> ApiResult<ListTagsOfResourceOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        let table = self.tagged_table(arn, "ListTagsOfResource")?;
        let start = input.next_token.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = table.record.tags.range::<str, _>((start, Bound::Unbounded));
        let tags: Vec<Tag> = rest
            .by_ref()
            .take(PAGE_TAGS)
            .map(|(key, value)| Tag { key: Some(key.clone()), value: Some(value.clone()) })
            .collect();
        let next_token = rest.next().and_then(|_| tags.last()).and_then(|last| last.key.clone());
        Ok(ListTagsOfResourceOutput { tags: Some(tags), next_token })
    }

    /// Returns the table of an ARN; of another account or region nothing is told.
    fn tagged_table(&self, arn: &str, operation: &'static str) -> ApiResult<Arc<Table>> {
        let environment = self.environment();
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let ["arn", _, _, region, account, resource] = parts[..] else {
            return Err(Reason::InvalidArn(arn.to_owned()).into());
        };
        if !resource.starts_with("table/") {
            return Err(Reason::InvalidArn(arn.to_owned()).into());
        }
        if account != environment.account || region != environment.region {
            return Err(Reason::NotAuthorized {
                principal: environment.root_arn(),
                operation,
                resource: arn.to_owned(),
            }
            .into());
        }
        self.core()
            .catalog
            .get(table_name_of(arn))
            .ok_or_else(|| Reason::ResourceNotFound(arn.to_owned()).into())
    }
}

/// Returns the tags by key; keys must be distinct, not reserved and at most 50.
pub(super) fn checked_tags(tags: Vec<Tag>) -> ApiResult<BTreeMap<String, String>> {
    let mut by_key = BTreeMap::new();
    for tag in tags {
        let key = required(tag.key, "tags.member.key")?;
        let value = required(tag.value, "tags.member.value")?;
        if key.starts_with(RESERVED_PREFIX) {
            return Err(Reason::TagKeyReserved.into());
        }
        if by_key.insert(key.clone(), value).is_some() {
            return Err(Reason::DuplicateTag(key).into());
        }
    }
    if by_key.len() > TAGS_MAX {
        return Err(Reason::TooManyTags.into());
    }
    Ok(by_key)
}
