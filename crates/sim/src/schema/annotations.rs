//! Annotations that a derived schema lacks: units and largest integers.

use serde_json::{json, Map, Value};

/// Units by the last word of a name.
const UNITS: [(&str, &str); 12] = [
    ("bytes", "bytes"),
    ("packets", "packets"),
    ("percent", "%"),
    ("quanta", "pause quanta"),
    ("gbps", "Gb/s"),
    ("mbps", "Mb/s"),
    ("bps", "bit/s"),
    ("ps", "ps"),
    ("ns", "ns"),
    ("us", "us"),
    ("bits", "bits"),
    ("bdp", "bandwidth-delay products"),
];

/// Largest values of integers by their format.
const LARGEST: [(&str, u64); 4] = [
    ("uint8", u8::MAX as u64),
    ("uint16", u16::MAX as u64),
    ("uint32", u32::MAX as u64),
    ("uint64", u64::MAX),
];

/// The unit that the last word of a name states.
pub fn unit(name: &str) -> Option<&'static str> {
    let last = name.rsplit('_').next().unwrap_or(name);
    let known = UNITS.iter().find(|(word, _)| *word == last);
    known.map(|(_, unit)| *unit)
}

/// The largest value of an integer's format.
pub fn largest(format: &str) -> Option<u64> {
    let known = LARGEST.iter().find(|(name, _)| *name == format);
    known.map(|(_, largest)| *largest)
}

/// Completes every schema in a document: units, largest integers, descriptions as one line.
pub fn annotate(schema: &mut Value) {
    if let Value::Array(items) = schema {
        items.iter_mut().for_each(annotate);
    }
    let Value::Object(fields) = schema else {
        return;
    };
    if let Some(Value::String(text)) = fields.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            let Some(property) = property.as_object_mut() else {
                continue;
            };
            match unit(name) {
                Some(unit) if is_number(property) => {
                    property.entry("x-unit").or_insert_with(|| json!(unit));
                }
                _ => {}
            }
        }
    }
    let format = fields.get("format").and_then(Value::as_str);
    if let Some(largest) = format.and_then(largest) {
        fields.entry("maximum").or_insert_with(|| json!(largest));
    }
    if fields.get("enum").is_some() {
        fields.remove("minimum");
        fields.remove("maximum");
    }
    for (key, inner) in fields.iter_mut() {
        if !["default", "enum", "required"].contains(&key.as_str()) {
            annotate(inner);
        }
    }
}

fn is_number(property: &Map<String, Value>) -> bool {
    let number = |type_name: &Value| type_name == "integer" || type_name == "number";
    match property.get("type") {
        Some(Value::Array(types)) => types.iter().any(number),
        Some(single) => number(single),
        None => false,
    }
}
