//! Parameters in the schema of a scenario: their values in presets, and none of them required.

use serde_json::{Map, Value};

/// Gives each parameter its value in every preset.
pub fn add_presets(schema: &mut Value, presets: &Map<String, Value>) {
    add_values(schema, "Parameters", presets);
}

fn add_values(schema: &mut Value, definition: &str, values: &Map<String, Value>) {
    let Value::Object(properties) = schema["$defs"][definition]["properties"].take() else {
        return;
    };
    let mut described = Map::new();
    for (name, mut property) in properties {
        let of_name = |value: &Value| value.get(&name).cloned().unwrap_or_default();
        let inner: Map<String, Value> = values
            .iter()
            .map(|(preset, value)| (preset.clone(), of_name(value)))
            .collect();
        match struct_name(schema, &property) {
            Some(inner_name) => add_values(schema, &inner_name, &inner),
            None => property["x-presets"] = Value::Object(inner),
        }
        described.insert(name, property);
    }
    schema["$defs"][definition]["properties"] = Value::Object(described);
}

/// Adds the source of a preset's value to a parameter or a section.
///
/// # Panics
///
/// The parameter does not exist.
pub fn add_source(schema: &mut Value, path: &str, preset: &str, source: &str) {
    let mut definition = "Parameters".to_string();
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        let property = &mut schema["$defs"][definition.as_str()]["properties"][name];
        assert!(property.is_object(), "a parameter {path}");
        if names.peek().is_none() {
            property["x-source"][preset] = source.into();
            return;
        }
        let property = property.clone();
        definition = struct_name(schema, &property).expect("a section");
    }
}

/// The name of the type of a property that is always an object with the same keys.
fn struct_name(schema: &Value, property: &Value) -> Option<String> {
    let name = property["$ref"].as_str()?.strip_prefix("#/$defs/")?;
    let is_struct = schema["$defs"][name].get("properties").is_some();
    is_struct.then(|| name.to_string())
}

/// Makes every parameter optional: a scenario changes some of a preset's. A changed object may leave out its `rule` too, so
/// more than one of its variants may fit.
pub fn relax(schema: &mut Value) {
    let reached = collect_type_names(schema, "Parameters");
    for name in reached {
        relax_object(&mut schema["$defs"][name.as_str()]);
    }
}

fn relax_object(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    fields.remove("required");
    let objects = |schema: &Value| schema.get("properties").is_some();
    if let Some(Value::Array(variants)) = fields.get("oneOf") {
        if variants.iter().all(objects) {
            let mut variants = fields.shift_remove("oneOf").expect("variants");
            let all = variants.as_array_mut().expect("a list");
            all.iter_mut().for_each(relax_object);
            fields.insert("anyOf".into(), variants);
        }
    }
}

/// The names of all types that a type is made of, itself included.
fn collect_type_names(schema: &Value, name: &str) -> Vec<String> {
    let mut names = vec![name.to_string()];
    let mut next = 0;
    while next < names.len() {
        let mut found = Vec::new();
        references(&schema["$defs"][names[next].as_str()], &mut found);
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        next += 1;
    }
    names
}

fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            let path = fields.get("$ref").and_then(Value::as_str);
            found.extend(path.and_then(|path| Some(path.strip_prefix("#/$defs/")?.to_string())));
            fields.values().for_each(|inner| references(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}
