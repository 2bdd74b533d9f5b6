//! Parts of earlier answers that later requests have: shard iterators, ARNs, tokens.

use serde_json::Value as Json;

/// The answers so far, oldest first.
#[derive(Debug, Default)]
pub struct Answers(Vec<Json>);

impl Answers {
    /// Remembers an answer, if it is JSON.
    pub fn add(&mut self, body: &[u8]) {
        self.0.extend(serde_json::from_slice::<Json>(body).ok());
    }

    /// Returns the text with every `@[/POINTER]` replaced by the text at that place of the newest
    /// answer that has it; an error names what is missing.
    pub fn insert(&self, text: &str) -> Result<String, String> {
        let mut inserted = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("@[") {
            let (pointer, after) = after.split_once(']').ok_or("@[ has no end")?;
            let found = self.0.iter().rev().find_map(|answer| answer.pointer(pointer)?.as_str());
            inserted.push_str(before);
            inserted.push_str(found.ok_or_else(|| format!("no answer has {pointer}"))?);
            rest = after;
        }
        inserted.push_str(rest);
        Ok(inserted)
    }
}
