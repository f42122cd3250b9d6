//! The results of a study as a table: a row for each case, in the order of the study.
//!
//! Three tables are written. `results` has what follows from the cases: it is the same whoever ran them, in whatever order. `host` has
//! what depends on the machine: real time, processor time, memory. `failures` has the cases without a result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mpirage_timeline::{Column, Values, write_columns};

use crate::case::{Case, CaseKey};
use crate::error::SweepError;
use crate::expression::Value;
use crate::folder::StudyFolder;
use crate::outcome::{Ending, Outcome};
use crate::parameter::numbers;
use crate::scratch::STDOUT;
use crate::study::{Measure, MeasureSource, Study};
use mpirage_system::quoted;

/// Figures that come first, in this order.
const FIRST: [&str; 10] = [
    "simulated_seconds",
    "repetition.median_seconds",
    "repetition.low_seconds",
    "repetition.high_seconds",
    "efficiency.parallel",
    "efficiency.load_balance",
    "efficiency.communication",
    "ranks",
    "messages",
    "bytes",
];
/// Figures that are shown even if all are zero.
const ALWAYS: [&str; 4] = ["simulated_seconds", "ranks", "messages", "bytes"];

/// The results of a study.
#[derive(Debug)]
pub struct Results {
    rows: Vec<Row>,
    /// Names of figures and measures, in the order of columns.
    figures: Vec<String>,
}

/// A case and what is known about it.
#[derive(Debug)]
pub struct Row {
    case: Case,
    outcome: Option<Outcome>,
    figures: BTreeMap<String, f64>,
}

impl Row {
    /// The case.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// How it ended; none if it has not run yet.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// True if it has a result.
    pub fn finished(&self) -> bool {
        self.outcome.as_ref().is_some_and(Outcome::finished)
    }

    /// A figure or measure.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }

    /// A figure of the machine on which it ran.
    pub fn host(&self, name: &str) -> Option<f64> {
        self.outcome.as_ref()?.host.get(name).copied()
    }

    /// Why it has no result: the exit code and the reason.
    pub fn failure(&self) -> Option<(i32, &str)> {
        match &self.outcome.as_ref()?.ending {
            Ending::Failed { code, reason } => Some((*code, reason)),
            Ending::Finished => None,
        }
    }

    fn status(&self) -> &'static str {
        match (&self.outcome, self.finished()) {
            (None, _) => "waiting",
            (_, true) => "finished",
            (_, false) => "failed",
        }
    }
}

impl Results {
    /// Collects what the folder of a study has.
    pub fn collect(study: &Study, cases: &[Case], folder: &StudyFolder) -> Results {
        let outcomes = folder.outcomes(cases.iter().map(Case::key));
        let row = |case: &Case| row(study, case, outcomes.get(case.key()), folder);
        let rows: Vec<Row> = cases.iter().map(row).collect();
        let figures = column_names(study, &rows);
        Results { rows, figures }
    }

    /// All rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The names of figures and measures.
    pub fn figures(&self) -> &[String] {
        &self.figures
    }

