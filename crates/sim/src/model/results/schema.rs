//! The schema of results, and the comparison of tables with it.

use super::column::Column;
use super::document::Document;
use super::tables;
use crate::schema::{self, unit};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{json, Map, Value};
use std::sync::OnceLock;

/// Tables of a run, tables that follow from the scenario alone, and the JSON Schema of the summary. A column has a type, a unit, a description, and
/// names where it has no other values; `is_optional` where some runs lack it.
pub fn schema() -> Value {
    let mut schema = table_schema().clone();
    schema["summary"] = schema::written_schema::<Document>();
    schema
}

fn table_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut tables = Tables(SchemaSettings::draft2020_12().into_generator());
        json!({
            "tables": {
                "flows": tables.table::<tables::Flows>(),
                "queue_pairs": tables.table::<tables::QueuePairs>(),
                "ports": tables.table::<tables::Ports>(),
                "queues": tables.table::<tables::Queues>(),
                "pauses": tables.table::<tables::Pauses>(),
                "watchdog": tables.table::<tables::Watchdog>(),
                "voqs": tables.table::<tables::Voqs>(),
                "trims": tables.table::<tables::Trims>(),
                "credits": tables.table::<tables::Credits>(),
                "deadlocks": tables.table::<tables::Deadlocks>(),
                "series": tables.table::<tables::Series>(),
            },
            "context": {
                "links": tables.table::<tables::Links>(),
                "paths": tables.table::<tables::Paths>(),
                "limits": tables.table::<tables::Limits>(),
                "names": tables.table::<tables::Names>(),
            },
        })
    })
}

/// Panics unless the columns of a table are those of the schema, in that order.
pub fn assert_declared(table: &str, columns: &[(&'static str, Column)]) {
    let found = ["tables", "context"]
        .into_iter()
        .find_map(|kind| table_schema()[kind][table]["columns"].as_object());
    let mut declared = found
        .unwrap_or_else(|| panic!("the schema has no table {table}"))
        .iter();
    for (name, column) in columns {
        let (_, property) = declared
            .by_ref()
            .find(|(key, property)| key == name || property["is_optional"] != true)
            .filter(|(key, _)| key == name)
            .unwrap_or_else(|| panic!("the schema has no column {table}.{name} there"));
        assert_eq!(property["type"], type_name(column), "{table}.{name}");
        if let Column::Name { names, .. } = column {
            let known = property["names"].as_object();
            let known = known.map(|known| known.keys().map(String::as_str));
            assert!(
                known.is_some_and(|known_names| known_names.eq(names.iter().copied())),
                "{table}.{name}"
            );
        }
    }
    let missing = declared.find(|(_, property)| property["is_optional"] != true);
    assert_eq!(missing, None, "{table}");
}

fn type_name(column: &Column) -> &'static str {
    match column {
        Column::U8(_) => "uint8",
        Column::U32(_) => "uint32",
        Column::U64(_) => "uint64",
        Column::F64(_) => "float64",
        Column::Name { .. } => "text",
    }
}

struct Tables(SchemaGenerator);

impl Tables {
    fn table<T: JsonSchema>(&mut self) -> Value {
        let schema = self.0.root_schema_for::<T>().to_value();
        let required = schema["required"].as_array();
        let is_required =
            |name: &str| required.is_some_and(|names| names.iter().any(|key| key == name));
        let properties = schema["properties"].as_object().expect("columns");
        let columns = properties.iter().map(|(name, property)| {
            let column = column(&schema, name, property, is_required(name));
            (name.clone(), column)
        });
        json!({
            "description": description(&schema),
            "columns": Value::Object(columns.collect()),
        })
    }
}

fn column(schema: &Value, name: &str, property: &Value, is_required: bool) -> Value {
    let mut column = Map::new();
    let mut names = Map::new();
    let reference = property["$ref"].as_str().unwrap_or_default();
    let resolved = reference
        .strip_prefix("#/$defs/")
        .map(|name| &schema["$defs"][name]);
    for variant in resolved
        .and_then(|schema| schema["oneOf"].as_array())
        .into_iter()
        .flatten()
    {
        let name = variant["const"].as_str().expect("a name");
        names.insert(name.into(), description(variant));
    }
    let type_name = match property["format"].as_str() {
        Some("double") => "float64",
        Some(integer) => integer,
        None if property["type"] == "array" => "list",
        None => "text",
    };
    column.insert("type".into(), type_name.into());
    if let Some(unit) = unit(name).filter(|_| type_name != "text") {
        column.insert("unit".into(), unit.into());
    }
    column.insert("description".into(), description(property));
    if !names.is_empty() {
        column.insert("names".into(), Value::Object(names));
    }
    let is_time = name.ends_with("_ps");
    if !is_required {
        let key = if is_time {
            "is_nullable"
        } else {
            "is_optional"
        };
        column.insert(key.into(), true.into());
    }
    Value::Object(column)
}

fn description(schema: &Value) -> Value {
    let text = schema["description"].as_str().unwrap_or_default();
    text.replace('\n', " ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the schema has no column flows.colour there")]
    fn an_unknown_column_is_refused() {
        assert_declared("flows", &[("colour", Column::U32(Vec::new()))]);
    }

    #[test]
    #[should_panic(expected = "flows.flow")]
    fn another_type_is_refused() {
        assert_declared("flows", &[("flow", Column::U64(Vec::new()))]);
    }

    #[test]
    #[should_panic(expected = "pauses")]
    fn missing_columns_are_refused() {
        assert_declared("pauses", &[("port", Column::U32(Vec::new()))]);
    }
}
