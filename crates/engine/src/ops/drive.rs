//! Drivers of the operations on items: [`Engine::run_request`] runs a checked request, and
//! [`Engine::explain_request`] explains it. Without ANALYZE, EXPLAIN only rehearses the request; with ANALYZE it
//! runs it, too, and counts.
//!
//! Left to the operations: their checks, and how each request is run and explained.

use crate::engine::Engine;
use crate::explain::{Asked, Explanation};
use hashrange_model::ApiResult;
use hashrange_model::error::Layer;
use hashrange_storage::Store;
use hashrange_wire::Operation;

/// A request that runs. Its parameters are valid by themselves.
pub(super) trait Run<S: Store, Output>: Send {
    /// Runs the request.
    fn run(&mut self, engine: &Engine<S>) -> impl Future<Output = ApiResult<Output>> + Send;
}

/// A request that is explained. Its parameters are valid by themselves.
pub(super) trait Explain<S: Store>: Send {
    /// Explains the request, and runs it if `asked` says so.
    fn explain(
        &mut self,
        engine: &Engine<S>,
        asked: Asked<'_>,
    ) -> impl Future<Output = ApiResult<Explanation>> + Send;
}

impl<S: Store> Engine<S> {
    /// Runs a checked request of an operation.
    pub(super) async fn run_request<R: Run<S, Output>, Output>(
        &self,
        operation: Operation,
        mut checked: ApiResult<R>,
    ) -> ApiResult<Output> {
        let ran = match checked {
            Ok(ref mut request) => request.run(self).await,
            Err(fault) => Err(fault),
        };
        ran.map_err(|error| error.in_layer(layer_of(operation)))
    }

    /// Explains a checked request of an operation.
    pub(super) async fn explain_request<R: Explain<S>>(
        &self,
        operation: Operation,
        mut checked: ApiResult<R>,
        asked: Asked<'_>,
    ) -> ApiResult<Explanation> {
        let explained = match checked {
            Ok(ref mut request) => request.explain(self, asked).await,
            Err(fault) => Err(fault),
        };
        explained.map_err(|error| error.in_layer(layer_of(operation)))
    }
}

/// Returns the layer that words the faults of an operation on items.
fn layer_of(operation: Operation) -> Layer {
    match operation {
        Operation::DeleteItem | Operation::PutItem | Operation::UpdateItem => Layer::Enveloped,
        Operation::BatchGetItem | Operation::GetItem | Operation::Query => Layer::Current,
        _ => Layer::Older,
    }
}
