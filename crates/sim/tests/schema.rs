//! The reader accepts the numbers at the ends of every range in the schema, and refuses those beyond.

use serde_json::{json, Map, Value};
use wirespeed_sim::model::schema;
use wirespeed_sim::problem::Problem;
use wirespeed_sim::reader;

/// Keys whose range the rest of the scenario narrows: nodes, ports and other parts by their index, the MTU of datagrams.
const NARROWED: [&str; 22] = [
    "until_ns",
    "a",
    "b",
    "src",
    "dst",
    "a_port",
    "b_port",
    "src_port",
    "dst_port",
    "node",
    "nodes",
    "destination",
    "nic_port",
    "link",
    "links",
    "ports",
    "queue_pair",
    "to",
    "after",
    "hosts",
    "switches",
    "bytes",
];

/// Parameters whose range another parameter narrows, or that are refused for what they come to.
const DEPENDENT: [&str; 20] = [
    "switch.buffer_bytes",
    "switch.shared_headroom.bytes",
    "switch.pools.lossless_percent",
    "switch.pools.lossy_percent",
    "marking.kmin_bytes",
    "nic.pipe.receive_buffer_bytes",
    "nic.pipe.xoff_bytes",
    "nic.pipe.xon_bytes",
    "congestion.min_rate_bps",
    "congestion.rpg_min_rate_mbps",
    "congestion.rate_to_set_on_first_cnp_mbps",
    "congestion.cr_min_th",
    "congestion.init_cr",
    "congestion.init_tr",
    "congestion.ai_rtt_th2",
    "congestion.t_high_ns",
    "congestion.fs_max_window_packets",
    "congestion.max_window_packets",
    "congestion.initial_window_packets",
    "link_delay_ns",
];

/// Sizes, times and priorities of devices are not plain integers, which would mix with each other.
#[test]
fn sizes_times_and_priorities_have_types() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model");
    let mut fields = 0;
    for file in ["parameters.rs", "pcie.rs"] {
        let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
        for line in text.lines() {
            let field = line.trim().strip_suffix(',').and_then(|field| {
                let (name, kind) = field.trim_start_matches("pub ").split_once(": ")?;
                Some((name.rsplit('_').next()?, kind))
            });
            let Some(("bytes" | "ns" | "priority", kind)) = field else {
                continue;
            };
            fields += 1;
            let is_plain = kind.trim_start_matches("Option<").starts_with('u');
            assert!(!is_plain, "{file}: {}", line.trim());
        }
    }
    assert!(fields > 40, "{fields}");
}

#[test]
fn parameters_at_the_ends_of_their_ranges() {
    let mut count = 0;
    let parameters = &schema::scenario()["$defs"]["Parameters"];
    for section in numbers(parameters, "", json!({})) {
        section.check("parameters", &|value| scenario("parameters", value));
        count += 1;
    }
    assert!(count > 180, "{count} numbers");
}

#[test]
fn items_at_the_ends_of_their_ranges() {
    let mut count = 0;
    let items = [
        ("links", "Cable", json!({"a": 0, "b": 2})),
        ("flows", "Flow", json!({"src": 0, "dst": 1, "bytes": 1})),
        ("queue_pairs", "QueuePair", json!({"a": 0, "b": 1})),
        (
            "operations",
            "Operation",
            json!({"queue_pair": 0, "bytes": 1}),
        ),
        ("devices", "Device", json!({"nodes": [0], "parameters": {}})),
        (
            "routes",
            "Route",
            json!({"node": 2, "destination": 0, "ports": ["2:0"]}),
        ),
        ("faults", "Fault", json!({})),
    ];
    for (list, name, item) in items {
        let definition = &schema::scenario()["$defs"][name];
        for number in numbers(definition, "", item) {
            if !number.path.starts_with("parameters") {
                number.check(&format!("{list}[0]"), &|item| {
                    let mut all = scenario(list, json!([item]));
                    if list == "links" {
                        all[list] = json!([item, [1, 2]]);
                    }
                    all
                });
                count += 1;
            }
        }
    }
    assert!(count > 40, "{count} numbers");
}

