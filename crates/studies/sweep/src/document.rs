//! A study file as TOML: tables whose keys are known and whose refusals name the line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::error::{Source, StudyError};

/// A table of the file.
pub(crate) struct Table<'d> {
    pub source: &'d Source<'d>,
    table: &'d DeTable<'d>,
    span: Range<usize>,
}

/// A key and its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'d> {
    pub source: &'d Source<'d>,
    pub key: &'d str,
    value: &'d Spanned<DeValue<'d>>,
}

/// Reads the whole file.
pub(crate) fn parse<'t>(source: &Source<'t>) -> Result<Spanned<DeTable<'t>>, StudyError> {
    DeTable::parse(source.text()).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        source.error(span, format!("this is not TOML: {}", error.message()))
    })
}

impl<'d> Table<'d> {
    pub fn new(source: &'d Source<'d>, whole: &'d Spanned<DeTable<'d>>) -> Table<'d> {
        Table { source, table: whole.get_ref(), span: 0..0 }
    }

    /// Refuses keys that are not among these.
    pub fn knows(self, what: &str, known: &[&str]) -> Result<Table<'d>, StudyError> {
        let stranger = self.keys().into_iter().find(|key| !known.contains(&key.get_ref().as_ref()));
        match stranger {
            None => Ok(self),
            Some(key) => {
                let message = format!("{what} has no `{}`", key.get_ref());
                Err(self.source.error(key.span(), message).help(format!("known are {}", known.join(", "))))
            }
        }
    }

    /// Its entries, in the order of the file.
    pub fn entries(&self) -> Vec<Entry<'d>> {
        let entry = |key: &'d Spanned<DeString<'d>>| self.get(key.get_ref());
        self.keys().into_iter().filter_map(entry).collect()
    }

    fn keys(&self) -> Vec<&'d Spanned<DeString<'d>>> {
        let mut keys: Vec<_> = self.table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        keys
    }

    pub fn get(&self, key: &str) -> Option<Entry<'d>> {
        let (key, value) = self.table.get_key_value(key)?;
        Some(Entry { source: self.source, key: key.get_ref(), value })
    }

    pub fn error(&self, message: impl Into<String>) -> StudyError {
        self.source.error(self.span.clone(), message)
    }
}

impl<'d> Entry<'d> {
    pub fn error(&self, message: impl Into<String>) -> StudyError {
        self.source.error(self.value.span(), message)
    }

    fn wrong_type(&self, wanted: &str) -> StudyError {
        self.error(format!("`{}` must be {wanted}", self.key))
    }

    pub fn is_table(&self) -> bool {
        self.value.get_ref().as_table().is_some()
    }

    pub fn is_list(&self) -> bool {
        self.value.get_ref().as_array().is_some()
    }

    pub fn is_integer(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Integer(_))
    }

    pub fn text(&self) -> Result<&'d str, StudyError> {
        self.value.get_ref().as_str().ok_or_else(|| self.wrong_type("a text between quotes"))
    }

    /// A text, number or truth as it stands on a command line.
    pub fn scalar(&self) -> Result<String, StudyError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(_) => Ok(self.number()?.to_string()),
            DeValue::Float(_) => Ok(self.number()?.to_string()),
            DeValue::Boolean(truth) => Ok(truth.to_string()),
            _ => Err(self.wrong_type("a text or a number")),
        }
    }

    pub fn number(&self) -> Result<f64, StudyError> {
        let text = match self.value.get_ref() {
            DeValue::Integer(integer) => {
                let number =
                    i64::from_str_radix(integer.as_str(), integer.radix()).map(|number| number as f64);
                return number.map_err(|_| self.wrong_type("a smaller number"));
            }
            DeValue::Float(float) => float.as_str(),
            _ => return Err(self.wrong_type("a number")),
        };
        text.parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| self.wrong_type("a finite number"))
    }

    /// An integer from `least` on.
    pub fn count(&self, least: u32) -> Result<u32, StudyError> {
        let number = self.number()?;
        let fits = number.fract() == 0.0 && number >= f64::from(least) && number <= f64::from(u32::MAX);
        if fits {
            Ok(number as u32)
        } else {
            Err(self.wrong_type(&format!("a whole number from {least} on")))
        }
    }

    pub fn list(&self) -> Result<Vec<Entry<'d>>, StudyError> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.wrong_type("a list"))?;
        Ok(array.iter().map(|value| Entry { value, ..*self }).collect())
    }

    /// A list of texts, or a single one.
    pub fn texts(&self) -> Result<Vec<Entry<'d>>, StudyError> {
        if self.is_list() { self.list() } else { Ok(vec![*self]) }
    }

    pub fn table(&self) -> Result<Table<'d>, StudyError> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.wrong_type("a table"))?;
        Ok(Table { source: self.source, table, span: self.value.span() })
    }
}
