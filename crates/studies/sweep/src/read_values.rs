//! Reads the values of a parameter from the study file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::document::{Entry, Table};
use crate::error::StudyError;
use crate::parameter::{Interval, Level, Parameter, Values};
use crate::template::is_name;

/// The largest number of values of a parameter.
const MOST_VALUES: usize = 100_000;
/// Names that templates have besides parameters.
pub(crate) const RESERVED: [&str; 3] = ["case", "repetition", "seed"];

/// The parameter of an entry. Files are found below `folder`.
pub(crate) fn parameter(entry: Entry<'_>, folder: &Path) -> Result<Parameter, StudyError> {
    if !is_name(entry.key) || RESERVED.contains(&entry.key) {
        let message = format!("`{}` cannot be the name of a parameter", entry.key);
        return Err(entry.error(message).help(
            "a name begins with a letter and has letters, digits, `_` and `-`; case, repetition and seed have other meanings",
        ));
    }
    if !entry.is_table() {
        return Ok(Parameter::new(entry.key, "", Values::Levels(levels(&entry)?)));
    }
    let table = entry.table()?.knows(
        &format!("the parameter `{}`", entry.key),
        &["values", "files", "from", "to", "step", "factor", "points", "scale", "unit"],
    )?;
    let unit = table.get("unit").map(|unit| unit.text()).transpose()?.unwrap_or_default();
    let values = match (table.get("values"), table.get("files")) {
        (Some(values), None) => with_unit(levels(&values)?, unit),
        (None, Some(files)) => Values::Levels(matching(&files, folder)?),
        (None, None) => range(&entry, &table, unit)?,
        (Some(_), Some(files)) => return Err(files.error("a parameter has `values` or `files`, not both")),
    };
    Ok(Parameter::new(entry.key, unit, values))
}

fn levels(entry: &Entry<'_>) -> Result<Vec<Level>, StudyError> {
    let levels = entry.texts()?.iter().map(level).collect::<Result<Vec<_>, _>>()?;
    match levels.len() {
        0 => Err(entry.error(format!("`{}` has no value", entry.key)).help("a list has at least one value")),
        1..=MOST_VALUES => Ok(levels),
        _ => Err(entry.error(format!("`{}` has more than {MOST_VALUES} values", entry.key))),
    }
}

fn level(entry: &Entry<'_>) -> Result<Level, StudyError> {
    if entry.is_table() {
        return level_with_fields(&entry.table()?);
    }
    words(entry)
}

fn words(entry: &Entry<'_>) -> Result<Level, StudyError> {
    if entry.is_list() {
        let words: Result<_, _> = entry.list()?.iter().map(Entry::scalar).collect();
        return Ok(Level::several(words?));
    }
    Ok(Level::word(&entry.scalar()?))
}

fn level_with_fields(table: &Table<'_>) -> Result<Level, StudyError> {
    let label = table.get("label").map(|label| label.scalar()).transpose()?;
    let value = table.get("value").map(|value| words(&value)).transpose()?;
    let mut fields = BTreeMap::new();
    for entry in table.entries().iter().filter(|entry| !["label", "value"].contains(&entry.key)) {
        if !is_name(entry.key) {
            return Err(entry.error(format!("`{}` cannot be the name of a field", entry.key)));
        }
        fields.insert(entry.key.to_owned(), entry.scalar()?);
    }
    let level = value.or_else(|| label.as_deref().map(Level::word));
    match level {
        Some(level) => Ok(level.with_fields(label.as_deref(), fields)),
        None => Err(table
            .error("this value has neither `value` nor `label`")
            .help("write for example { label = \"HDR\", value = \"hdr200\", price = 900 }")),
    }
}

fn with_unit(levels: Vec<Level>, unit: &str) -> Values {
    let add = |level: Level| match level.words() {
        [word] if !unit.is_empty() => Level::word(&format!("{word}{unit}")),
        _ => level,
    };
    Values::Levels(levels.into_iter().map(add).collect())
}

fn range(entry: &Entry<'_>, table: &Table<'_>, unit: &str) -> Result<Values, StudyError> {
    let (Some(from), Some(to)) = (table.get("from"), table.get("to")) else {
        return Err(entry.error(format!("`{}` has no values", entry.key)).help(
            "write a list, { from = 1, to = 64, factor = 2 }, { values = […] } or { files = \"*.toml\" }",
        ));
    };
    let ways = ["step", "factor", "points"].map(|key| table.get(key));
    if let Some(second) = ways.iter().flatten().nth(1) {
        return Err(second.error("a range has one of `step`, `factor` and `points`"));
    }
    let [step, factor, points] = ways;
    let interval = interval(table, &from, &to, factor.is_some())?;
    let numbers = match (step, factor, points) {
        (Some(step), ..) => steps(&step, interval, |value, step| value + step, 0.0)?,
        (_, Some(factor), _) => steps(&factor, interval, |value, factor| value * factor, 1.0)?,
        (_, _, Some(points)) => interval.points(points.count(1)? as usize),
        (None, None, None) => return Ok(Values::Between(interval)),
    };
    Ok(Values::Levels(numbers.into_iter().map(|number| Level::number(number, unit)).collect()))
}

