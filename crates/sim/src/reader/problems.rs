//! The problems of a scenario with their locations, collected during reading.

use super::json::{quote, Json};
use super::suggestion::did_you_mean;
use crate::model::schema::form::{expected_whole, Form};
use crate::problem::{format_thousands, Problem, Refusal};
use serde::de::value::{Error, StrDeserializer};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

/// Maximum number of listed problems; more are counted.
const LISTED: usize = 20;

/// All problems so far.
#[derive(Default)]
pub struct Problems {
    listed: Vec<Problem>,
    more: usize,
}

impl Problems {
    /// Adds a problem.
    pub fn note(
        &mut self,
        location: impl fmt::Display,
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if self.listed.len() == LISTED {
            self.more += 1;
            return;
        }
        self.listed.push(Problem {
            location: location.to_string(),
            found: found.into(),
            expected: expected.into(),
            hint: hint.into(),
        });
    }

    /// Adds the problems of a refusal.
    pub fn take<T>(&mut self, result: Result<T, Refusal>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(Refusal(problems)) => {
                for problem in problems {
                    self.note(
                        problem.location,
                        problem.found,
                        problem.expected,
                        problem.hint,
                    );
                }
                None
            }
        }
    }

    /// Replaces the problem at the same location, or adds one.
    pub fn replace(&mut self, location: String, found: String, expected: String) {
        match self
            .listed
            .iter_mut()
            .find(|problem| problem.location == location)
        {
            Some(noted) => (noted.found, noted.expected) = (found, expected),
            None => self.note(location, found, expected, ""),
        }
    }

    /// Number of problems.
    pub fn count(&self) -> usize {
        self.listed.len() + self.more
    }

    /// Returns the refusal if there are problems.
    pub fn refuse(&mut self) -> Result<(), Refusal> {
        if self.listed.is_empty() {
            return Ok(());
        }
        let mut problems = std::mem::take(&mut self.listed);
        if self.more > 0 {
            problems.push(Problem {
                location: "and beyond these".into(),
                found: format!("{} more", format_thousands(self.more as i128)),
                expected: "none".into(),
                hint: String::new(),
            });
        }
        Err(Refusal(problems))
    }
}

/// Location of an object: the scenario itself or an item of one of its lists.
#[derive(Clone, Copy)]
pub enum ObjectPath {
    /// The scenario.
    Top,
    /// `flows[3]`
    Item(&'static str, usize),
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectPath::Top => write!(f, "scenario"),
            ObjectPath::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// An object being read. A getter returns `None` for an invalid value after adding the problem.
#[derive(Clone, Copy)]
pub struct Object<'j> {
    /// Its location.
    pub location: ObjectPath,
    form: &'static Form,
    fields: &'j [(Cow<'j, str>, Json<'j>)],
}

impl<'j> Object<'j> {
    /// The object; adds a problem for each unknown and each repeated key.
    pub fn new(
        location: ObjectPath,
        json: &'j Json<'j>,
        form: &'static Form,
        problems: &mut Problems,
    ) -> Option<Self> {
        let known = form.names.as_slice();
        let Json::Object(fields) = json else {
            let expected = format!("an object with {}", known.join(", "));
            problems.note(location, json.format_value(), expected, "");
            return None;
        };
        for (n, (key, _)) in fields.iter().enumerate() {
            let at = || Field { location, key };
            if !known.contains(&key.as_ref()) {
                let expected = known.join(", ");
                let hint = did_you_mean(key, known);
                problems.note(location, format!("the key {}", quote(key)), expected, hint);
            } else if fields[..n].iter().any(|(other, _)| other == key) {
                problems.note(at(), "this key again", "each key once", "");
            }
        }
        Some(Object {
            location,
            form,
            fields,
        })
    }

    /// An object without keys, for a value that may also be written as a list.
    pub fn empty(location: ObjectPath, form: &'static Form) -> Self {
        Object {
            location,
            form,
            fields: &[],
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'j Json<'j>> {
        let mut fields = self.fields.iter();
        fields.find(|(name, _)| name == key).map(|(_, json)| json)
    }

    /// The value of a key as it appears in a message.
    pub fn format_value(&self, key: &str) -> String {
        format_value(self.get(key))
    }

    /// The location of a key.
    pub fn location<'k>(&self, key: &'k str) -> Field<'k> {
        let location = self.location;
        Field { location, key }
    }

