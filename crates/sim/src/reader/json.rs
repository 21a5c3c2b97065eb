//! JSON as in the text: keys are borrowed, in their order, and repeated keys are preserved so that they can be refused.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A whole number from 0 up.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Json<'a>>),
    /// Keys and values.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl Json<'_> {
    /// The value as it appears in a message.
    pub fn format_value(&self) -> String {
        match self {
            Json::Null => "null".into(),
            Json::Bool(value) => value.to_string(),
            Json::Whole(value) => value.to_string(),
            Json::Number(value) => value.to_string(),
            Json::Text(text) => quote(text),
            Json::List(_) => "a list".into(),
            Json::Object(_) => "an object".into(),
        }
    }

    /// The value at a path of keys.
    pub fn value_at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |at, key| match at {
            Json::Object(fields) => fields
                .iter()
                .find(|field| field.0 == *key)
                .map(|field| &field.1),
            _ => None,
        })
    }

    /// A whole number from 0 up, also where it is written as `4096.0` or `4e3`.
    pub fn whole(&self) -> Option<u64> {
        const EXACT: f64 = (1u64 << 53) as f64;
        match self {
            Json::Whole(value) => Some(*value),
            Json::Number(value)
                if (0.0..EXACT).contains(value) && *value as u64 as f64 == *value =>
            {
                Some(*value as u64)
            }
            _ => None,
        }
    }

    /// A string, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Whole(value) => Some(*value as f64),
            Json::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// The same value for serde.
    pub fn to_value(&self) -> serde_json::Value {
        match self {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => (*value).into(),
            Json::Whole(value) => (*value).into(),
            Json::Number(value) => match self.whole() {
                Some(whole) => whole.into(),
                None if *value as i64 as f64 == *value => (*value as i64).into(),
                None => (*value).into(),
            },
            Json::Text(text) => text.as_ref().into(),
            Json::List(items) => items.iter().map(Json::to_value).collect(),
            Json::Object(fields) => fields
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_value()))
                .collect(),
        }
    }
}

/// Text in quotes, short enough for a message.
pub fn quote(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return format!("{text:?}");
    }
    let begin: String = text.chars().take(LONGEST).collect();
    format!("{begin:?}…")
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some((Key(key), value)) = entries.next_entry()? {
            fields.push((key, value));
        }
        Ok(Json::Object(fields))
    }
}

/// A key, borrowed if it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(AnyValue)? {
            Json::Text(key) => Ok(Key(key)),
            other => Ok(Key(Cow::Owned(other.format_value()))),
        }
    }
}