    /// Rows with a result.
    pub fn finished(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.finished())
    }

    /// Rows that ended without one.
    pub fn failed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.failure().is_some())
    }

    /// Measures of the study that no case has.
    pub fn missing_measures<'s>(&self, study: &'s Study) -> Vec<&'s str> {
        let is_missing = |measure: &&Measure| self.finished().all(|row| row.figure(&measure.name).is_none());
        let missing = study.measures.iter().filter(is_missing).map(|measure| measure.name.as_str());
        if self.finished().next().is_some() { missing.collect() } else { Vec::new() }
    }

    /// Writes `results`, `host` and `failures`, as CSV and, if this build can, as Parquet; says which files.
    pub fn write(&self, study: &Study, folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
        let tables = [
            ("results", self.result_columns(study)),
            ("host", self.host_columns()),
            ("failures", self.failure_columns(study)),
        ];
        let endings: &[&str] = if cfg!(feature = "parquet") { &["csv", "parquet"] } else { &["csv"] };
        let mut written = Vec::new();
        for (name, columns) in tables {
            for ending in endings {
                let path = folder.join(name).with_extension(ending);
                write_columns(&path, &columns)?;
                written.push(path);
            }
        }
        Ok(written)
    }

    pub(crate) fn result_columns(&self, study: &Study) -> Vec<Column> {
        let rows: Vec<&Row> = self.rows.iter().collect();
        let mut columns = case_columns(study, &rows);
        columns.push(texts("status", rows.iter().map(|row| Some(row.status().to_owned()))));
        columns.extend(self.figures.iter().map(|name| {
            let values = rows.iter().map(|row| row.figure(name).filter(|_| row.finished()));
            numeric(name, values.collect())
        }));
        columns
    }

    fn host_columns(&self) -> Vec<Column> {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.outcome.is_some()).collect();
        let of =
            |row: &Row| row.outcome.as_ref().map(|outcome| (outcome.machine.clone(), outcome.worker.clone()));
        let names: BTreeSet<&String> = rows
            .iter()
            .filter_map(|row| row.outcome.as_ref())
            .flat_map(|outcome| outcome.host.keys())
            .collect();
        let mut columns = vec![
            Column {
                name: "case".to_owned(),
                values: Values::Ints(rows.iter().map(|row| Some(row.case.number() as i64)).collect()),
            },
            texts("machine", rows.iter().map(|row| of(row).map(|(machine, _)| machine))),
            texts("worker", rows.iter().map(|row| of(row).map(|(_, worker)| worker))),
        ];
        columns.extend(
            names.into_iter().map(|name| numeric(name, rows.iter().map(|row| row.host(name)).collect())),
        );
        columns
    }

    fn failure_columns(&self, study: &Study) -> Vec<Column> {
        let rows: Vec<&Row> = self.failed().collect();
        let mut columns = case_columns(study, &rows);
        let code = |row: &&Row| row.failure().map(|(code, _)| i64::from(code));
        columns.push(Column {
            name: "exit_code".to_owned(),
            values: Values::Ints(rows.iter().map(code).collect()),
        });
        columns
            .push(texts("reason", rows.iter().map(|row| row.failure().map(|(_, reason)| reason.to_owned()))));
        columns
            .push(texts("folder", rows.iter().map(|row| Some(format!("cases/{}", row.case.key().text())))));
        let line = |row: &&Row| Some(command_line(row));
        columns.push(texts("command", rows.iter().map(line)));
        columns
    }
}

/// The command line of a case, for a shell.
pub(crate) fn command_line(row: &Row) -> String {
    let words = row.outcome.as_ref().map_or(&row.case.spec().words, |outcome| &outcome.words);
    quoted(std::iter::once("mpirage").chain(words.iter().map(String::as_str)))
}

fn row(study: &Study, case: &Case, outcome: Option<&Outcome>, folder: &StudyFolder) -> Row {
    let finished = outcome.filter(|outcome| outcome.finished());
    let figures = finished.iter().flat_map(|outcome| &outcome.figures);
    let mut figures: BTreeMap<String, f64> =
        figures.map(|(name, value)| (figure_name(study, name), *value)).collect();
    if !figures.is_empty() {
        for measure in &study.measures {
            let found = value_of(study, case, measure, &figures, outcome, folder);
            figures.extend(found.map(|value| (measure.name.clone(), value)));
        }
    }
    Row { case: case.clone(), outcome: outcome.cloned(), figures }
}

/// The name of a figure's column. A parameter may have the name of a figure, such as `bytes`.
fn figure_name(study: &Study, name: &str) -> String {
    let is_parameter = study.parameters.iter().any(|parameter| parameter.name() == name);
    if is_parameter { format!("result.{name}") } else { name.to_owned() }
}

fn value_of(
    study: &Study,
    case: &Case,
    measure: &Measure,
    figures: &BTreeMap<String, f64>,
    outcome: Option<&Outcome>,
    folder: &StudyFolder,
) -> Option<f64> {
    match &measure.from {
        MeasureSource::Formula(formula) => {
            let of = |name: &str| {
                let figure =
                    figures.get(name).or_else(|| outcome?.host.get(name)).copied().map(Value::Number);
                study.value(name, case.combination()).or(figure)
            };
            formula.value(&of)?.number().filter(|value| value.is_finite())
        }
        MeasureSource::Printed(after) => {
            let printed = std::fs::read(folder.case(case.key()).join(STDOUT)).ok()?;
            number_after(&String::from_utf8_lossy(&printed), after)
        }
    }
}

/// The number that follows the last appearance of a text.
fn number_after(printed: &str, text: &str) -> Option<f64> {
    let rest = &printed[printed.rfind(text)? + text.len()..];
    let rest = rest.trim_start_matches([' ', '\t', ':', '=']);
    let belongs = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    let end = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
    // "3e" of "3 elements" and the full stop of a sentence do not belong to the number.
    (1..=end).rev().find_map(|end| rest[..end].parse().ok()).filter(|number: &f64| number.is_finite())
}

