//! TagResource, UntagResource, ListTagsOfResource.

use crate::arn::{self, NamedResource};
use crate::definition::tags::{check_not_reserved, check_set, checked_tags};
use crate::engine::Engine;
use crate::request::required;
use crate::schema::{Table, TableRecord, Tags};
use crate::throughput::Readiness;
use hashrange_model::limits::TAGS_MAX;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    ListTagsOfResourceInput, ListTagsOfResourceOutput, Tag, TagResourceInput, TagResourceOutput,
    UntagResourceInput, UntagResourceOutput,
};
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Adds or replaces tags of a table.
    pub async fn tag_resource(&self, input: TagResourceInput<'_>) -> ApiResult<TagResourceOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        let tags = checked_tags(required(input.tags, "tags")?)?;
        if tags.is_empty() {
            return Err(Reason::NoTags.into());
        }
        self.change_tags(arn, Some(&tags), |kept| kept.extend(tags.clone())).await?;
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
        if keys.len() > TAGS_MAX {
            return Err(Reason::TooManyTags.into());
        }
        keys.iter().try_for_each(|key| check_not_reserved(key))?;
        self.change_tags(arn, None, |kept| {
            kept.retain(|key, _| !keys.iter().any(|removed| removed == key));
        })
        .await?;
        Ok(UntagResourceOutput {})
    }

    /// Lists the tags of a table or stream. One page always holds all of them; a token is ignored,
    /// as by the service.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn list_tags_of_resource(
        &self,
        input: ListTagsOfResourceInput<'_>,
    ) -> ApiResult<ListTagsOfResourceOutput> {
        let arn = required(input.resource_arn.as_deref(), "resourceArn")?;
        let tag = |(key, value)| Tag { key: Some(key), value: Some(value) };
        let tags = self.tags_as_listed(arn)?.into_iter().map(tag).collect();
        Ok(ListTagsOfResourceOutput { tags: Some(tags), next_token: None })
    }

    /// Returns the tags of a table or stream that ListTagsOfResource shows.
    fn tags_as_listed(&self, arn: &str) -> ApiResult<Tags> {
        let named = arn::tagged(self.environment(), arn)?;
        if named.stream.is_none()
            && let Some(tags) = self.deleted_tags(named.table)
        {
            return Ok(tags);
        }
        let table = self.tagged(named, arn)?;
        // Tags of CreateTable appear when the table is ready.
        if self.readiness(&table) == Readiness::Creating {
            return Ok(Tags::new());
        }
        let listed = self.listed_tags(&table, named.stream);
        Ok(listed.or_else(|| tags_of(&table.record, named).cloned()).unwrap_or_default())
    }

    /// Changes the tags of a table or stream, all or nothing. `set` has the tags of TagResource.
    async fn change_tags(
        &self,
        arn: &str,
        set: Option<&Tags>,
        change: impl FnOnce(&mut Tags),
    ) -> ApiResult<()> {
        let _definitions = self.core().lock_definitions().await?;
        let named = arn::tagged(self.environment(), arn)?;
        if named.stream.is_none()
            && let Some(answer) = self.check_tags_not_deleted(named.table, set)
        {
            return answer.map_err(Into::into);
        }
        let table = self.tagged(named, arn)?;
        if set.is_some() && self.readiness(&table) == Readiness::Creating {
            return Err(Reason::TableBeingCreated(table.record.name.clone()).into());
        }
        self.check_tags_unlocked(&table, set)?;
        let before = tags_of(&table.record, named).cloned().unwrap_or_default();
        let mut after = before.clone();
        change(&mut after);
        check_set(&after)?;
        if after == before {
            return Ok(());
        }
        let table = self.core().change_table(&table, |record| {
            *tags_of_mut(record, named).expect("the resource was just found") = after;
            Ok(())
        });
        let table = table.await?;
        self.remember_tags(table.id(), named.stream, set.cloned(), before);
        Ok(())
    }

    /// Returns the table of the resource that an ARN names.
    fn tagged(&self, named: NamedResource<'_>, arn: &str) -> ApiResult<Arc<Table>> {
        let table = self.core().catalog.get(named.table);
        table
            .filter(|table| tags_of(&table.record, named).is_some())
            .filter(|table| self.readiness(table) != Readiness::Unseen)
            .ok_or_else(|| Reason::ResourceNotFound(arn.to_owned()).into())
    }
}

/// Returns the tags of a table, or of its live stream.
fn tags_of<'t>(record: &'t TableRecord, named: NamedResource<'_>) -> Option<&'t Tags> {
    let Some(label) = named.stream else { return Some(&record.tags) };
    let stream = record.stream.as_ref()?;
    (stream.enabled && stream.label == label).then_some(&stream.tags)
}

fn tags_of_mut<'t>(record: &'t mut TableRecord, named: NamedResource<'_>) -> Option<&'t mut Tags> {
    let Some(label) = named.stream else { return Some(&mut record.tags) };
    let stream = record.stream.as_mut()?;
    (stream.enabled && stream.label == label).then_some(&mut stream.tags)
}
