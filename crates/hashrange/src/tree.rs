//! The tree of keys, as a call of the library.

use crate::{
    Blocking, Calling, Database, PartitionsInput, RulerInput, RulerOutput, TreeInput, TreeOutput,
};
use hashrange_model::ApiResult;

impl Database {
    /// Returns a page of the folders and items of an item collection, in the order of the sort key.
    /// The cost of finding the folders grows with their number, not with the number of items in
    /// them.
    ///
    /// ```
    /// use hashrange::{Database, NodeKind, TreeInput, item};
    ///
    /// let db = Database::memory().blocking();
    /// db.create("files", "owner:S path:S").run()?;
    /// for path in ["docs/a.md", "docs/b.md", "src/main.rs", "README"] {
    ///     db.put("files", item! { "owner": "ada", "path": path }).run()?;
    /// }
    /// let tree = db.tree(TreeInput {
    ///     table_name: "files".into(),
    ///     partition_key: item! { "owner": "ada" },
    ///     delimiter: Some("/".into()),
    ///     ..TreeInput::default()
    /// })?;
    /// let shown: Vec<_> = tree.nodes.iter().map(|node| (node.kind, &node.name[..])).collect();
    /// assert_eq!(
    ///     shown,
    ///     [(NodeKind::Item, "README"), (NodeKind::Folder, "docs/"), (NodeKind::Folder, "src/")]
    /// );
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn tree(&self, input: TreeInput) -> Calling<'_, TreeOutput> {
        Box::pin(self.engine.tree(input))
    }

    /// Returns a page of the partition keys of a table or index, in the order of their hashes, or
    /// the largest item collections.
    pub fn partitions(&self, input: PartitionsInput) -> Calling<'_, TreeOutput> {
        Box::pin(self.engine.partitions(input))
    }

    /// Returns the whole line of an item collection's keys, or of partition keys, as a few bins with
    /// counts. What one call cannot count is shown as "at least"; the cursor counts on.
    ///
    /// ```
    /// use hashrange::{Database, RulerInput, item};
    ///
    /// let db = Database::memory().blocking();
    /// db.create("files", "owner:S path:S").run()?;
    /// for path in ["docs/a.md", "docs/b.md", "src/main.rs", "README"] {
    ///     db.put("files", item! { "owner": "ada", "path": path }).run()?;
    /// }
    /// let ruler = db.ruler(RulerInput {
    ///     table_name: "files".into(),
    ///     partition_key: Some(item! { "owner": "ada" }),
    ///     delimiter: Some("/".into()),
    ///     ..RulerInput::default()
    /// })?;
    /// let bins: Vec<_> =
    ///     ruler.bins.iter().map(|bin| (bin.name.as_deref(), bin.items)).collect();
    /// assert_eq!(bins, [(Some("README"), 1), (Some("docs/"), 2), (Some("src/"), 1)]);
    /// assert!(ruler.is_exact() && ruler.next.is_none());
    /// # Ok::<(), hashrange::Error>(())
    /// ```
    pub fn ruler(&self, input: RulerInput) -> Calling<'_, RulerOutput> {
        Box::pin(self.engine.ruler(input))
    }
}

impl Blocking {
    /// Returns a page of the folders and items of an item collection; see [`Database::tree`].
    pub fn tree(&self, input: TreeInput) -> ApiResult<TreeOutput> {
        hashrange_storage::block_on(self.database().engine.tree(input))
    }

    /// Returns a page of the partition keys of a table or index; see [`Database::partitions`].
    pub fn partitions(&self, input: PartitionsInput) -> ApiResult<TreeOutput> {
        hashrange_storage::block_on(self.database().engine.partitions(input))
    }

    /// Returns the whole line of an item collection's keys as a few bins; see [`Database::ruler`].
    pub fn ruler(&self, input: RulerInput) -> ApiResult<RulerOutput> {
        hashrange_storage::block_on(self.database().engine.ruler(input))
    }
}
