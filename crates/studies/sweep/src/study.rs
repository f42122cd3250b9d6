//! A study file: a command, parameters, and which combinations to run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mpirage_files::{LONGEST_TEXT, read_text};

use crate::design::{Design, MOST_COMBINATIONS};
use crate::document::{Entry, Table, parse};
use crate::error::{Source, StudyError, SweepError};
use crate::expression::Expression;
use crate::parameter::{Parameter, Values};
use crate::read_values::{RESERVED, parameter};
use crate::template::{Template, is_name};
use mpirage_system::split_words;

/// Commands of mpirage that a study can repeat.
pub const COMMANDS: [&str; 6] = ["run", "replay", "emulate", "balance", "tune", "jobs"];

const KEYS: [&str; 13] = [
    "name",
    "command",
    "design",
    "cases",
    "seed",
    "repeat",
    "exclude",
    "only",
    "parameters",
    "files",
    "measures",
    "page",
    "slurm",
];

/// A study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) command: Vec<Template>,
    pub(crate) files: Vec<(String, Template)>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) design: Design,
    pub(crate) seed: u64,
    pub(crate) repeat: u32,
    pub(crate) exclude: Vec<Expression>,
    pub(crate) only: Vec<Expression>,
    pub(crate) measures: Vec<Measure>,
    pub(crate) page: PageWishes,
    pub(crate) batch: BatchWishes,
}

/// A further column of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    pub(crate) name: String,
    pub(crate) from: MeasureSource,
}

/// Where a measure is from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MeasureSource {
    /// Computed from other columns.
    Formula(Expression),
    /// The number that the program prints after this text; the last one counts.
    Printed(String),
}

/// The user's wishes for the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageWishes {
    pub(crate) measure: Option<String>,
    pub(crate) pareto: Option<[String; 2]>,
    pub(crate) x: Option<String>,
    pub(crate) lines: Option<String>,
    pub(crate) panels: Option<String>,
    /// Measures of which more is better.
    pub(crate) maximise: Vec<String>,
}

/// How a batch system is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchWishes {
    pub(crate) workers: Option<u32>,
    pub(crate) options: Vec<String>,
}

