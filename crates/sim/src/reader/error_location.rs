//! Where in an object serde refuses what it refuses: its messages name no place. The place is where another value makes it
//! say something else.

use crate::model::parameters::Parameters;
use serde_json::{Map, Value};

/// What says which of several forms an object has: without it serde refuses the form, and says nothing of the rest.
const TAGS: [&str; 2] = ["rule", "algorithm"];

/// The path of what `message` is about, in the value at `path` that it was said of; that path if none is found.
pub fn place(tree: &Value, path: &[String], message: &str) -> Vec<String> {
    let probe = Probe { tree, message };
    let mut objects = Vec::new();
    let value = path.iter().fold(tree, |at, key| &at[key.as_str()]);
    within(value, path, &mut objects);
    let found = objects
        .into_iter()
        .find_map(|(path, object)| probe.place(path, object));
    found.unwrap_or_else(|| path.to_vec())
}

/// The word of a message such as `unknown field`, and those that it expects instead.
pub fn unknown<'m>(message: &'m str, what: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix(what)?.strip_prefix(" `")?;
    let (word, expected) = rest.split_once("`, ")?;
    Some((word, expected.split('`').skip(1).step_by(2).collect()))
}

/// All objects in a value, outer ones first.
fn within<'v>(
    value: &'v Value,
    path: &[String],
    found: &mut Vec<(Vec<String>, &'v Map<String, Value>)>,
) {
    let Value::Object(fields) = value else { return };
    found.push((path.to_vec(), fields));
    for (key, inner) in fields {
        within(inner, &below(path, key), found);
    }
}

fn below(path: &[String], key: &str) -> Vec<String> {
    path.iter().cloned().chain([key.to_string()]).collect()
}

/// Asks serde about trees that differ in one place.
struct Probe<'t> {
    tree: &'t Value,
    message: &'t str,
}

impl Probe<'_> {
    /// What in this object the message is about, not looking into inner ones.
    fn place(&self, path: Vec<String>, object: &Map<String, Value>) -> Option<Vec<String>> {
        if let Some(field) = self.message.strip_prefix("missing field `") {
            let field = field.strip_suffix('`')?;
            let of_this = self.with(&path, |it| it.insert(field.into(), Value::Null));
            return of_this
                .filter(|it| !it.starts_with("unknown"))
                .map(|_| path);
        }
        if let Some((key, _)) = unknown(self.message, "unknown field") {
            return self.with(&path, |it| it.remove(key)).map(|_| path);
        }
        let tag = unknown(self.message, "unknown variant").is_some();
        let single = |key: &str, value: &Value| !value.is_object() && (tag || !TAGS.contains(&key));
        let mut fields = object.iter().filter(|(key, value)| single(key, value));
        let (key, _) = fields.find(|(key, _)| self.with(&path, |it| it.remove(*key)).is_some())?;
        Some(below(&path, key))
    }

    /// What serde says after an edit of the object at `path`, nothing of what it accepts; `None` where it says the same.
    fn with(
        &self,
        path: &[String],
        edit: impl FnOnce(&mut Map<String, Value>) -> Option<Value>,
    ) -> Option<String> {
        let mut tree = self.tree.clone();
        let slot = path.iter().fold(&mut tree, |at, key| &mut at[key.as_str()]);
        edit(slot.as_object_mut()?);
        let said = match serde_json::from_value::<Parameters>(tree) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        (said != self.message).then_some(said)
    }
}
