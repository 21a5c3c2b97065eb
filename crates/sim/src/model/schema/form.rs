//! The keys of the objects in a scenario file, as the schema declares them: compiled once, for the reader.

use super::scenario;
use crate::problem::format_thousands;
use crate::schema::{self, ranges, variants};
use serde_json::{Number, Value};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// The keys of one kind of object.
#[derive(Debug)]
pub struct Form {
    /// Their names, in the order of the schema.
    pub names: Vec<&'static str>,
    keys: Vec<Key>,
}

/// One key.
#[derive(Debug)]
pub struct Key {
    schema: &'static Value,
    /// The least and the largest integer.
    pub range: RangeInclusive<u64>,
    /// The same of the items of a list.
    pub items: RangeInclusive<u64>,
    /// The accepted texts, if it accepts only some.
    pub texts: Vec<&'static str>,
    /// Its value where it is missing, if that is fixed.
    pub default: Option<&'static Value>,
}

/// The forms of a scenario file.
#[derive(Debug)]
pub struct Forms {
    /// The scenario itself.
    pub scenario: Form,
    /// An item of `links`.
    pub link: Form,
    /// An item of `flows`.
    pub flow: Form,
    /// An item of `queue_pairs`.
    pub queue_pair: Form,
    /// An item of `operations`.
    pub operation: Form,
    /// An item of `devices`.
    pub device: Form,
    /// An item of `routes`.
    pub route: Form,
    /// An item of `faults`, by its kind.
    pub faults: Vec<(&'static str, Form)>,
}

/// The forms of a scenario file.
pub fn forms() -> &'static Forms {
    static FORMS: OnceLock<Forms> = OnceLock::new();
    FORMS.get_or_init(|| {
        let of_type = |name| Form::new(definition(name));
        let kind = |variant: &'static Value| variant["properties"]["kind"]["const"].as_str();
        let faults = variants(definition("Fault")).iter();
        Forms {
            scenario: Form::new(scenario()),
            link: of_type("Cable"),
            flow: of_type("Flow"),
            queue_pair: of_type("QueuePair"),
            operation: of_type("Operation"),
            device: of_type("Device"),
            route: of_type("Route"),
            faults: faults
                .filter_map(|variant| Some((kind(variant)?, Form::new(variant))))
                .collect(),
        }
    })
}

impl Forms {
    /// The kinds of faults.
    pub fn fault_kinds(&self) -> Vec<&'static str> {
        self.faults.iter().map(|(kind, _)| *kind).collect()
    }
}

impl Form {
    fn new(schema: &'static Value) -> Self {
        let properties = schema["properties"].as_object().expect("an object");
        Form {
            names: properties.keys().map(String::as_str).collect(),
            keys: properties.values().map(Key::new).collect(),
        }
    }

    /// The key of that name.
    ///
    /// # Panics
    ///
    /// The schema has no such key.
    pub fn key(&self, name: &str) -> &Key {
        let position = self.names.iter().position(|known_name| *known_name == name);
        &self.keys[position.unwrap_or_else(|| panic!("the schema declares {name}"))]
    }
}

impl Key {
    fn new(property: &'static Value) -> Self {
        let schema = resolve(property);
        let texts = variants(schema)
            .iter()
            .filter_map(|variant| variant["const"].as_str());
        let items = resolve(&of_type(schema, "array")["items"]);
        Key {
            schema,
            range: range(of_type(schema, "integer")),
            items: range(of_type(items, "integer")),
            texts: texts.collect(),
            default: property.get("default"),
        }
    }

    /// Whether a number is in its range.
    pub fn fits(&self, number: f64) -> bool {
        Number::from_f64(number).is_some_and(|number| ranges::fits(self.schema, &number))
    }

    /// The expected number, as text.
    pub fn expected_number(&self) -> String {
        let unit = self.schema["x-unit"].as_str().unwrap_or_default();
        let text = format!(
            "a number, {} {unit}",
            ranges::format_expected_range(self.schema)
        );
        text.trim_end().into()
    }
}

/// The definition of a type in the schema of a scenario.
fn definition(name: &str) -> &'static Value {
    &scenario()["$defs"][name]
}

fn resolve(schema: &'static Value) -> &'static Value {
    schema::resolve(scenario(), schema)
}

/// The variant of a type; the schema itself where it has no such variant.
fn of_type(schema: &'static Value, name: &str) -> &'static Value {
    let mut variants = variants(schema).iter().map(resolve);
    variants
        .find(|variant| variant["type"] == name)
        .unwrap_or(schema)
}

fn range(schema: &Value) -> RangeInclusive<u64> {
    let bound = |key: &str| schema[key].as_u64();
    bound("minimum").unwrap_or(0)..=bound("maximum").unwrap_or(u64::MAX)
}

/// The expected integer, as text.
pub fn expected_whole(range: &RangeInclusive<u64>) -> String {
    let (least, most) = (
        format_thousands((*range.start()).into()),
        format_thousands((*range.end()).into()),
    );
    format!("a whole number, {least} to {most}")
}
