//! JSON Schema (draft 2020-12) of types, and the check of values against it.
//!
//! Ranges are attributes of the fields of a type, descriptions are its doc comments. Keywords beyond the standard:
//!
//! * `x-unit`: the unit of a number;
//! * `x-presets`: the value in each preset;
//! * `x-source`: the source of this value in each preset that has one;
//! * `x-default`: the default of a key that another key determines, as text;
//! * `x-title`: the heading of a variant.

mod annotations;
pub mod ranges;

pub use annotations::unit;
use schemars::generate::SchemaSettings;
use schemars::JsonSchema;
use serde_json::Value;

/// The schema of a type, as it is read.
pub fn read_schema<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12())
}

/// The schema of a type, as it is written: with all of its keys.
pub fn written_schema<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let generator = settings.into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    annotations::annotate(&mut schema);
    schema
}

/// The target of a `$ref` in a document; the schema itself if it has none.
pub fn resolve<'s>(document: &'s Value, schema: &'s Value) -> &'s Value {
    let mut found = schema;
    while let Some(path) = found["$ref"].as_str() {
        let name = path.strip_prefix("#/$defs/").expect("a definition");
        found = &document["$defs"][name];
    }
    found
}

/// The variants of an enum or of a nullable value, if any.
pub fn variants(schema: &Value) -> &[Value] {
    ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| schema[key].as_array())
        .map_or(&[], Vec::as_slice)
}
