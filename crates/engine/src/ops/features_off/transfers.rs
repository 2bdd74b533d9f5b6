//! Exports, imports and bulk operations: none exist.

use super::check_no_token;
use crate::arn::Arn;
use crate::engine::Engine;
use crate::request::required;
use hashrange_model::{ApiResult, Reason};
use hashrange_storage::Store;
use hashrange_wire::{
    CancelBulkOperationInput, CancelBulkOperationOutput, DescribeBulkOperationInput,
    DescribeBulkOperationOutput, DescribeExportInput, DescribeExportOutput, DescribeImportInput,
    DescribeImportOutput, ListBulkOperationsInput, ListBulkOperationsOutput, ListExportsInput,
    ListExportsOutput, ListImportsInput, ListImportsOutput,
};

impl<S: Store> Engine<S> {
    /// Returns an empty list of exports.
    pub async fn list_exports(&self, input: ListExportsInput<'_>) -> ApiResult<ListExportsOutput> {
        // The list is empty for every table and page size.
        let ListExportsInput { table_arn: _, max_results: _, next_token } = input;
        check_no_token(next_token.as_deref())?;
        Ok(ListExportsOutput { export_summaries: Some(Vec::new()), next_token: None })
    }

    /// Answers that the export does not exist.
    pub async fn describe_export(
        &self,
        input: DescribeExportInput<'_>,
    ) -> ApiResult<DescribeExportOutput> {
        let text = required(input.export_arn.as_deref(), "exportArn")?;
        match Arn::parse(text).filter(|arn| arn.is_below_table("export")) {
            Some(arn) => {
                let unknown = Reason::ExportNotFound(text.to_owned());
                Err(arn.not_found(self.environment(), Reason::ExportElsewhere, unknown).into())
            }
            None => Err(Reason::InvalidExportArn.into()),
        }
    }

    /// Returns an empty list of imports.
    pub async fn list_imports(&self, input: ListImportsInput<'_>) -> ApiResult<ListImportsOutput> {
        let ListImportsInput { table_arn: _, page_size: _, next_token } = input;
        check_no_token(next_token.as_deref())?;
        Ok(ListImportsOutput { import_summary_list: Some(Vec::new()), next_token: None })
    }

    /// Answers that the import does not exist.
    pub async fn describe_import(
        &self,
        input: DescribeImportInput<'_>,
    ) -> ApiResult<DescribeImportOutput> {
        let text = required(input.import_arn.as_deref(), "importArn")?;
        match Arn::parse(text).filter(|arn| arn.is_below_table("import")) {
            Some(arn) => {
                let unknown = || Reason::ImportNotFound(text.to_owned());
                Err(arn.not_found(self.environment(), unknown(), unknown()).into())
            }
            None => Err(Reason::InvalidImportArn.into()),
        }
    }
    /// Returns an empty list of bulk operations.
    pub async fn list_bulk_operations(
        &self,
        input: ListBulkOperationsInput<'_>,
    ) -> ApiResult<ListBulkOperationsOutput> {
        let ListBulkOperationsInput { max_results: _, next_token } = input;
        check_no_token(next_token.as_deref())?;
        Ok(ListBulkOperationsOutput {
            bulk_operations_summary_list: Some(Vec::new()),
            next_token: None,
        })
    }

    /// Answers that the bulk operation does not exist.
    pub async fn describe_bulk_operation(
        &self,
        input: DescribeBulkOperationInput<'_>,
    ) -> ApiResult<DescribeBulkOperationOutput> {
        Err(no_bulk_operation(input.bulk_operation_arn.as_deref())?.into())
    }

    /// Answers that the bulk operation does not exist.
    pub async fn cancel_bulk_operation(
        &self,
        input: CancelBulkOperationInput<'_>,
    ) -> ApiResult<CancelBulkOperationOutput> {
        Err(no_bulk_operation(input.bulk_operation_arn.as_deref())?.into())
    }
}

/// Returns the reason with the exception of the API reference; the form of these ARNs is not
/// documented.
fn no_bulk_operation(arn: Option<&str>) -> ApiResult<Reason> {
    Ok(Reason::ResourceNotFound(required(arn, "bulkOperationArn")?.to_owned()))
}
