//! Values of requests as JSON has them.

use std::collections::BTreeMap;
use std::ffi::OsString;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Settings whose names nothing knows.
pub type Unknown = BTreeMap<String, Value>;

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

/// One value, or a list of them.
pub(crate) fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    source: D,
) -> Result<Vec<T>, D::Error> {
    Ok(match OneOrMany::deserialize(source)? {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    })
}

/// Words between commas, or a list of words.
pub(crate) fn words<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMany::<String>::deserialize(source)? {
        OneOrMany::One(text) => text.split(',').map(str::to_owned).collect(),
        OneOrMany::Many(words) => words,
    })
}

/// The arguments of a program.
pub(crate) fn arguments<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<OsString>, D::Error> {
    Ok(Vec::<String>::deserialize(source)?.into_iter().map(OsString::from).collect())
}

/// A word, or a number in its place.
pub(crate) fn word<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Word(String),
        Number(u64),
    }
    Ok(match Either::deserialize(source)? {
        Either::Word(word) => word,
        Either::Number(number) => number.to_string(),
    })
}

/// Variables of an environment: an object with their values.
pub(crate) fn variables<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<(OsString, OsString)>, D::Error> {
    let variables = BTreeMap::<String, String>::deserialize(source)?;
    Ok(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
}