impl Study {
    /// Reads a study file.
    pub fn read(file: &Path) -> Result<Study, SweepError> {
        let text = read_text(file, LONGEST_TEXT)?;
        let folder = std::path::absolute(file).map_err(SweepError::io(file))?;
        let folder = folder.parent().unwrap_or(Path::new("/")).to_owned();
        let stem =
            file.file_stem().map_or_else(|| "study".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(Study::parse(file, &text, &folder, &stem)?)
    }

    fn parse(file: &Path, text: &str, folder: &Path, stem: &str) -> Result<Study, StudyError> {
        let source = Source::new(file, text);
        let document = parse(&source)?;
        let table = Table::new(&source, &document).knows("a study", &KEYS)?;
        let name = table.get("name").map(|name| name.text()).transpose()?.unwrap_or(stem);
        let command = table.get("command").ok_or_else(|| {
            table
                .error("the study has no command")
                .help("write for example command = \"run -n {ranks} ./program\"")
        })?;
        let parameters = parameters(&table, folder)?;
        let study = Study {
            name: name.to_owned(),
            folder: folder.to_owned(),
            command: command_words(&command)?,
            files: files(&table, folder)?,
            design: design(&table, &parameters)?,
            parameters,
            seed: table.get("seed").map_or(Ok(0), |seed| seed.count(0))?.into(),
            repeat: table.get("repeat").map_or(Ok(1), |repeat| repeat.count(1))?,
            exclude: expressions(table.get("exclude"))?,
            only: expressions(table.get("only"))?,
            measures: measures(&table)?,
            page: page(&table)?,
            batch: batch(&table)?,
        };
        study.check_names(&table, &command)?;
        Ok(study)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder of the study file, in which cases run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How often each combination runs.
    pub fn repeat(&self) -> u32 {
        self.repeat
    }

    /// The number of workers in a batch system, if the study says it.
    pub fn workers(&self) -> Option<u32> {
        self.batch.workers
    }

    /// The command with its places, as one line.
    pub(crate) fn command_text(&self) -> String {
        let words: Vec<String> = self.command.iter().map(Template::source).collect();
        words.join(" ")
    }

    /// Every place of a template is a parameter, and every parameter is used.
    fn check_names(&self, table: &Table<'_>, command: &Entry<'_>) -> Result<(), StudyError> {
        let files = self.files.iter().map(|(name, template)| (Some(name), template));
        let mut used: BTreeSet<String> = BTreeSet::new();
        for (file, template) in self.command.iter().map(|word| (None, word)).chain(files) {
            for place in template.places() {
                let entry = file.and_then(|file| table.get("files")?.table().ok()?.get(file));
                self.check_place(place, &entry.unwrap_or(*command))?;
                used.insert(base(place).to_owned());
            }
        }
        for (key, expressions) in [("exclude", &self.exclude), ("only", &self.only)] {
            for name in expressions.iter().flat_map(Expression::names) {
                table.get(key).map_or(Ok(()), |entry| self.check_place(name, &entry))?;
            }
        }
        let formulas = self.measures.iter().filter_map(|measure| match &measure.from {
            MeasureSource::Formula(formula) => Some(formula),
            MeasureSource::Printed(_) => None,
        });
        used.extend(formulas.flat_map(Expression::names).map(|name| base(name).to_owned()));
        let idle = self.parameters.iter().find(|parameter| !used.contains(parameter.name()));
        match idle.and_then(|idle| table.get("parameters")?.table().ok()?.get(idle.name())) {
            None => Ok(()),
            Some(entry) => Err(entry
                .error(format!("the parameter `{}` is not used", entry.key))
                .help(format!("write {{{}}} where it belongs in the command", entry.key))),
        }
    }

    fn check_place(&self, place: &str, entry: &Entry<'_>) -> Result<(), StudyError> {
        let field = place.split_once('.').map(|(_, field)| field);
        let found = self.parameters.iter().find(|parameter| parameter.name() == base(place));
        match (found, field) {
            (None, None) if RESERVED.contains(&place) => Ok(()),
            (Some(_), None) => Ok(()),
            (Some(parameter), Some(field)) => {
                match parameter.levels().iter().find(|level| level.field(field).is_none()) {
                    Some(level) if !parameter.levels().is_empty() => Err(entry
                        .error(format!("`{}` of `{}` has no `{field}`", level.label(), parameter.name()))
                        .help(format!("write {{ label = …, {field} = … }} for each of its values"))),
                    _ => Ok(()),
                }
            }
            (None, _) => Err(entry.error(format!("there is no parameter `{}`", base(place))).help(format!(
                "[parameters] has {}; write {{{{{place}}}}} for the text {{{place}}}",
                self.names()
            ))),
        }
    }

    fn names(&self) -> String {
        match self.parameters.as_slice() {
            [] => "none".to_owned(),
            some => some.iter().map(Parameter::name).collect::<Vec<_>>().join(", "),
        }
    }
}

/// The parameter of a place: `machine` of `machine.price`.
fn base(place: &str) -> &str {
    place.split('.').next().unwrap_or(place)
}

fn parameters(table: &Table<'_>, folder: &Path) -> Result<Vec<Parameter>, StudyError> {
    let Some(entry) = table.get("parameters") else { return Ok(Vec::new()) };
    entry.table()?.entries().into_iter().map(|entry| parameter(entry, folder)).collect()
}

fn command_words(command: &Entry<'_>) -> Result<Vec<Template>, StudyError> {
    let words: Vec<String> = if command.is_list() {
        command.list()?.iter().map(Entry::scalar).collect::<Result<_, _>>()?
    } else {
        split_words(command.text()?).ok_or_else(|| command.error("a closing quote is missing"))?
    };
    match words.first() {
        Some(first) if COMMANDS.contains(&first.as_str()) => {
            Ok(words.iter().map(|word| Template::new(word)).collect())
        }
        _ => Err(command
            .error("the command does not begin with a command of mpirage")
            .help(format!("it begins with one of {}, such as \"run -n 16 ./program\"", COMMANDS.join(", ")))),
    }
}

fn design(table: &Table<'_>, parameters: &[Parameter]) -> Result<Design, StudyError> {
    let entry = table.get("design");
    let name = entry.map_or(Ok("grid"), |entry| entry.text())?;
    let cases = table.get("cases");
    let complain =
        |message: &str| entry.or(cases).map_or_else(|| table.error(message), |entry| entry.error(message));
    let design = match (name, cases) {
        ("random", Some(cases)) => Design::Random { cases: cases.count(1)? as usize },
        ("random", None) => {
            return Err(complain("a random design needs `cases`").help("write for example cases = 40"));
        }
        ("grid" | "one-at-a-time", Some(cases)) => {
            return Err(cases.error("only a random design has `cases`").help("write design = \"random\""));
        }
        ("grid", None) => Design::Grid,
        ("one-at-a-time", None) => Design::OneAtATime,
        _ => return Err(complain("there is no such design").help("known are grid, random and one-at-a-time")),
    };
    if matches!(design, Design::Random { cases } if cases > MOST_COMBINATIONS) {
        return Err(complain(&format!("a study has at most {MOST_COMBINATIONS} cases")));
    }
    check_ranges(table, design, parameters).map(|()| design)
}

/// Only random designs can take any number of a range.
fn check_ranges(table: &Table<'_>, design: Design, parameters: &[Parameter]) -> Result<(), StudyError> {
    let open = parameters.iter().find(|parameter| parameter.is_range());
    let entry = open.and_then(|open| table.get("parameters")?.table().ok()?.get(open.name()));
    match (design, entry) {
        (Design::Random { .. }, _) | (_, None) => Ok(()),
        (_, Some(entry)) => Err(entry
            .error(format!("how many values has `{}`?", entry.key))
            .help("add points = 5, step = 1 or factor = 2, or write design = \"random\"")),
    }
}

fn expressions(entry: Option<Entry<'_>>) -> Result<Vec<Expression>, StudyError> {
    let Some(entry) = entry else { return Ok(Vec::new()) };
    let read = |entry: Entry<'_>| expression(&entry);
    entry.texts()?.into_iter().map(read).collect()
}

fn expression(entry: &Entry<'_>) -> Result<Expression, StudyError> {
    Expression::new(entry.text()?).map_err(|error| {
        entry.error(error.to_string()).help("write for example \"ranks > 64 and net == 'gige'\"")
    })
}

fn files(table: &Table<'_>, folder: &Path) -> Result<Vec<(String, Template)>, StudyError> {
    let Some(entry) = table.get("files") else { return Ok(Vec::new()) };
    let file = |entry: Entry<'_>| {
        if entry.key.is_empty() || entry.key.starts_with('.') || entry.key.contains(['/', '\0']) {
            return Err(entry.error(format!("`{}` cannot be the name of a file", entry.key)));
        }
        let text = if entry.is_table() { template_file(&entry, folder)? } else { entry.text()?.to_owned() };
        Ok((entry.key.to_owned(), Template::new(&text)))
    };
    entry.table()?.entries().into_iter().map(file).collect()
}

fn template_file(entry: &Entry<'_>, folder: &Path) -> Result<String, StudyError> {
    let table = entry.table()?.knows("a file of a case", &["template"])?;
    let Some(template) = table.get("template") else {
        return Err(table
            .error("this file has no `template`")
            .help("write { template = \"machine.toml.in\" }"));
    };
    let path = folder.join(template.text()?);
    read_text(&path, LONGEST_TEXT).map_err(|error| template.error(error.to_string()))
}

fn measures(table: &Table<'_>) -> Result<Vec<Measure>, StudyError> {
    let Some(entry) = table.get("measures") else { return Ok(Vec::new()) };
    entry.table()?.entries().iter().map(measure).collect()
}

fn measure(entry: &Entry<'_>) -> Result<Measure, StudyError> {
    if !is_name(entry.key) {
        return Err(entry.error(format!("`{}` cannot be the name of a measure", entry.key)));
    }
    let from = if entry.is_table() {
        let table = entry.table()?.knows("a measure", &["after"])?;
        let after = table.get("after").ok_or_else(|| {
            table.error("this measure has no `after`").help("write { after = \"GFLOPS:\" }")
        })?;
        MeasureSource::Printed(after.text()?.to_owned())
    } else {
        MeasureSource::Formula(expression(entry)?)
    };
    Ok(Measure { name: entry.key.to_owned(), from })
}

fn page(table: &Table<'_>) -> Result<PageWishes, StudyError> {
    let Some(entry) = table.get("page") else { return Ok(PageWishes::default()) };
    let table = entry.table()?.knows("[page]", &["measure", "pareto", "x", "lines", "panels", "maximise"])?;
    let text = |key: &str| -> Result<Option<String>, StudyError> {
        table.get(key).map(|entry| Ok(entry.text()?.to_owned())).transpose()
    };
    let pareto = table.get("pareto").map(|entry| match entry.list()?.as_slice() {
        [one, other] => Ok([one.text()?.to_owned(), other.text()?.to_owned()]),
        _ => Err(entry.error("`pareto` has two measures").help("write [\"cost\", \"simulated_seconds\"]")),
    });
    Ok(PageWishes {
        measure: text("measure")?,
        pareto: pareto.transpose()?,
        x: text("x")?,
        lines: text("lines")?,
        panels: text("panels")?,
        maximise: table.get("maximise").map_or(Ok(Vec::new()), |entry| texts(&entry))?,
    })
}

fn batch(table: &Table<'_>) -> Result<BatchWishes, StudyError> {
    let Some(entry) = table.get("slurm") else { return Ok(BatchWishes::default()) };
    let table = entry.table()?.knows("[slurm]", &["workers", "options"])?;
    let options = table.get("options").map_or(Ok(Vec::new()), |entry| texts(&entry))?;
    let workers = table.get("workers").map(|workers| workers.count(1)).transpose()?;
    Ok(BatchWishes { workers, options })
}

fn texts(entry: &Entry<'_>) -> Result<Vec<String>, StudyError> {
    entry.texts()?.iter().map(|text| Ok(text.text()?.to_owned())).collect()
}

impl Parameter {
    fn is_range(&self) -> bool {
        matches!(self.values(), Values::Between(_))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn study(text: &str) -> Result<Study, StudyError> {
        Study::parse(Path::new("study.toml"), text, Path::new("/tmp"), "study")
    }

    #[test]
    fn a_study_is_read() {
        let read = study(
            "command = \"run -n {ranks} -p 'cluster:16' ./a {size.bytes}\"\nrepeat = 3\nexclude = \"ranks > 4\"\n\
             [parameters]\nranks = { from = 2, to = 8, factor = 2 }\nsize = [{ label = \"S\", bytes = 10 }]\n\
             [measures]\ncost = \"ranks * simulated_seconds\"\nflops = { after = \"GFLOPS:\" }\n\
             [page]\npareto = [\"cost\", \"simulated_seconds\"]\n[slurm]\nworkers = 4\noptions = [\"-p debug\"]\n",
        )
        .unwrap();
        assert_eq!((read.name(), read.repeat(), read.command.len()), ("study", 3, 7));
        let labels =
            |at: usize| read.parameters[at].levels().iter().map(|level| level.label()).collect::<Vec<_>>();
        assert_eq!((labels(0), labels(1)), (vec!["2", "4", "8"], vec!["S"]));
        assert_eq!((read.measures.len(), read.workers(), read.design), (2, Some(4), Design::Grid));
    }

    #[test]
    fn mistakes_have_a_line_and_a_remedy() {
        let command = "command = \"run ./a {x}\"\n";
        for (text, line, said, help) in [
            ("comand = 1\n", 1, "a study has no `comand`", "known are name, command"),
            ("[parameters]\nx = [1]\n", 1, "the study has no command", "write for example"),
            ("command = \"./a\"\n", 1, "does not begin with a command of mpirage", "run, replay"),
            ("command = \"run 'a\"\n", 1, "a closing quote", ""),
            (
                &format!("{command}[parameters]\ny = [1]\n"),
                1,
                "there is no parameter `x`",
                "[parameters] has y",
            ),
            (&format!("{command}[parameters]\nx = [1]\ny = [1]\n"), 4, "`y` is not used", "write {y}"),
            (&format!("{command}[parameters]\nx = []\n"), 3, "`x` has no value", "at least one"),
            (
                &format!("{command}[parameters]\nx = {{ from = 1, to = 4 }}\n"),
                3,
                "how many values",
                "points = 5",
            ),
            (
                &format!("{command}[parameters]\nx = {{ from = 9, to = 4, step = 1 }}\n"),
                3,
                "less than `from`",
                "",
            ),
            (
                &format!("{command}[parameters]\nx = {{ from = 0, to = 4, factor = 2 }}\n"),
                3,
                "begins above 0",
                "",
            ),
            (
                &format!("{command}[parameters]\nx = {{ from = 1, to = 4, factor = 1 }}\n"),
                3,
                "more than 1",
                "",
            ),
            (
                &format!("{command}[parameters]\nx = {{ from = 1, to = 4, step = 1, points = 3 }}\n"),
                3,
                "one of",
                "",
            ),
            (
                &format!("{command}[parameters]\nx = {{ files = \"no-such-*\" }}\n"),
                3,
                "no file is called",
                "",
            ),
            (
                &format!("{command}design = \"random\"\n[parameters]\nx = [1]\n"),
                2,
                "needs `cases`",
                "cases = 40",
            ),
            (
                &format!("{command}design = \"all\"\n[parameters]\nx = [1]\n"),
                2,
                "no such design",
                "known are grid",
            ),
            (
                &format!("{command}exclude = \"x >\"\n[parameters]\nx = [1]\n"),
                2,
                "a value is missing",
                "for example",
            ),
            (&format!("{command}exclude = \"z > 1\"\n[parameters]\nx = [1]\n"), 2, "no parameter `z`", ""),
            (&format!("{command}repeat = 0\n[parameters]\nx = [1]\n"), 2, "a whole number from 1 on", ""),
            (&format!("{command}[parameters]\nseed = [1]\n"), 3, "cannot be the name", "other meanings"),
            (
                "command = \"run ./a {x.f}\"\n[parameters]\nx = [{ label = \"a\", f = 1 }, 2]\n",
                1,
                "`2` of `x` has no `f`",
                "",
            ),
            ("a = \n", 1, "this is not TOML", ""),
        ] {
            let error = study(text).unwrap_err();
            let shown = error.to_string();
            assert!(shown.contains(said) && shown.contains(help) && error.line() == line, "{text}: {shown}");
        }
    }
}
