//! Checks values against the ranges of the schema.

use super::{annotations, resolve, variants};
use crate::problem::{format_thousands, Problem};
use serde::Serialize;
use serde_json::{Number, Value};

/// Every number in `data` that is out of its range in a schema of the document. `location` is the path of `data`.
pub fn problems(
    document: &Value,
    schema: &Value,
    data: &impl Serialize,
    location: &str,
) -> Vec<Problem> {
    let data = serde_json::to_value(data).expect("parameters are plain data");
    let mut check = Check {
        document,
        found: Vec::new(),
    };
    check.value(schema, &data, location);
    check.found
}

/// The expected values of a number, as text for messages.
pub fn format_expected_range(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return alternatives(values);
    }
    let bound = |key: &str| schema[key].as_number().map(format_value);
    let format = schema["format"].as_str().unwrap_or_default();
    let largest = annotations::largest(format);
    let declared = schema["maximum"].as_u64() != largest || largest.is_none() || is_small(format);
    let most = bound("maximum").filter(|_| declared);
    match (bound("minimum"), bound("exclusiveMinimum")) {
        (Some(least), _) => match most {
            Some(most) => format!("{least} to {most}"),
            None => format!("at least {least}"),
        },
        (None, Some(least)) => match (most, bound("exclusiveMaximum")) {
            (Some(most), _) => format!("above {least} and at most {most}"),
            (None, Some(most)) => format!("above {least} and below {most}"),
            (None, None) => format!("above {least}"),
        },
        (None, None) => "a number".into(),
    }
}

/// Whether the largest integer of a format is a meaningful limit, not that of the integer type.
fn is_small(format: &str) -> bool {
    format == "uint8" || format == "uint16"
}

struct Check<'s> {
    document: &'s Value,
    found: Vec<Problem>,
}

impl<'s> Check<'s> {
    fn value(&mut self, schema: &'s Value, data: &Value, location: &str) {
        let schema = resolve(self.document, schema);
        match data {
            Value::Number(number) => {
                let schema = self.branch(schema, |variant| variant["type"] != "null");
                if !fits(schema, number) {
                    self.note(location, plain(number), schema);
                }
            }
            // JSON has neither infinity nor NaN: they become null.
            Value::Null if schema["type"] == "number" => {
                self.note(location, "no number".into(), schema);
            }
            Value::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    self.value(&schema["items"], item, &format!("{location}[{n}]"));
                }
            }
            Value::Object(fields) => {
                let schema = self.branch(schema, |variant| has_tags(variant, data));
                for (key, inner) in fields {
                    let of_key = &schema["properties"][key.as_str()];
                    self.value(of_key, inner, &format!("{location}.{key}"));
                }
            }
            _ => {}
        }
    }

    /// The first variant that `is_it`; the schema itself where it has no such variant.
    fn branch(&self, schema: &'s Value, is_it: impl Fn(&Value) -> bool + Copy) -> &'s Value {
        self.find(schema, is_it).unwrap_or(schema)
    }

    fn find(&self, schema: &'s Value, is_it: impl Fn(&Value) -> bool + Copy) -> Option<&'s Value> {
        let variants = variants(schema).iter();
        let mut variants = variants.map(|variant| resolve(self.document, variant));
        variants.find_map(|variant| match is_it(variant) {
            true => Some(variant),
            false => self.find(variant, is_it),
        })
    }

    fn note(&mut self, location: &str, found: String, schema: &Value) {
        self.found.push(Problem {
            location: location.into(),
            found,
            expected: format_expected_range(schema),
            hint: String::new(),
        });
    }
}

/// Whether every key with a constant value has it in `data`.
fn has_tags(schema: &Value, data: &Value) -> bool {
    let properties = schema["properties"].as_object();
    properties.is_some_and(|properties| {
        let mut tags = properties
            .iter()
            .filter_map(|(key, property)| Some((key, property.get("const")?)));
        tags.all(|(key, word)| data.get(key) == Some(word))
    })
}

/// Whether a number is in the range of its schema.
pub fn fits(schema: &Value, number: &Number) -> bool {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().any(|value| value.as_number() == Some(number));
    }
    let holds = |key: &str, compare: fn(&Number, &Number) -> bool| {
        schema[key]
            .as_number()
            .is_none_or(|bound| compare(number, bound))
    };
    holds("minimum", |number, bound| !is_less(number, bound))
        && holds("maximum", |number, bound| !is_less(bound, number))
        && holds("exclusiveMinimum", |number, bound| is_less(bound, number))
        && holds("exclusiveMaximum", is_less)
}

fn is_less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

/// The number as a scenario has it.
fn plain(number: &Number) -> String {
    match number.as_i128() {
        Some(whole) => whole.to_string(),
        None => number.as_f64().unwrap_or_default().to_string(),
    }
}

fn format_value(number: &Number) -> String {
    match number.as_i128() {
        Some(whole) => format_thousands(whole),
        None => match number.as_f64() {
            Some(value) if value.fract() == 0.0 => format_thousands(value as i128),
            _ => number.to_string(),
        },
    }
}

/// `64, 128 or 256`.
fn alternatives(values: &[Value]) -> String {
    let shown: Vec<String> = values
        .iter()
        .filter_map(Value::as_number)
        .map(format_value)
        .collect();
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first_items)) => format!("{} or {last}", first_items.join(", ")),
        None => String::new(),
    }
}
