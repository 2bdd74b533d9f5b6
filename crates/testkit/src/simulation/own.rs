//! The engine's own operations, as clients of the simulation send them: history and key templates.

use super::server::{Answer, Server, SimulatedEngine};
use hashrange_engine::{Running, TemplateMode};
use hashrange_model::ApiResult;
use serde_json::Value as Json;
use std::future::Future;
use std::sync::Arc;

impl Server {
    /// Keeps the history of a table and returns the first moment of that history.
    pub(super) async fn insist_on_history(
        &self,
        table: &'static str,
        retention_hours: Option<u32>,
    ) -> u64 {
        let enable = |engine: Arc<SimulatedEngine>| async move {
            let run =
                || -> Running<'_, _> { Box::pin(engine.enable_history(table, retention_hours)) };
            let history = engine.on_newest_to_change(run).await?;
            Ok(Json::from(history.reaches_back_to_ms).to_string().into_bytes())
        };
        self.insist_on_moment("history", enable).await
    }

    /// Returns the first moment of which the history of a table still tells.
    pub(super) async fn history_reaches_back_to(&self, table: &'static str) -> u64 {
        let describe = |engine: Arc<SimulatedEngine>| async move {
            let run = || -> Running<'_, _> { Box::pin(engine.describe_history(table)) };
            let history = engine.on_newest_to_describe(run).await?;
            Ok(Json::from(history.reaches_back_to_ms).to_string().into_bytes())
        };
        self.insist_on_moment("history?", describe).await
    }

    /// Has an engine run something until it answers with a moment.
    async fn insist_on_moment<F>(
        &self,
        said: &str,
        run: impl Fn(Arc<SimulatedEngine>) -> F + Copy,
    ) -> u64
    where
        F: Future<Output = ApiResult<Vec<u8>>> + 'static,
    {
        loop {
            match self.ask(said, run).await {
                Answer::Done(Json::Number(at_ms)) => {
                    return at_ms.as_u64().expect("a moment is a whole number");
                }
                Answer::Refused(error) => panic!("a history is refused: {error}"),
                _ => self.sleep(1 + self.fate().below(20) as u64).await,
            }
        }
    }

    /// Declares a key template of a table that has just been created.
    pub(super) async fn insist_on_template(&self, table: &'static str, text: &'static str) {
        loop {
            match self.put_template(table, text).await {
                Answer::Done(_) => return,
                Answer::Refused(error) => panic!("a template is refused: {error}"),
                Answer::Unknown => self.sleep(1 + self.fate().below(20) as u64).await,
            }
        }
    }

    /// Declares a key template of a table.
    pub(super) async fn put_template(&self, table: &'static str, text: &'static str) -> Answer {
        let put = |engine: Arc<SimulatedEngine>| async move {
            let run = || -> Running<'_, _> {
                Box::pin(engine.put_key_template(table, text, TemplateMode::Fill))
            };
            engine.on_newest_to_change(run).await?;
            Ok(b"true".to_vec())
        };
        self.ask(&format!("template {text}"), put).await
    }

    /// Returns the text of a table's only key template, null if it has none, true while items are rewritten.
    pub(super) async fn template_of(&self, table: &'static str) -> Answer {
        let describe = |engine: Arc<SimulatedEngine>| async move {
            let run = || -> Running<'_, _> { Box::pin(engine.describe_key_templates(table)) };
            let mut described = engine.on_newest_to_describe(run).await?;
            let told = match described.pop() {
                Some(template) if template.rewriting.is_some() => Json::Bool(true),
                Some(template) => Json::String(template.text),
                None => Json::Null,
            };
            Ok(told.to_string().into_bytes())
        };
        self.ask("templates", describe).await
    }
}
