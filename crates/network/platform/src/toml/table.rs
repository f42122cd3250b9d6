//! A table of a TOML file, asked for its keys: every refusal names the key, the line and what
//! would be right.

use std::ops::Range;

use mpirage_units::{BANDWIDTH, BYTES, ENERGY, FACTOR, LATENCY, POWER, Quantity, SPEED};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{PlatformError, Source};
use crate::suggest::did_you_mean;

/// A table all of whose keys are known.
pub(crate) struct Table<'d> {
    pub source: &'d Source<'d>,
    pub name: &'d str,
    span: Range<usize>,
    table: &'d DeTable<'d>,
    /// The table that has the keys which this one lacks, and its text.
    under: Option<(&'d Source<'d>, &'d DeTable<'d>)>,
}

/// A key's value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'d> {
    pub source: &'d Source<'d>,
    pub key: &'d str,
    pub value: &'d Spanned<DeValue<'d>>,
}

impl<'d> Table<'d> {
    /// Refuses keys that are not among `known`.
    pub fn new(
        source: &'d Source<'d>,
        name: &'d str,
        span: Range<usize>,
        table: &'d DeTable<'d>,
        known: &[&'static str],
    ) -> Result<Self, PlatformError> {
        let mut keys: Vec<_> = table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        match keys.into_iter().find(|key| !known.contains(&key.get_ref().as_ref())) {
            None => Ok(Self { source, name, span, table, under: None }),
            Some(stranger) => {
                let key = stranger.get_ref().as_ref();
                let message = match name {
                    "" => format!("a platform has no `{key}`"),
                    _ => format!("`{name}` has no `{key}`"),
                };
                let help = did_you_mean(key, known.iter().copied());
                Err(source.error(stranger.span(), message).maybe_help(help))
            }
        }
    }

    pub fn get(&self, key: &'d str) -> Option<Entry<'d>> {
        if let Some(value) = self.table.get(key) {
            return Some(Entry { source: self.source, key, value });
        }
        let (source, under) = self.under?;
        Some(Entry { source, key, value: under.get(key)? })
    }

    /// The same table, over another one of a built-in text, whose keys are all known.
    pub fn over<'e>(self, source: &'e Source<'e>, under: &'e DeTable<'e>) -> Table<'e>
    where
        'd: 'e,
    {
        Table { under: Some((source, under)), ..self }
    }

    pub fn need(&self, key: &'d str) -> Result<Entry<'d>, PlatformError> {
        self.get(key).ok_or_else(|| self.error(format!("`{}` needs `{key}`", self.name)).help(example(key)))
    }

    /// A value, or what holds when the key is not there.
    pub fn or<T>(
        &self,
        key: &'d str,
        default: T,
        read: impl FnOnce(Entry<'d>) -> Result<T, PlatformError>,
    ) -> Result<T, PlatformError> {
        self.get(key).map_or(Ok(default), read)
    }

    /// A value, when the key is there.
    pub fn maybe<T>(
        &self,
        key: &'d str,
        read: impl FnOnce(Entry<'d>) -> Result<T, PlatformError>,
    ) -> Result<Option<T>, PlatformError> {
        self.get(key).map(read).transpose()
    }

    pub fn error(&self, message: impl Into<String>) -> PlatformError {
        self.source.error(self.span.clone(), message)
    }
}

impl<'d> Entry<'d> {
    pub fn error(&self, message: impl Into<String>) -> PlatformError {
        self.source.error(self.value.span(), message)
    }

    pub fn text(self) -> Result<&'d str, PlatformError> {
        self.value.get_ref().as_str().ok_or_else(|| self.wrong_type("a string"))
    }

    /// Is it this string?
    pub fn is_text(self, text: &str) -> bool {
        self.value.get_ref().as_str() == Some(text)
    }

    pub fn is_table(self) -> bool {
        self.value.get_ref().as_table().is_some()
    }

    /// A name: a string that is not empty.
    pub fn name(self) -> Result<&'d str, PlatformError> {
        match self.text()? {
            "" => Err(self.error(format!("`{}` is empty", self.key))),
            name => Ok(name),
        }
    }

    pub fn boolean(self) -> Result<bool, PlatformError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }

    /// An integer from 0 on.
    pub fn number(self) -> Result<u32, PlatformError> {
        self.integer().and_then(|number| {
            u32::try_from(number).map_err(|_| {
                self.error(format!("`{}` is {number}, which is not between 0 and {}", self.key, u32::MAX))
            })
        })
    }

    /// An integer from 1 on.
    pub fn count(self) -> Result<u32, PlatformError> {
        match self.number()? {
            0 => Err(self.error(format!("`{}` is 0; there must be at least 1", self.key))),
            count => Ok(count),
        }
    }

    /// A list of integers from 1 on.
    pub fn counts(self) -> Result<Vec<u32>, PlatformError> {
        let entries = self.list()?;
        if entries.is_empty() {
            return Err(self.error(format!("`{}` is empty", self.key)));
        }
        entries.into_iter().map(Entry::count).collect()
    }

    pub fn list(self) -> Result<Vec<Entry<'d>>, PlatformError> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.wrong_type("a list"))?;
        Ok(array.iter().map(|value| Entry { value, ..self }).collect())
    }

    pub fn table(self, known: &[&'static str]) -> Result<Table<'d>, PlatformError> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.wrong_type("a table"))?;
        Table::new(self.source, self.key, self.value.span(), table, known)
    }

    pub fn bandwidth(self) -> Result<f64, PlatformError> {
        self.quantity(&BANDWIDTH)
    }

    pub fn latency(self) -> Result<f64, PlatformError> {
        self.quantity(&LATENCY)
    }

    pub fn speed(self) -> Result<f64, PlatformError> {
        self.quantity(&SPEED)
    }

    /// Watts.
    pub fn power(self) -> Result<f64, PlatformError> {
        self.quantity(&POWER)
    }

    /// Joules.
    pub fn energy(self) -> Result<f64, PlatformError> {
        self.quantity(&ENERGY)
    }

    /// A number from 0 to 1.
    pub fn part(self) -> Result<f64, PlatformError> {
        match self.quantity(&FACTOR)? {
            part if part <= 1.0 => Ok(part),
            part => Err(self.error(format!("`{}` is {part}, which is not between 0 and 1", self.key))),
        }
    }

    /// A number of bytes, rounded to whole ones. A bare number is one, so it is not doubted.
    pub fn bytes(self) -> Result<u64, PlatformError> {
        match self.value.get_ref() {
            DeValue::Integer(_) => Ok(u64::from(self.number()?)),
            _ => Ok(self.quantity(&BYTES)?.round() as u64),
        }
    }

    /// A quantity is a string with a unit, or a bare number in the base unit, which is doubted.
    fn quantity(self, kind: &Quantity) -> Result<f64, PlatformError> {
        let text = match self.value.get_ref() {
            DeValue::String(text) => text.as_ref(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => return Err(self.wrong_type("a quantity").help(example(self.key))),
        };
        let read = kind.read(text).map_err(|problem| self.error(format!("`{}`: {problem}", self.key)))?;
        if let Some(doubt) = read.doubt() {
            self.source.doubt(self.value.span(), format!("`{}`: {doubt}", self.key));
        }
        Ok(read.value())
    }

    fn integer(self) -> Result<i64, PlatformError> {
        let number = self.value.get_ref().as_integer().ok_or_else(|| self.wrong_type("an integer"))?;
        i64::from_str_radix(number.as_str(), number.radix())
            .map_err(|_| self.error(format!("`{}` is too large", self.key)))
    }

    fn wrong_type(&self, wanted: &str) -> PlatformError {
        self.error(format!(
            "`{}` is {}, not {wanted}",
            self.key,
            with_article(self.value.get_ref().type_str())
        ))
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

fn example(key: &str) -> String {
    let value = match key {
        "bandwidth" => "\"1Gbps\"",
        "latency" => "\"25us\"",
        "memory-bandwidth" | "copy-bandwidth" => "\"10GBps\"",
        "speed" => "\"10Gf\"",
        "idle" => "\"95W\"",
        "all-cores" => "\"200W\"",
        "hosts" | "cores" | "groups" | "chassis" | "routers" | "nodes" => "16",
        "sizes" | "down" | "dimensions" => "[4, 4]",
        "uplink" => "{ bandwidth = \"10Gbps\", latency = \"1us\" }",
        "links" => "[\"link-a\", \"link-b:up\"]",
        _ => "\"…\"",
    };
    format!("write for example `{key} = {value}`")
}
