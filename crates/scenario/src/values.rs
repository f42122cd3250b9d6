//! Values of settings as numbers, with errors that say what is wrong.

use mpirage_platform::Value;
use mpirage_units::{BANDWIDTH, BYTES, DURATION, Quantity};

/// A bandwidth, in bytes per second.
pub(crate) fn bandwidth(value: &Value) -> Result<f64, String> {
    quantity(value, &BANDWIDTH)
}

/// The elements of a list.
pub(crate) fn list(value: &Value) -> Result<&[Value], String> {
    match value {
        Value::List(values) => Ok(values),
        other => Err(format!("{other} is not a list of tables")),
    }
}

/// The fields of a table, which may only be those that are known.
pub(crate) fn table<'v>(value: &'v Value, known: &[&str]) -> Result<&'v [(String, Value)], String> {
    let Value::Table(fields) = value else { return Err(format!("{value} is not a table")) };
    match fields.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, _)) => Err(format!("unknown key `{key}`; there are {}", known.join(", "))),
        None => Ok(fields),
    }
}

/// True or false.
pub(crate) fn truth(value: &Value) -> Result<bool, String> {
    match value {
        Value::Boolean(truth) => Ok(*truth),
        other => Err(format!("{other} is neither true nor false")),
    }
}

/// A number, or a text with a unit that fits.
pub(crate) fn quantity(value: &Value, kind: &Quantity) -> Result<f64, String> {
    let read = match value {
        Value::Text(text) => kind.read(text).map(|read| read.value()),
        Value::Integer(number) => kind.check(*number as f64),
        Value::Float(number) => kind.check(*number),
        other => return Err(format!("{other} is not a number")),
    };
    read.map_err(|problem| problem.to_string())
}

/// A whole number of bytes.
pub(crate) fn bytes(value: &Value) -> Result<u64, String> {
    let read = match value {
        Value::Text(text) => BYTES.read_whole(text),
        Value::Integer(number) => BYTES.check_whole(*number as f64),
        Value::Float(number) => BYTES.check_whole(*number),
        other => return Err(format!("{other} is not a number of bytes")),
    };
    read.map_err(|problem| problem.to_string())
}

/// A time, in seconds.
pub(crate) fn seconds(value: &Value) -> Result<f64, String> {
    quantity(value, &DURATION)
}

/// The field of that name.
pub(crate) fn field<'v>(fields: &'v [(String, Value)], name: &str) -> Option<&'v Value> {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}
