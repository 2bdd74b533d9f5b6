//! Designs from files, in every form that `serve --init` reads; kinds of their sample items.

use crate::arguments::Connection;
use crate::config::ClientSettings;
use crate::initial::{self, Definition, Given};
use crate::output;
use crate::surroundings::variable;
use anyhow::Context;
use hashrange::{ApiResult, DecodedItem, Item, Reason, decode};
use hashrange_design::entities::{Entities, infer};
use hashrange_design::plan::{Facet, TablePlan};
use serde_json::{Map, Value};
use std::path::Path;

/// Reads the tables in a file, with the kinds of their sample items.
pub fn of_file(file: &Path, connection: &Connection) -> anyhow::Result<Vec<TablePlan>> {
    let region = ClientSettings::resolve(connection, variable)?.region;
    let given = Given { region: &region, parameters: &[] };
    let files = initial::definitions::read(&[file.to_owned()], given)?;
    for (line, is_important) in files.iter().flat_map(initial::lines_of) {
        if is_important {
            output::complain(format_args!("not taken from {line}"));
        }
    }
    let definitions = files.into_iter().flat_map(|file| file.definitions);
    let plans = definitions.map(|it| plan(it).with_context(|| file.display().to_string()));
    plans.collect()
}

fn plan(definition: Definition) -> anyhow::Result<TablePlan> {
    let Definition { name, request, time_to_live, items, .. } = definition;
    let mut plan = TablePlan { name, request, time_to_live, items, ..TablePlan::default() };
    if !plan.items.is_empty() {
        let items = plan.items.iter().map(item).collect::<anyhow::Result<Vec<_>>>()?;
        let found = infer(&plan.name, &plan.definition(), &items);
        plan.facets = facets(&found);
    }
    Ok(plan)
}

/// Returns an item of DynamoDB's JSON in its binary form.
pub fn item(item: &Map<String, Value>) -> anyhow::Result<Item> {
    decoded(&serde_json::to_vec(item)?).map_err(|fault| anyhow::anyhow!("an item: {fault}"))
}

fn decoded(json: &[u8]) -> ApiResult<Item> {
    let decoded = decode::<DecodedItem>(json)?;
    Ok(decoded.value.into_result().map_err(|fault| Reason::Value(*fault))?)
}

/// Returns entities as facets.
pub fn facets(found: &Entities) -> Vec<Facet> {
    let facet = |entity: &hashrange_design::entities::Entity| {
        let key = |kind: &str| entity.keys.iter().find(|key| key.of_table == Some(kind));
        let is_key =
            |name: &str| entity.keys.iter().any(|it| it.of_table.is_some() && it.attribute == name);
        let names = entity.attributes.iter().map(|it| it.name.clone());
        Facet {
            name: entity.name.clone(),
            partition: key("HASH").map(|it| it.pattern.clone()).unwrap_or_default(),
            sort: key("RANGE").map(|it| it.pattern.clone()),
            attributes: names.filter(|name| !is_key(name)).collect(),
            rows: entity.rows.clone(),
        }
    };
    found.entities.iter().map(facet).collect()
}