fn column_names(study: &Study, rows: &[Row]) -> Vec<String> {
    let finished = || rows.iter().filter(|row| row.finished());
    let says_something = |name: &str| {
        ALWAYS.contains(&name) || finished().any(|row| row.figure(name).is_some_and(|value| value != 0.0))
    };
    let measures: Vec<String> = study.measures.iter().map(|measure| measure.name.clone()).collect();
    let there: BTreeSet<&String> = finished().flat_map(|row| row.figures.keys()).collect();
    let first =
        FIRST.iter().filter(|name| there.iter().any(|there| there == *name)).map(|name| (*name).to_owned());
    let others = there.iter().filter(|name| !FIRST.contains(&name.as_str()) && !measures.contains(name));
    let figures = first.chain(others.map(|name| (*name).clone())).filter(|name| says_something(name));
    measures.iter().cloned().chain(figures).collect()
}

/// The number of the case, its repetition, its parameters and their fields.
fn case_columns(study: &Study, rows: &[&Row]) -> Vec<Column> {
    let int = |name: &str, of: &dyn Fn(&Row) -> i64| Column {
        name: name.to_owned(),
        values: Values::Ints(rows.iter().map(|row| Some(of(row))).collect()),
    };
    let mut columns = vec![int("case", &|row| row.case.number() as i64)];
    if study.repeat > 1 {
        columns.push(int("repeat", &|row| i64::from(row.case.repetition())));
    }
    for (at, parameter) in study.parameters.iter().enumerate() {
        let labels = rows.iter().map(|row| row.case.combination()[at].label());
        columns.push(values(parameter.name(), labels.map(Some), parameter.unit()));
        for field in parameter.fields() {
            let fields = rows.iter().map(|row| row.case.combination()[at].field(field));
            columns.push(values(&format!("{}.{field}", parameter.name()), fields, ""));
        }
    }
    columns
}

/// Numbers if all values are plain numbers, texts if not.
fn values<'r>(name: &str, labels: impl Iterator<Item = Option<&'r str>> + Clone, unit: &str) -> Column {
    let there = labels.clone().flatten();
    let all_plain =
        there.clone().all(|label| label.strip_suffix(unit).unwrap_or(label).parse::<f64>().is_ok());
    match numbers(there, unit).filter(|_| all_plain) {
        Some(read) => {
            let mut read = read.into_iter();
            let found = labels.map(|label| label.and_then(|_| read.next())).collect();
            numeric(name, found)
        }
        None => texts(name, labels.map(|label| label.map(str::to_owned))),
    }
}

/// Whole numbers where all are.
fn numeric(name: &str, values: Vec<Option<f64>>) -> Column {
    let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
    let named_real = name.contains("seconds") || name.contains("efficiency");
    let values = match !named_real && values.iter().flatten().all(is_whole) {
        true => Values::Ints(values.into_iter().map(|value| value.map(|value| value as i64)).collect()),
        false => Values::Reals(values),
    };
    Column { name: name.to_owned(), values }
}

fn texts(name: &str, values: impl Iterator<Item = Option<String>>) -> Column {
    Column { name: name.to_owned(), values: Values::Texts(values.collect()) }
}

/// The keys of cases that have no outcome yet, in the order of the study.
pub fn unfinished(cases: &[Case], folder: &StudyFolder) -> Vec<CaseKey> {
    let outcomes = folder.outcomes(cases.iter().map(Case::key));
    let mut seen = BTreeSet::new();
    let waits = |case: &&Case| !outcomes.contains_key(case.key()) && seen.insert(case.key().clone());
    cases.iter().filter(waits).map(|case| case.key().clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers_are_found() {
        let text = "GFLOPS: 1.5\nstep 3\nGFLOPS = -2.5e3. Done\nwidth 3 elements\nlast 7";
        assert_eq!(number_after(text, "GFLOPS"), Some(-2500.0));
        assert_eq!((number_after(text, "width"), number_after(text, "last ")), (Some(3.0), Some(7.0)));
        assert_eq!((number_after(text, "step 3\n"), number_after(text, "none")), (None, None));
    }

    #[test]
    fn columns_are_numbers_if_all_values_are() {
        let column = |labels: &[Option<&'static str>], unit| values("x", labels.iter().copied(), unit).values;
        assert_eq!(column(&[Some("1"), None, Some("3")], ""), Values::Ints(vec![Some(1), None, Some(3)]));
        assert_eq!(column(&[Some("1.5us"), Some("2us")], "us"), Values::Reals(vec![Some(1.5), Some(2.0)]));
        let texts = |labels: [&str; 2]| Values::Texts(labels.map(|label| Some(label.to_owned())).to_vec());
        assert_eq!(column(&[Some("1KiB"), Some("2KiB")], ""), texts(["1KiB", "2KiB"]));
    }
}
