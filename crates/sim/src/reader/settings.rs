//! The `parameters` of a scenario, applied to those of the preset one by one so that a refusal contains the exact path.

use super::error_location;
use super::json::{quote, Json};
use super::problems::Problems;
use super::suggestion::did_you_mean;
use crate::model::parameters::Parameters;
use serde_json::Value;

/// Applies the settings of the file to parameters; invalid ones are added as problems and left out. `root` is their path in
/// the file.
pub fn overlay(base: Parameters, json: &Json, root: &str, problems: &mut Problems) -> Parameters {
    let mut tree = serde_json::to_value(&base).expect("parameters are plain data");
    let mut overlay = Overlay {
        result: base,
        root,
        problems,
    };
    let root = tree.clone();
    overlay.object(&mut tree, &root, &mut Vec::new(), json);
    overlay.result
}

struct Overlay<'f> {
    /// The parameters with all settings applied so far.
    result: Parameters,
    root: &'f str,
    problems: &'f mut Problems,
}

impl Overlay<'_> {
    /// Applies an object to the one at `path`. `here` is the current value.
    fn object(
        &mut self,
        tree: &mut Value,
        known_tree: &Value,
        path: &mut Vec<String>,
        json: &Json,
    ) {
        let (Value::Object(known), Json::Object(fields)) = (known_tree, json) else {
            return self.whole(tree, path, json);
        };
        if changes_kind(known_tree, json) {
            return self.whole(tree, path, json);
        }
        let keys: Vec<&str> = known.keys().map(String::as_str).collect();
        for (n, (key, value)) in fields.iter().enumerate() {
            let Some(inner) = known.get(key.as_ref()) else {
                let hint = did_you_mean(key, &keys);
                let found = format!("the key {}", quote(key));
                let location = self.location(path);
                self.problems.note(location, found, keys.join(", "), hint);
                continue;
            };
            path.push(key.to_string());
            if fields[..n].iter().any(|(other, _)| other == key) {
                let location = self.location(path);
                let found = "this key again";
                self.problems.note(location, found, "each key once", "");
            } else {
                self.object(tree, inner, path, value);
            }
            path.pop();
        }
    }

    /// Replaces the value at `path`, unless the parameters are then invalid.
    fn whole(&mut self, tree: &mut Value, path: &[String], json: &Json) {
        let problem_count = self.problems.count();
        self.check_repeated_keys(path, json);
        if self.problems.count() > problem_count {
            return;
        }
        let previous = std::mem::replace(slot(tree, path), json.to_value());
        match serde_json::from_value(tree.clone()) {
            Ok(parameters) => self.result = parameters,
            Err(error) => {
                let message = error.to_string();
                let location = error_location::find_error(tree, path, &message);
                let inner = json.value_at(&location[path.len()..]).unwrap_or(json);
                let refusal = describe_refusal(&message, inner);
                self.problems.note(
                    self.location(&location),
                    refusal.found,
                    refusal.expected,
                    refusal.hint,
                );
                *slot(tree, path) = previous;
            }
        }
    }

    /// Adds a problem for repeated keys, at any depth.
    fn check_repeated_keys(&mut self, path: &[String], json: &Json) {
        let Json::Object(fields) = json else { return };
        for (n, (key, value)) in fields.iter().enumerate() {
            let inner: Vec<String> = path.iter().cloned().chain([key.to_string()]).collect();
            if fields[..n].iter().any(|(other, _)| other == key) {
                let location = self.location(&inner);
                let found = "this key again";
                self.problems.note(location, found, "each key once", "");
            }
            self.check_repeated_keys(&inner, value);
        }
    }

    fn location(&self, path: &[String]) -> String {
        let names = path.iter().map(String::as_str);
        let whole: Vec<&str> = std::iter::once(self.root).chain(names).collect();
        whole.join(".")
    }
}

/// Another rule or algorithm has other settings, so the object is a new one.
fn changes_kind(known_tree: &Value, json: &Json) -> bool {
    let Json::Object(fields) = json else {
        return false;
    };
    let kind = |key: &str| {
        let mut fields = fields.iter();
        fields
            .find(|(name, _)| name == key)
            .map(|(_, json)| json.to_value())
    };
    ["rule", "algorithm"].into_iter().any(|key| {
        kind(key).is_some_and(|kind| {
            known_tree
                .get(key)
                .is_some_and(|known_kind| *known_kind != kind)
        })
    })
}

/// The value at `path`.
fn slot<'t>(tree: &'t mut Value, path: &[String]) -> &'t mut Value {
    path.iter().fold(tree, |at, key| &mut at[key.as_str()])
}

struct Refusal {
    found: String,
    expected: String,
    hint: String,
}

/// Rephrases serde's message as found and expected values.
fn describe_refusal(message: &str, json: &Json) -> Refusal {
    if let Some((key, known)) = error_location::unknown(message, "unknown field") {
        return Refusal {
            found: format!("the key {}", quote(key)),
            expected: known.join(", "),
            hint: did_you_mean(key, &known),
        };
    }
    let hint = match error_location::unknown(message, "unknown variant") {
        Some((word, known)) => did_you_mean(word, &known),
        None => String::new(),
    };
    let (found, expected) = rephrase(message, json);
    Refusal {
        found,
        expected,
        hint,
    }
}

fn rephrase(message: &str, json: &Json) -> (String, String) {
    let message = message.replace('`', "\"");
    if let Some(field) = message.strip_prefix("missing field ") {
        return (json.format_value(), format!("an object with {field}"));
    }
    let Some((found, expected)) = message.split_once(", expected ") else {
        return (json.format_value(), message);
    };
    let found = match found.split_once(": ") {
        Some(("invalid type" | "invalid value", _)) if !matches!(json, Json::Object(_)) => {
            json.format_value()
        }
        _ => found.replace("invalid length", "a list of"),
    };
    let expected = match expected {
        "u8" => "a whole number, 0 to 255",
        "u16" => "a whole number, 0 to 65,535",
        "u32" => "a whole number, 0 to 4,294,967,295",
        "u64" => "a whole number from 0 up",
        "i8" => "a whole number, -128 to 127",
        "f64" => "a number",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") || other.starts_with("internally tagged") => {
            "an object"
        }
        other => other,
    };
    (found, expected.to_string())
}
