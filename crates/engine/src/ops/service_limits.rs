//! DescribeLimits and DescribeEndpoints: facts about the service itself.

use crate::capacity::{ACCOUNT_UNITS_MAX, TABLE_UNITS_MAX};
use crate::engine::Engine;
use hashrange_model::ApiResult;
use hashrange_storage::Store;
use hashrange_wire::{
    DescribeEndpointsRequest, DescribeEndpointsResponse, DescribeLimitsInput, DescribeLimitsOutput,
    Endpoint,
};

const ENDPOINT_CACHE_MINUTES: i64 = 1440;

impl<S: Store> Engine<S> {
    /// Returns the quotas of the account and of a table.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn describe_limits(
        &self,
        _input: DescribeLimitsInput,
    ) -> ApiResult<DescribeLimitsOutput> {
        Ok(DescribeLimitsOutput {
            account_max_read_capacity_units: Some(ACCOUNT_UNITS_MAX),
            account_max_write_capacity_units: Some(ACCOUNT_UNITS_MAX),
            table_max_read_capacity_units: Some(TABLE_UNITS_MAX),
            table_max_write_capacity_units: Some(TABLE_UNITS_MAX),
        })
    }

    /// Returns this server as the only endpoint.
    #[expect(
        clippy::unused_async,
        reason = "the operations are awaited all alike; this one needs no view"
    )]
    pub async fn describe_endpoints(
        &self,
        _input: DescribeEndpointsRequest,
    ) -> ApiResult<DescribeEndpointsResponse> {
        Ok(DescribeEndpointsResponse {
            endpoints: Some(vec![Endpoint {
                address: Some(self.environment().endpoint.clone()),
                cache_period_in_minutes: Some(ENDPOINT_CACHE_MINUTES),
            }]),
        })
    }
}
