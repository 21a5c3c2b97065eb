//! Finds the location of an error of serde, whose messages contain none: the key or value whose change also changes the
//! message.

use crate::model::parameters::Parameters;
use serde_json::{Map, Value};

/// Keys that select one of several forms of an object: without them serde reports the missing key only.
const TAGS: [&str; 2] = ["rule", "algorithm"];

/// The path of the key or value that `message` refers to, within the value at `path`; `path` if none is found.
pub fn find_error(tree: &Value, path: &[String], message: &str) -> Vec<String> {
    let probe = Probe { tree, message };
    let mut objects = Vec::new();
    let value = path.iter().fold(tree, |at, key| &at[key.as_str()]);
    collect_objects(value, path, &mut objects);
    let found = objects
        .into_iter()
        .find_map(|(path, object)| probe.find_key(path, object));
    found.unwrap_or_else(|| path.to_vec())
}

/// The rejected name in a message such as `unknown field`, and the accepted names.
pub fn unknown<'m>(message: &'m str, prefix: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let names = message.strip_prefix(prefix)?.strip_prefix(" `")?;
    let (name, expected) = names.split_once("`, ")?;
    Some((name, expected.split('`').skip(1).step_by(2).collect()))
}

/// Collects all objects in a value, outer ones first.
fn collect_objects<'v>(
    value: &'v Value,
    path: &[String],
    found: &mut Vec<(Vec<String>, &'v Map<String, Value>)>,
) {
    let Value::Object(fields) = value else { return };
    found.push((path.to_vec(), fields));
    for (key, inner) in fields {
        collect_objects(inner, &append_key(path, key), found);
    }
}

fn append_key(path: &[String], key: &str) -> Vec<String> {
    path.iter().cloned().chain([key.to_string()]).collect()
}

/// Deserializes variants of a tree that differ in one location.
struct Probe<'t> {
    tree: &'t Value,
    message: &'t str,
}

impl Probe<'_> {
    /// The key of this object that the message refers to; inner objects are not searched.
    fn find_key(&self, path: Vec<String>, object: &Map<String, Value>) -> Option<Vec<String>> {
        if let Some(field) = self.message.strip_prefix("missing field `") {
            let field = field.strip_suffix('`')?;
            let of_this =
                self.message_after(&path, |fields| fields.insert(field.into(), Value::Null));
            return of_this
                .filter(|message| !message.starts_with("unknown"))
                .map(|_| path);
        }
        if let Some((key, _)) = unknown(self.message, "unknown field") {
            return self
                .message_after(&path, |fields| fields.remove(key))
                .map(|_| path);
        }
        let tag = unknown(self.message, "unknown variant").is_some();
        let single = |key: &str, value: &Value| !value.is_object() && (tag || !TAGS.contains(&key));
        let mut fields = object.iter().filter(|(key, value)| single(key, value));
        let (key, _) = fields.find(|(key, _)| {
            self.message_after(&path, |fields| fields.remove(*key))
                .is_some()
        })?;
        Some(append_key(&path, key))
    }

    /// The message after an edit of the object at `path`, empty if the tree is valid; `None` if the message stays the same.
    fn message_after(
        &self,
        path: &[String],
        edit: impl FnOnce(&mut Map<String, Value>) -> Option<Value>,
    ) -> Option<String> {
        let mut tree = self.tree.clone();
        let slot = path.iter().fold(&mut tree, |at, key| &mut at[key.as_str()]);
        edit(slot.as_object_mut()?);
        let message = match serde_json::from_value::<Parameters>(tree) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        (message != self.message).then_some(message)
    }
}
