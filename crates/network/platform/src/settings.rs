//! Model settings of a platform file, kept as written for the crate that interprets them.
//!
//! SimGrid's `<config>` properties (`smpi/lat-factor`, `network/TCP-gamma`, …) and the `[model]`
//! table of our own files end up in one list, in file order, each entry with its place.

use crate::error::FilePlace;

/// The settings of a platform, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSettings {
    settings: Vec<Setting>,
}

/// One setting, and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its name, such as `smpi/bw-factor`.
    pub key: String,
    /// Its value, as written.
    pub value: Value,
    /// Where it stands, to complain about it.
    pub place: FilePlace,
}

/// The suffix of preset names in error messages.
const PRESET: &str = " (preset)";

/// The file name of a preset in error messages.
pub(crate) fn preset_file(name: &str) -> String {
    format!("{name}{PRESET}")
}

impl Setting {
    /// Whether it is of a network preset, and not of a file of the user.
    pub fn is_of_preset(&self) -> bool {
        self.place.file().ends_with(PRESET)
    }
}

/// A value as written. From SimGrid files it is always `Text`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// true or false.
    Boolean(bool),
    /// An array.
    List(Vec<Value>),
    /// A table, in file order.
    Table(Vec<(String, Value)>),
}

impl ModelSettings {
    /// All settings, in file order.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter()
    }

    /// The setting of that name.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }

    /// The setting of that name, when it is a string.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.as_text()
    }

    /// The number of settings.
    pub fn len(&self) -> usize {
        self.settings.len()
    }

    /// Whether the file says nothing about models.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// Adds those of other settings whose names are not taken.
    pub(crate) fn add_missing(&mut self, others: &ModelSettings) {
        for setting in others.iter() {
            // The setting of the same name goes before.
            let _ = self.add(setting.clone());
        }
    }

    /// Adds a setting; the earlier one of the same name, if any, stays and is given back.
    pub(crate) fn add(&mut self, setting: Setting) -> Result<(), &Setting> {
        match self.settings.iter().position(|known| known.key == setting.key) {
            Some(known) => Err(&self.settings[known]),
            None => {
                self.settings.push(setting);
                Ok(())
            }
        }
    }
}

impl Value {
    /// The string, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(out, "{text:?}"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Float(number) => write!(out, "{number}"),
            Self::Boolean(truth) => write!(out, "{truth}"),
            Self::List(values) => {
                let values: Vec<_> = values.iter().map(Self::to_string).collect();
                write!(out, "[{}]", values.join(", "))
            }
            Self::Table(entries) => {
                let entries: Vec<_> = entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                write!(out, "{{ {} }}", entries.join(", "))
            }
        }
    }
}
