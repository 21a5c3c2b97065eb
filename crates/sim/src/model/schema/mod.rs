//! The form of scenarios and results, exported once: types, units, ranges, defaults, descriptions and presets.
//!
//! The types that [`crate::reader`] accepts are the source. Ranges and default values are in attributes of their fields,
//! descriptions in their doc comments, values of presets in [`crate::model::preset`]. The reader takes keys, ranges and names from
//! here, so that schema and reader cannot differ.

pub mod form;
mod parameters;

use crate::model::{preset, results, scenario_file};
use crate::schema;
use serde_json::{json, Map, Value};
use std::sync::OnceLock;

/// Scenarios, results and presets in one document.
pub fn document() -> Value {
    json!({
        "scenario": build_export(),
        "results": results::schema(),
        "presets": presets(),
    })
}

/// The JSON Schema of a scenario file, without presets: what the reader needs.
pub fn scenario() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schema::read_schema::<scenario_file::Scenario>();
        parameters::relax(&mut schema);
        schema
    })
}

/// The same with the values of presets and their sources.
fn build_export() -> Value {
    let mut schema = scenario().clone();
    parameters::add_presets(&mut schema, &values());
    for preset in &preset::ALL {
        for (path, source) in preset.sources.iter().copied().flatten() {
            parameters::add_source(&mut schema, path, preset.name, source);
        }
    }
    schema
}

/// Each preset with its description and its parameters.
fn presets() -> Value {
    let presets = preset::ALL.iter().map(|preset| {
        let described = json!({
            "description": preset.description,
            "parameters": value(preset),
        });
        (preset.name.to_string(), described)
    });
    Value::Object(presets.collect())
}

/// The parameters of every preset.
fn values() -> Map<String, Value> {
    let presets = preset::ALL.iter();
    presets
        .map(|preset| (preset.name.to_string(), value(preset)))
        .collect()
}

fn value(preset: &preset::Preset) -> Value {
    serde_json::to_value((preset.parameters)()).expect("parameters are plain data")
}