fn interval(
    table: &Table<'_>,
    from: &Entry<'_>,
    to: &Entry<'_>,
    by_factor: bool,
) -> Result<Interval, StudyError> {
    let scale = table.get("scale");
    let logarithmic = match scale.map(|scale| scale.text()).transpose()? {
        None | Some("linear") => by_factor,
        Some("log") => true,
        Some(_) => {
            let error = scale.map_or_else(|| table.error(""), |scale| scale.error("there is no such scale"));
            return Err(error.help("known are linear and log"));
        }
    };
    let integers = from.is_integer() && to.is_integer();
    let (low, high) = (from.number()?, to.number()?);
    if low > high {
        return Err(to.error("`to` is less than `from`"));
    }
    if logarithmic && low <= 0.0 {
        return Err(from.error("a logarithmic range begins above 0"));
    }
    Ok(Interval { from: low, to: high, logarithmic, integers })
}

/// The numbers from the beginning of a range to its end, by an operation.
fn steps(
    by: &Entry<'_>,
    range: Interval,
    next: impl Fn(f64, f64) -> f64,
    neutral: f64,
) -> Result<Vec<f64>, StudyError> {
    let amount = by.number()?;
    if amount <= neutral {
        return Err(by.error(format!("`{}` must be more than {neutral}", by.key)));
    }
    // An end that is missed by rounding is met.
    let end = range.to + (range.to.abs() + amount) * 1e-9;
    let numbers = std::iter::successors(Some(range.from), |&value| Some(next(value, amount)));
    let numbers: Vec<f64> = numbers.take_while(|&value| value <= end).take(MOST_VALUES + 1).collect();
    match numbers.len() > MOST_VALUES {
        true => Err(by.error(format!("this range has more than {MOST_VALUES} values"))),
        false => Ok(numbers),
    }
}

/// The files that a pattern describes, as they are named from the folder of the study. `*` and `?` may stand in the last part of a path.
fn matching(entry: &Entry<'_>, folder: &Path) -> Result<Vec<Level>, StudyError> {
    let mut levels = Vec::new();
    for pattern in entry.texts()? {
        let text = pattern.text()?;
        let path = Path::new(text);
        let inside = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut names: Vec<String> = std::fs::read_dir(folder.join(&inside))
            .map_err(|error| pattern.error(format!("the folder of `{text}` cannot be read: {error}")))?
            .filter_map(|file| file.ok()?.file_name().into_string().ok())
            .filter(|name| matches(wanted, name))
            .collect();
        names.sort();
        if names.is_empty() {
            return Err(pattern.error(format!("no file is called `{text}`")));
        }
        let level = |name: &String| Level::word(&inside.join(name).display().to_string());
        levels.extend(names.iter().map(level));
    }
    Ok(levels)
}

/// Does a name match a pattern of `*` and `?`? Names that begin with a dot are matched by a dot only, as in shells.
fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let mut pattern_chars = pattern.chars();
    match pattern_chars.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = pattern_chars.as_str();
            let mut tails = name.char_indices().map(|(at, _)| &name[at..]).chain([""]);
            tails.any(|tail| matches_inside(rest, tail))
        }
        Some(letter) => {
            let mut name_chars = name.chars();
            let first = name_chars.next();
            first.is_some_and(|first| letter == '?' || letter == first)
                && matches_inside(pattern_chars.as_str(), name_chars.as_str())
        }
    }
}

fn matches_inside(pattern: &str, name: &str) -> bool {
    // A dot inside a name is a letter like others.
    if name.starts_with('.') && pattern.starts_with(['*', '?']) {
        let rest = &pattern[1..];
        return matches_inside(rest, &name[1..])
            || pattern.starts_with('*')
                && (matches_inside(pattern, &name[1..]) || matches_inside(rest, name));
    }
    matches(pattern, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_shells() {
        for (pattern, name) in [
            ("*.toml", "a.toml"),
            ("a?c", "abc"),
            ("*", "x.y"),
            ("a*b*c", "axxbyyc"),
            (".*", ".git"),
            ("a*", "a.b.c"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.toml", "a.tom"), ("a?c", "ac"), ("*", ".git"), ("a*b", "a.c"), ("", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
