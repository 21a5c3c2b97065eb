//! Collecting what is wrong, with its place, while reading on.

use super::json::{quoted, Json};
use super::spelling::did_you_mean;
use crate::problem::{grouped, Problem, Refused};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

/// More are counted, not listed.
const LISTED: usize = 20;

/// Everything wrong so far.
#[derive(Default)]
pub struct Findings {
    listed: Vec<Problem>,
    more: usize,
}

impl Findings {
    /// Notes a problem.
    pub fn note(
        &mut self,
        place: impl fmt::Display,
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if self.listed.len() == LISTED {
            self.more += 1;
            return;
        }
        self.listed.push(Problem {
            place: place.to_string(),
            found: found.into(),
            expected: expected.into(),
            hint: hint.into(),
        });
    }

    /// Takes over what another part refused.
    pub fn take<T>(&mut self, result: Result<T, Refused>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(Refused(problems)) => {
                for it in problems {
                    self.note(it.place, it.found, it.expected, it.hint);
                }
                None
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.listed.len() + self.more
    }

    /// Refuses if there is anything.
    pub fn refuse(&mut self) -> Result<(), Refused> {
        if self.listed.is_empty() {
            return Ok(());
        }
        let mut problems = std::mem::take(&mut self.listed);
        if self.more > 0 {
            problems.push(Problem {
                place: "and beyond these".into(),
                found: format!("{} more", grouped(self.more as i128)),
                expected: "none".into(),
                hint: String::new(),
            });
        }
        Err(Refused(problems))
    }
}

/// Where an object stands: the scenario itself or an item of one of its lists.
#[derive(Clone, Copy)]
pub enum Place {
    /// The scenario.
    Top,
    /// `flows[3]`
    Item(&'static str, usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Top => write!(f, "scenario"),
            Place::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// An object being read. A getter gives `None` where the value is not as it should be, and has noted it then.
#[derive(Clone, Copy)]
pub struct Object<'j> {
    /// Where it stands.
    pub place: Place,
    fields: &'j [(Cow<'j, str>, Json<'j>)],
}

impl<'j> Object<'j> {
    /// The object, whose keys must be among `known` and different.
    pub fn new(
        place: Place,
        json: &'j Json<'j>,
        known: &[&str],
        findings: &mut Findings,
    ) -> Option<Self> {
        let Json::Object(fields) = json else {
            let expected = format!("an object with {}", known.join(", "));
            findings.note(place, json.shown(), expected, "");
            return None;
        };
        for (n, (key, _)) in fields.iter().enumerate() {
            let at = || Field { place, key };
            if !known.contains(&key.as_ref()) {
                let expected = known.join(", ");
                let hint = did_you_mean(key, known);
                findings.note(place, format!("the key {}", quoted(key)), expected, hint);
            } else if fields[..n].iter().any(|(other, _)| other == key) {
                findings.note(at(), "this key again", "each key once", "");
            }
        }
        Some(Object { place, fields })
    }

    /// The object, of which only a key is looked at that says what others there may be.
    pub fn open(
        place: Place,
        json: &'j Json<'j>,
        expected: &str,
        findings: &mut Findings,
    ) -> Option<Self> {
        let Json::Object(fields) = json else {
            findings.note(place, json.shown(), expected, "");
            return None;
        };
        Some(Object { place, fields })
    }

    /// An object without fields, for what may be written as a list.
    pub fn empty(place: Place) -> Self {
        Object { place, fields: &[] }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'j Json<'j>> {
        let mut fields = self.fields.iter();
        fields.find(|(name, _)| name == key).map(|(_, json)| json)
    }

    /// The value of a key as a message shows it.
    pub fn shown(&self, key: &str) -> String {
        shown(self.get(key))
    }

    /// The place of a key.
    pub fn at<'k>(&self, key: &'k str) -> Field<'k> {
        let place = self.place;
        Field { place, key }
    }

    /// A whole number in `range`; `absent` stands for a missing key, `None` says that it must not be missing.
    pub fn whole(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
        absent: Option<u64>,
        findings: &mut Findings,
    ) -> Option<u64> {
        let json = self.get(key);
        if json.is_none() && absent.is_some() {
            return absent;
        }
        let value = json.and_then(Json::whole).filter(|it| range.contains(it));
        if value.is_none() {
            let (low, high) = (
                grouped((*range.start()).into()),
                grouped((*range.end()).into()),
            );
            let expected = format!("a whole number, {low} to {high}");
            findings.note(self.at(key), shown(json), expected, "");
        }
        value
    }

    /// A number in `range`; a missing key is none.
    pub fn number(
        &self,
        key: &str,
        range: RangeInclusive<f64>,
        what: &str,
        findings: &mut Findings,
    ) -> Option<f64> {
        let json = self.get(key)?;
        let value = json.number().filter(|it| range.contains(it));
        if value.is_none() {
            findings.note(self.at(key), json.shown(), what, "");
        }
        value
    }

    /// One of some words, the first of which stands for a missing key.
    pub fn word<T: Copy>(
        &self,
        key: &str,
        words: &[(&'static str, T)],
        findings: &mut Findings,
    ) -> Option<T> {
        let Some(json) = self.get(key) else {
            return Some(words[0].1);
        };
        if let Json::Text(text) = json {
            if let Some((_, value)) = words.iter().find(|(word, _)| word == text) {
                return Some(*value);
            }
        }
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let hint = match json {
            Json::Text(text) => did_you_mean(text, &words),
            _ => String::new(),
        };
        findings.note(self.at(key), json.shown(), words.join(", "), hint);
        None
    }

    /// The items of a list; a missing key is an empty one.
    pub fn list(&self, key: &'static str, findings: &mut Findings) -> &'j [Json<'j>] {
        match self.get(key) {
            None => &[],
            Some(Json::List(items)) => items,
            Some(other) => {
                findings.note(self.at(key), other.shown(), "a list", "");
                &[]
            }
        }
    }
}

/// A key in its place: `flows[3].src`, and `hosts` at the top.
pub struct Field<'k> {
    place: Place,
    key: &'k str,
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Top => write!(f, "{}", self.key),
            place => write!(f, "{place}.{}", self.key),
        }
    }
}

/// The value as a message shows it, or that there is none.
pub fn shown(json: Option<&Json>) -> String {
    json.map_or("nothing".into(), Json::shown)
}