#[test]
fn top_level_numbers_at_the_ends_of_their_ranges() {
    let properties = schema::scenario()["properties"].as_object().unwrap();
    for key in [
        "hosts",
        "switches",
        "link_gbps",
        "link_delay_ns",
        "buffer_bytes",
    ] {
        let schema = leaf(&properties[key]).expect("a number");
        let number = Number {
            path: key.into(),
            schema,
            whole: json!({}),
        };
        number.check("", &|value| {
            let mut text = scenario("name", json!("pair"));
            text[key] = value[key].clone();
            text
        });
    }
}

/// A number somewhere in an object.
struct Number {
    /// Its path in the object.
    path: String,
    schema: &'static Value,
    /// The object with a valid value at the path.
    whole: Value,
}

impl Number {
    fn check(&self, root: &str, scenario: &dyn Fn(Value) -> Value) {
        let separator = if root.is_empty() { "" } else { "." };
        let location = format!("{root}{separator}{}", self.path);
        let last = self.path.rsplit('.').next().unwrap_or_default();
        let narrowed = NARROWED.contains(&last.split('[').next().unwrap_or_default());
        let narrowed = narrowed && !root.starts_with("parameters");
        let dependent = DEPENDENT.contains(&self.path.as_str());
        let list = location.trim_end_matches("[0]"); // a list that is wrong may be refused as a whole
        for value in valid_values(self.schema) {
            let problems = refusals(&scenario(self.replace_value(&value)));
            let problem_here = problems.iter().find(|problem| problem.location == location);
            assert!(
                problem_here.is_none() || narrowed || dependent,
                "{location} = {value}: {problems:?}"
            );
        }
        for value in invalid_values(self.schema) {
            let problems = refusals(&scenario(self.replace_value(&value)));
            assert!(
                problems
                    .iter()
                    .any(|problem| problem.location == location || problem.location == list),
                "{location} = {value} was accepted: {problems:?}"
            );
        }
    }

    /// The object with another value at the path.
    fn replace_value(&self, value: &Value) -> Value {
        let mut whole = self.whole.clone();
        let mut slot = &mut whole;
        for key in self.path.replace('[', ".[").split('.') {
            slot = match key.strip_prefix('[').and_then(|key| key.strip_suffix(']')) {
                Some(index) => &mut slot[index.parse::<usize>().unwrap()],
                None => &mut slot[key],
            };
        }
        *slot = value.clone();
        whole
    }
}

/// Two hosts at a switch, and one more key.
fn scenario(key: &str, value: Value) -> Value {
    let mut scenario = json!({
        "hosts": 2, "switches": 1, "links": [[0, 2], [1, 2]], "link_gbps": 100, "link_delay_ns": 10,
        "flows": [{"src": 0, "dst": 1, "bytes": 1}], "queue_pairs": [{"a": 0, "b": 1}],
    });
    scenario[key] = value;
    scenario
}

fn refusals(scenario: &Value) -> Vec<Problem> {
    match reader::read(&scenario.to_string(), "roce", 1) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.0,
    }
}

/// Every number below a schema. `whole` is a valid value of the whole.
fn numbers(schema: &'static Value, path: &str, whole: Value) -> Vec<Number> {
    let schema = resolve(schema);
    if let Some(variants) = variants(schema) {
        return variants
            .iter()
            .flat_map(|variant| {
                let whole = insert_value(&whole, path, sample(variant));
                numbers(variant, path, whole)
            })
            .collect();
    }
    if let Some(properties) = schema["properties"].as_object() {
        let below = |key: &str| match path {
            "" => key.to_string(),
            path => format!("{path}.{key}"),
        };
        return properties
            .iter()
            .flat_map(|(key, property)| numbers(property, &below(key), whole.clone()))
            .collect();
    }
    match leaf(schema) {
        Some(schema) if !path.is_empty() => vec![Number {
            path: path.into(),
            schema,
            whole: insert_value(&whole, path, sample(schema)),
        }],
        _ if schema["items"].is_object() => {
            let whole = insert_value(&whole, path, list_of(schema));
            numbers(&schema["items"], &format!("{path}[0]"), whole)
        }
        _ => Vec::new(),
    }
}

