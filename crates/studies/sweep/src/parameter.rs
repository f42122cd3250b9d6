//! Parameters of a study and their values.
//!
//! | in the study file | values |
//! |---|---|
//! | `["a", "b", 3]` | a list |
//! | `[["--map-by", "node"], []]` | several words, or none |
//! | `[{ label = "HDR", value = "hdr200", price = 900 }]` | values with fields |
//! | `{ from = 1, to = 9, step = 2 }`, `{ from = 1, to = 64, factor = 2 }` | steps |
//! | `{ from = 1, to = 1000, points = 4, scale = "log", unit = "us" }` | so many points |
//! | `{ from = 1, to = 1000, scale = "log" }` | any number between, in random designs |
//! | `{ files = "platforms/*.toml" }` | files |

use std::collections::BTreeMap;

use mpirage_units::{BANDWIDTH, BYTES, LATENCY, Quantity, SPEED};

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    name: String,
    unit: String,
    values: Values,
}

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// These.
    Levels(Vec<Level>),
    /// All numbers of a range.
    Between(Interval),
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    label: String,
    words: Vec<String>,
    fields: BTreeMap<String, String>,
}

/// A range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub from: f64,
    pub to: f64,
    pub logarithmic: bool,
    pub integers: bool,
}

impl Parameter {
    pub(crate) fn new(name: &str, unit: &str, values: Values) -> Parameter {
        Parameter { name: name.to_owned(), unit: unit.to_owned(), values }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The unit that is added to its numbers.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// Its values; none if it takes all numbers of a range.
    pub fn levels(&self) -> &[Level] {
        match &self.values {
            Values::Levels(levels) => levels,
            Values::Between(_) => &[],
        }
    }

    /// The value at a share of the whole, from 0 to 1 without 1.
    pub(crate) fn at(&self, share: f64) -> Level {
        match &self.values {
            Values::Levels(levels) => {
                let index = (share * levels.len() as f64) as usize;
                levels[index.min(levels.len() - 1)].clone()
            }
            Values::Between(interval) => Level::number(interval.at(share), &self.unit),
        }
    }

    /// The names of the fields that its values have.
    pub fn fields(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.levels().iter().flat_map(|level| level.fields.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Interval {
    /// The number at a share of the range; integers have equal shares.
    pub fn at(self, share: f64) -> f64 {
        let Interval { from, to, logarithmic, integers } = self;
        // So that both ends come up as often as other integers.
        let (low, high) = if integers && !logarithmic { (from, to + 1.0) } else { (from, to) };
        let value = if logarithmic { low * (high / low).powf(share) } else { low + (high - low) * share };
        match (integers, logarithmic) {
            (true, false) => value.floor().min(to),
            (true, true) => value.round(),
            (false, _) => value,
        }
    }

    /// So many numbers, both ends included.
    pub fn points(self, count: usize) -> Vec<f64> {
        let share = |at: usize| at as f64 / (count.max(2) - 1) as f64;
        let Interval { from, to, logarithmic, integers } = self;
        let exact = |share: f64| {
            if logarithmic { from * (to / from).powf(share) } else { from + (to - from) * share }
        };
        let whole = |value: f64| if integers { value.round() } else { value };
        let mut points: Vec<f64> = (0..count.max(1)).map(|at| whole(exact(share(at)))).collect();
        points.dedup();
        points
    }
}

impl Level {
    /// A value that is one word.
    pub(crate) fn word(text: &str) -> Level {
        Level { label: text.to_owned(), words: vec![text.to_owned()], fields: BTreeMap::new() }
    }

    /// A value that is several words, or none.
    pub(crate) fn several(words: Vec<String>) -> Level {
        let label = if words.is_empty() { "(none)".to_owned() } else { words.join(" ") };
        Level { label, words, fields: BTreeMap::new() }
    }

    /// A number with six digits, and a unit.
    pub(crate) fn number(value: f64, unit: &str) -> Level {
        Level::word(&format!("{}{unit}", six_digits(value)))
    }

    pub(crate) fn with_fields(mut self, label: Option<&str>, fields: BTreeMap<String, String>) -> Level {
        if let Some(label) = label {
            label.clone_into(&mut self.label);
        }
        self.fields = fields;
        self
    }

    /// Its name in tables and plots.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Its words on the command line.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// A further property.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }
}

/// The shortest text of a number rounded to six digits.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The numbers of these texts, if all are numbers, or quantities of one kind. A unit that all have in common is not converted.
pub fn numbers<'t>(texts: impl Iterator<Item = &'t str> + Clone, unit: &str) -> Option<Vec<f64>> {
    let plain = |text: &str| {
        text.strip_suffix(unit).unwrap_or(text).trim().parse().ok().filter(|value: &f64| value.is_finite())
    };
    let all_plain: Option<Vec<f64>> = texts.clone().map(plain).collect();
    let quantity =
        |kind: &Quantity| texts.clone().map(|text| kind.read(text).ok().map(|read| read.value())).collect();
    all_plain.or_else(|| [LATENCY, BANDWIDTH, BYTES, SPEED].iter().find_map(quantity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_range() {
        let range = Interval { from: 1.0, to: 1000.0, logarithmic: true, integers: true };
        assert_eq!(range.points(4), [1.0, 10.0, 100.0, 1000.0]);
        let few = Interval { from: 1.0, to: 3.0, logarithmic: false, integers: true };
        assert_eq!((few.points(5), few.points(1)), (vec![1.0, 2.0, 3.0], vec![1.0]));
        assert_eq!([0.0, 0.3, 0.4, 0.7, 0.999].map(|share| few.at(share)), [1.0, 1.0, 2.0, 3.0, 3.0]);
        let real = Interval { from: 0.0, to: 1.0, logarithmic: false, integers: false };
        assert_eq!(real.points(3), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn labels_are_numbers_if_all_are() {
        let read = |texts: &[&'static str], unit| numbers(texts.iter().copied(), unit);
        assert_eq!(read(&["1", "2.5"], ""), Some(vec![1.0, 2.5]));
        assert_eq!(read(&["5us", "10us"], "us"), Some(vec![5.0, 10.0]));
        assert_eq!(read(&["1Gbps", "10Gbps"], ""), Some(vec![125e6, 1.25e9]));
        assert_eq!(read(&["1KiB", "1MiB"], ""), Some(vec![1024.0, 1048576.0]));
        assert_eq!(read(&["1us", "1GBps"], ""), None);
        assert_eq!(read(&["torus:4x4", "16"], ""), None);
    }

    #[test]
    fn values_have_short_labels() {
        assert_eq!(Level::number(1.0 / 3.0, "us").label(), "0.333333us");
        assert_eq!(Level::number(64.0, "").label(), "64");
        assert_eq!(Level::several(vec![]).label(), "(none)");
    }
}
