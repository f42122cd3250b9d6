//! The tables `[model]` and `[packet]`: kept as written.

use ::toml::de::DeValue;

use super::table::Entry;
use crate::error::PlatformError;
use crate::settings::{ModelSettings, Setting, Value};

/// Adds every key of a table to the settings, behind `prefix`.
pub(super) fn read(
    model: Entry<'_>,
    prefix: &str,
    settings: &mut ModelSettings,
) -> Result<(), PlatformError> {
    let name = model.key;
    let DeValue::Table(table) = model.value.get_ref() else {
        return Err(model
            .error(format!("`{name}` is not a table"))
            .help(format!("write `[{name}]` on a line of its own")));
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, content) in entries {
        let entry = Entry { value: content, ..model };
        let place = model.source.place(key.span());
        let setting = Setting { key: format!("{prefix}{}", key.get_ref()), value: value(&entry)?, place };
        // TOML itself refuses a key given twice.
        let _ = settings.add(setting);
    }
    Ok(())
}

fn value(entry: &Entry<'_>) -> Result<Value, PlatformError> {
    let inside = |value| Entry { value, ..*entry };
    Ok(match entry.value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Integer(
            i64::from_str_radix(number.as_str(), number.radix())
                .map_err(|_| entry.error("this number is too large"))?,
        ),
        DeValue::Float(number) => {
            Value::Float(number.as_str().parse().map_err(|_| entry.error("this is not a number"))?)
        }
        DeValue::Boolean(truth) => Value::Boolean(*truth),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(values) => {
            Value::List(values.iter().map(|content| value(&inside(content))).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            let read = |(key, content): (&::toml::Spanned<::toml::de::DeString<'_>>, _)| {
                Ok((key.get_ref().to_string(), value(&inside(content))?))
            };
            Value::Table(entries.into_iter().map(read).collect::<Result<_, _>>()?)
        }
    })
}
