//! The engine's own operations, as clients of the simulation send them: history and key templates.

use super::server::{Answer, Server, SimulatedEngine};
use hashrange_engine::{Running, TemplateMode};
use serde_json::Value as Json;
use std::sync::Arc;

impl Server {
    /// Keeps the history of a table and returns the first moment that it tells of.
    pub(super) async fn insist_on_history(&self, table: &'static str) -> u64 {
        let enable = |engine: Arc<SimulatedEngine>| async move {
            let run = || -> Running<'_, _> { Box::pin(engine.enable_history(table, None)) };
            let history = engine.on_newest_to_change(run).await?;
            Ok(Json::from(history.reaches_back_to_ms).to_string().into_bytes())
        };
        loop {
            match self.ask("history", enable).await {
                Answer::Done(Json::Number(since_ms)) => {
                    return since_ms.as_u64().expect("a moment is a whole number");
                }
                Answer::Refused(error) => panic!("a history is refused: {error}"),
                _ => self.sleep(1 + self.fate().below(20) as u64).await,
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
