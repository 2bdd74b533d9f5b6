//! Exports and imports: there were none.

use super::check_no_token;
use crate::arn::Arn;
use crate::engine::Engine;
use crate::request::required;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    DescribeExportInput, DescribeExportOutput, DescribeImportInput, DescribeImportOutput,
    ListExportsInput, ListExportsOutput, ListImportsInput, ListImportsOutput,
};

impl<S: Store> Engine<S> {
    /// Lists no export.
    pub async fn list_exports(&self, input: ListExportsInput<'_>) -> ApiResult<ListExportsOutput> {
        check_no_token(input.next_token.as_deref())?;
        Ok(ListExportsOutput { export_summaries: Some(Vec::new()), next_token: None })
    }

    /// Finds no export.
    pub async fn describe_export(
        &self,
        input: DescribeExportInput<'_>,
    ) -> ApiResult<DescribeExportOutput> {
        let text = required(input.export_arn.as_deref(), "exportArn")?;
        match Arn::parse(text).filter(|arn| arn.is_below_table("export")) {
            Some(_) => Err(Reason::ExportNotFound(text.to_owned()).into()),
            None => Err(Reason::InvalidExportArn.into()),
        }
    }

    /// Lists no import.
    pub async fn list_imports(&self, input: ListImportsInput<'_>) -> ApiResult<ListImportsOutput> {
        check_no_token(input.next_token.as_deref())?;
        Ok(ListImportsOutput { import_summary_list: Some(Vec::new()), next_token: None })
    }

    /// Finds no import.
    pub async fn describe_import(
        &self,
        input: DescribeImportInput<'_>,
    ) -> ApiResult<DescribeImportOutput> {
        let text = required(input.import_arn.as_deref(), "importArn")?;
        match Arn::parse(text).filter(|arn| arn.is_below_table("import")) {
            Some(_) => Err(Reason::ImportNotFound(text.to_owned()).into()),
            None => Err(Reason::InvalidImportArn.into()),
        }
    }
}