    /// The integer of a key in the range of the schema; its default where the key is missing.
    pub fn whole(&self, key: &str, problems: &mut Problems) -> Option<u64> {
        self.whole_up_to(key, u64::MAX, problems)
    }

    /// The same, and at most `last`.
    pub fn whole_up_to(&self, key: &str, last: u64, problems: &mut Problems) -> Option<u64> {
        self.whole_within(key, 0..=last, problems)
    }

    /// The same, and in `narrower`.
    pub fn whole_within(
        &self,
        key: &str,
        narrower: RangeInclusive<u64>,
        problems: &mut Problems,
    ) -> Option<u64> {
        let declared = self.form.key(key);
        let json = self.get(key);
        if let (None, Some(default)) = (json, declared.default) {
            return default.as_u64();
        }
        let least = *narrower.start().max(declared.range.start());
        let most = *narrower.end().min(declared.range.end());
        let range = least..=most;
        let value = json
            .and_then(Json::whole)
            .filter(|number| range.contains(number));
        if value.is_none() {
            problems.note(
                self.location(key),
                format_value(json),
                expected_whole(&range),
                "",
            );
        }
        value
    }

    /// The integer of a key that may be missing; `Some(None)` where it is.
    pub fn whole_or_none(&self, key: &str, problems: &mut Problems) -> Option<Option<u64>> {
        match self.get(key) {
            None => Some(None),
            Some(_) => self.whole(key, problems).map(Some),
        }
    }

    /// The number of a key in the range of the schema; its default where the key is missing.
    pub fn number(&self, key: &str, problems: &mut Problems) -> Option<f64> {
        let declared = self.form.key(key);
        let json = self.get(key);
        if let (None, Some(default)) = (json, declared.default) {
            return default.as_f64();
        }
        let number = json.and_then(Json::number);
        let value = number.filter(|number| declared.fits(*number));
        if value.is_none() {
            problems.note(
                self.location(key),
                format_value(json),
                declared.expected_number(),
                "",
            );
        }
        value
    }

    /// The accepted text of a key; its default where the key is missing.
    pub fn choice<T: DeserializeOwned>(&self, key: &str, problems: &mut Problems) -> Option<T> {
        let declared = self.form.key(key);
        let json = self.get(key);
        let text = match (json, declared.default) {
            (Some(Json::Text(text)), _) => Some(text.as_ref()),
            (None, Some(default)) => default.as_str(),
            _ => None,
        };
        let deserializer = text.map(StrDeserializer::<Error>::new);
        let value = deserializer.and_then(|text| T::deserialize(text).ok());
        if value.is_none() {
            note_choice(self.location(key), json, &declared.texts, problems);
        }
        value
    }

    /// The items of a list; empty if the key is missing.
    pub fn list(&self, key: &'static str, problems: &mut Problems) -> &'j [Json<'j>] {
        match self.get(key) {
            None => &[],
            Some(Json::List(items)) => items,
            Some(other) => {
                problems.note(self.location(key), other.format_value(), "a list", "");
                &[]
            }
        }
    }
}

/// Adds a problem for a value that is none of the accepted texts.
pub fn note_choice(
    location: impl fmt::Display,
    json: Option<&Json>,
    texts: &[&str],
    problems: &mut Problems,
) {
    let hint = match json {
        Some(Json::Text(text)) => did_you_mean(text, texts),
        _ => String::new(),
    };
    problems.note(location, format_value(json), texts.join(", "), hint);
}

/// A key with its location: `flows[3].src`, and `hosts` at the top.
pub struct Field<'k> {
    location: ObjectPath,
    key: &'k str,
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            ObjectPath::Top => write!(f, "{}", self.key),
            location => write!(f, "{location}.{}", self.key),
        }
    }
}

/// The value as it appears in a message, or `nothing`.
pub fn format_value(json: Option<&Json>) -> String {
    json.map_or("nothing".into(), Json::format_value)
}