/// `whole` with a value at a path, unless there is one.
fn insert_value(whole: &Value, path: &str, value: Value) -> Value {
    let mut placed = whole.clone();
    if path.is_empty() {
        return value;
    }
    if path.contains('[') {
        return placed;
    }
    let mut slot = &mut placed;
    for key in path.split('.') {
        slot = &mut slot[key];
    }
    *slot = value;
    placed
}

/// The number of a schema, if it may be one.
fn leaf(schema: &'static Value) -> Option<&'static Value> {
    let schema = resolve(schema);
    if let Some(variants) = variants(schema) {
        return variants.iter().find_map(leaf);
    }
    let is_number = |type_name: &Value| type_name == "integer" || type_name == "number";
    let found = match &schema["type"] {
        Value::Array(types) => types.iter().any(is_number),
        single => is_number(single),
    };
    found.then_some(schema)
}

/// A valid value of a schema.
fn sample(schema: &'static Value) -> Value {
    let outer = schema;
    let schema = resolve(schema);
    for key in ["const", "default"] {
        if let Some(value) = outer
            .get(key)
            .or(schema.get(key))
            .filter(|value| !value.is_null())
        {
            return value.clone();
        }
    }
    if let Some(value) = outer["x-presets"]["roce"].as_object() {
        return Value::Object(value.clone());
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    if let Some(variants) = variants(schema) {
        return sample(&variants[0]);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array();
        let required = |name: &String| {
            required.is_none_or(|all| all.iter().any(|required_name| required_name == name))
        };
        let fields = properties.iter().filter(|(key, _)| required(key));
        let fields: Map<String, Value> = fields
            .map(|(key, schema)| (key.clone(), sample(schema)))
            .collect();
        return Value::Object(fields);
    }
    match leaf(schema) {
        Some(schema) => valid_values(schema).remove(0),
        None if schema["type"] == "boolean" => json!(false),
        None if schema["type"] == "array" => list_of(schema),
        None => json!("x"),
    }
}

/// The shortest list that is not empty.
fn list_of(schema: &'static Value) -> Value {
    let count = schema["minItems"].as_u64().unwrap_or(1).max(1);
    Value::Array(vec![sample(&schema["items"]); count as usize])
}

fn resolve(schema: &'static Value) -> &'static Value {
    match schema["$ref"].as_str() {
        Some(path) => resolve(&schema::scenario()["$defs"][path.rsplit('/').next().unwrap()]),
        None => schema,
    }
}

/// The variants that are not null.
fn variants(schema: &'static Value) -> Option<&'static Vec<Value>> {
    ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| schema[key].as_array())
}

/// The least and the largest values that fit.
fn valid_values(schema: &Value) -> Vec<Value> {
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .filter(|value| value.is_number())
            .cloned()
            .collect();
    }
    let just = |key: &str, step: f64| schema[key].as_f64().map(|bound| json!(bound + step));
    let least = schema
        .get("minimum")
        .cloned()
        .or(just("exclusiveMinimum", 1e-9));
    let most = schema
        .get("maximum")
        .cloned()
        .or(just("exclusiveMaximum", -1e-9));
    least.into_iter().chain(most).collect()
}

/// The nearest values that do not.
fn invalid_values(schema: &Value) -> Vec<Value> {
    if let Some(values) = schema["enum"].as_array() {
        let near = values.iter().filter_map(Value::as_u64);
        return near
            .flat_map(|value| [json!(value - 1), json!(value + 1)])
            .filter(|value| !values.contains(value))
            .collect();
    }
    let is_whole = schema["format"] != "double";
    let beyond = |key: &str, step: i128| {
        let bound = schema[key].as_number()?;
        match bound.as_i128().filter(|_| is_whole) {
            Some(whole) => Some(serde_json::from_str(&(whole + step).to_string()).unwrap()),
            None => bound
                .as_f64()
                .map(|bound| json!(bound + step as f64 * 1e-6)),
        }
    };
    let ends = [("minimum", -1), ("maximum", 1)];
    let ends = ends.into_iter().filter_map(|(key, step)| beyond(key, step));
    let excluded = ["exclusiveMinimum", "exclusiveMaximum"];
    let excluded = excluded
        .into_iter()
        .filter_map(|key| schema.get(key).cloned());
    ends.chain(excluded).collect()
}
