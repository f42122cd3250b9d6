//! Cases: one combination of values, run once.
//!
//! A case is known by a key, which depends on what it runs and on nothing else: a study that is changed keeps the results of the cases
//! that it still has.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::design::{Combination, combinations};
use crate::error::SweepError;
use crate::expression::{Expression, Value};
use crate::study::Study;
use crate::template::Template;

/// The identity of a case: a hash of its specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseKey(String);

/// The data that a worker needs to run a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSpec {
    pub(crate) key: CaseKey,
    /// The words after `mpirage`. `{case}` is the folder of the case.
    pub(crate) words: Vec<String>,
    /// Files that are written into the folder of the case: names and contents.
    pub(crate) files: Vec<(String, String)>,
    /// The folder in which the case runs.
    pub(crate) run_in: String,
}

/// A row of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    number: usize,
    repetition: u32,
    combination: Combination,
    spec: CaseSpec,
}

/// The place of a template that is the folder of the case.
const CASE: &str = "case";
const CASE_PLACE: &str = "{case}";

impl CaseKey {
    fn of(words: &[String], files: &[(String, String)], run_in: &str, repetition: u32) -> CaseKey {
        let mut hash = Fnv::default();
        words.iter().for_each(|word| hash.add(word));
        files.iter().for_each(|(name, text)| [name, text].map(|part| hash.add(part)).into_iter().collect());
        hash.add(run_in);
        hash.add(&repetition.to_string());
        CaseKey(format!("{:016x}", hash.0))
    }

    /// The key as a text of hexadecimal digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The key of a text, if it is one.
    pub(crate) fn parse(text: &str) -> Option<CaseKey> {
        (text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| CaseKey(text.to_owned()))
    }
}

/// The hash FNV-1a with 64 bits (Fowler, Noll and Vo). Keys must be the same in all versions, which the standard library's hash is not.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds a text and its end.
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl CaseSpec {
    /// Its identity.
    pub fn key(&self) -> &CaseKey {
        &self.key
    }

    /// True if the command names the folder of the case, or files are written into it.
    pub(crate) fn needs_folder(&self) -> bool {
        !self.files.is_empty() || self.words.iter().any(|word| word.contains(CASE_PLACE))
    }

    /// The words after `mpirage` as the study says them, with the folder of the case in its place.
    pub fn words(&self, folder: &Path) -> Vec<String> {
        let folder = folder.display().to_string();
        self.words.iter().map(|word| word.replace(CASE_PLACE, &folder)).collect()
    }
}

impl Case {
    /// Its number in the study, from 1 on. Repetitions have numbers of their own.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The number of the repetition of its combination, from 1 on.
    pub fn repetition(&self) -> u32 {
        self.repetition
    }

    /// The values of the parameters, in their order.
    pub fn combination(&self) -> &Combination {
        &self.combination
    }

    /// The specification by which workers run it.
    pub fn spec(&self) -> &CaseSpec {
        &self.spec
    }

    /// Its identity.
    pub fn key(&self) -> &CaseKey {
        &self.spec.key
    }
}

impl Study {
    /// All cases, in the order of the tables.
    pub fn cases(&self) -> Result<Vec<Case>, SweepError> {
        let all = combinations(self.design, &self.parameters, self.seed).ok_or_else(|| {
            SweepError::Batch(format!(
                "the grid of this study has more than {} combinations; leave values out, or write design = \"random\"",
                crate::design::MOST_COMBINATIONS
            ))
        })?;
        let wanted = all.into_iter().filter(|combination| self.wants(combination));
        let repeated =
            wanted.flat_map(|combination| (1..=self.repeat).map(move |time| (combination.clone(), time)));
        Ok((1..)
            .zip(repeated)
            .map(|(number, (combination, time))| self.case(number, combination, time))
            .collect())
    }

    fn wants(&self, combination: &Combination) -> bool {
        let of = |name: &str| self.value(name, combination);
        let holds = |expression: &Expression| expression.value(&of).is_some_and(|value| value.is_true());
        self.only.iter().all(holds) && !self.exclude.iter().any(holds)
    }

    /// The value of a parameter, or of a field of it, in an expression.
    pub(crate) fn value(&self, name: &str, combination: &Combination) -> Option<Value> {
        let (base, field) = name.split_once('.').map_or((name, None), |(base, field)| (base, Some(field)));
        let at = self.parameters.iter().position(|parameter| parameter.name() == base)?;
        let (parameter, level) = (&self.parameters[at], &combination[at]);
        match field {
            Some(field) => level.field(field).map(Value::of),
            None => {
                let label = level.label();
                Some(Value::of(label.strip_suffix(parameter.unit()).unwrap_or(label)))
            }
        }
    }

    fn case(&self, number: usize, combination: Combination, repetition: u32) -> Case {
        let fill = |name: &str| self.place(name, &combination, repetition);
        let mut words: Vec<String> = Vec::new();
        for word in &self.command {
            match word.sole_place().and_then(|name| self.several_words(name, &combination)) {
                Some(several) => words.extend_from_slice(several),
                None => words.push(word.fill(fill)),
            }
        }
        self.add_seed(&mut words, repetition);
        let text = |(name, template): &(String, Template)| (name.clone(), template.fill(fill));
        let files: Vec<_> = self.files.iter().map(text).collect();
        let run_in = self.folder.display().to_string();
        let key = CaseKey::of(&words, &files, &run_in, repetition);
        Case { number, repetition, combination, spec: CaseSpec { key, words, files, run_in } }
    }

    fn several_words<'c>(&self, name: &str, combination: &'c Combination) -> Option<&'c [String]> {
        let at = self.parameters.iter().position(|parameter| parameter.name() == name)?;
        Some(combination[at].words())
    }

    fn place(&self, name: &str, combination: &Combination, repetition: u32) -> String {
        match name {
            CASE => return CASE_PLACE.to_owned(),
            "repetition" => return repetition.to_string(),
            "seed" => return self.seed_of(repetition).to_string(),
            _ => {}
        }
        if let Some(words) = self.several_words(name, combination) {
            return words.join(" ");
        }
        let (base, field) = name.split_once('.').unwrap_or((name, ""));
        let at = self.parameters.iter().position(|parameter| parameter.name() == base);
        at.and_then(|at| combination[at].field(field)).unwrap_or_default().to_owned()
    }

    fn seed_of(&self, repetition: u32) -> u64 {
        self.seed + u64::from(repetition) - 1
    }

    /// Repetitions of a simulation draw other random numbers, unless the study chooses the seed.
    fn add_seed(&self, words: &mut Vec<String>, repetition: u32) {
        let is_seed = |word: &String| word == "--seed" || word.starts_with("--seed=");
        let simulates = matches!(words.first().map(String::as_str), Some("run" | "replay"));
        if self.repeat > 1 && simulates && !words.iter().any(is_seed) {
            words.splice(1..1, ["--seed".to_owned(), self.seed_of(repetition).to_string()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::study::tests::study;

    fn lines(text: &str) -> Vec<String> {
        study(text).unwrap().cases().unwrap().iter().map(|case| case.spec.words.join(" ")).collect()
    }

    #[test]
    fn templates_become_command_lines() {
        let made = lines(
            "command = [\"run\", \"-n\", \"{n}\", \"{how}\", \"--trace={case}/t.csv\", \"./a\", \"{m.p}x{n}\"]\n[parameters]\n\
             n = [2, 4]\nhow = [[], [\"--map-by\", \"node\"]]\nm = [{ label = \"M\", p = 1.5 }]\n",
        );
        assert_eq!(made[0], "run -n 2 --trace={case}/t.csv ./a 1.5x2");
        assert_eq!(made[3], "run -n 4 --map-by node --trace={case}/t.csv ./a 1.5x4");
    }

    #[test]
    fn conditions_leave_cases_out() {
        let base = "command = \"run -n {n} {net}\"\n[parameters]\nn = [2, 4]\nnet = [\"a\", \"b\"]\n";
        assert_eq!(lines(&format!("exclude = \"n > 2 and net == 'b'\"\n{base}")).len(), 3);
        assert_eq!(lines(&format!("only = [\"n > 2\", \"net == 'b'\"]\n{base}")), ["run -n 4 b"]);
    }

    #[test]
    fn repetitions_have_seeds_and_keys_of_their_own() {
        let text = "command = \"replay {t}\"\nrepeat = 2\nseed = 5\n[parameters]\nt = [\"x\", \"y\"]\n";
        assert_eq!(lines(text)[..2], ["replay --seed 5 x", "replay --seed 6 x"]);
        let named = "command = \"run ./a {repetition} {seed}\"\nrepeat = 2\n";
        assert_eq!(lines(named), ["run --seed 0 ./a 1 0", "run --seed 1 ./a 2 1"]);
        let cases = study(text).unwrap().cases().unwrap();
        let mut keys: Vec<_> = cases.iter().map(|case| case.key().clone()).collect();
        keys.dedup();
        assert_eq!(keys.len(), 4);
        // Keys are kept in folders of studies: they must not change.
        assert_eq!(keys[0].text(), cases[0].key().text());
    }
}
