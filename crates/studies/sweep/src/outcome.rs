//! The stored result of a case that has ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::CaseKey;

/// A case that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub(crate) key: CaseKey,
    /// The words after `mpirage`, as they were executed.
    pub(crate) words: Vec<String>,
    pub(crate) ending: Ending,
    /// The numbers of its result.
    pub(crate) figures: BTreeMap<String, f64>,
    /// Figures that depend on the machine on which it ran.
    pub(crate) host: BTreeMap<String, f64>,
    /// The name of that machine.
    pub(crate) machine: String,
    pub(crate) worker: String,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With a result.
    Finished,
    /// Without.
    Failed {
        /// The exit code of a shell: 128 + signal.
        code: i32,
        /// The end of its standard error, or why it was stopped.
        reason: String,
    },
}

/// Numbers of a result that depend on the machine on which it was computed.
const HOST: [&str; 6] = [
    "wall_seconds",
    "cpu_seconds",
    "peak_rss_bytes",
    "largest_rank_rss_bytes",
    "shared_resident_bytes",
    "host_speed_flops",
];

/// The numbers of a JSON result: those that follow from the case, and those of the machine. Names of inner objects are joined by dots;
/// objects of a list that have a `name` are known by it, such as `jobs.halo.slowdown`.
pub(crate) fn numbers(result: &Value) -> (BTreeMap<String, f64>, BTreeMap<String, f64>) {
    let mut all = BTreeMap::new();
    add(&mut all, "", result);
    let warnings = result.get("warnings").and_then(Value::as_array).map_or(0, Vec::len);
    all.insert("warnings".to_owned(), warnings as f64);
    let is_host = |name: &str| HOST.contains(&name) || name.starts_with("emulation.");
    all.into_iter().partition(|(name, _)| !is_host(name))
}

fn add(into: &mut BTreeMap<String, f64>, name: &str, value: &Value) {
    match value {
        Value::Number(number) => {
            into.extend(number.as_f64().map(|number| (name.to_owned(), number)));
        }
        Value::Object(fields) => {
            let inner = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
            fields.iter().for_each(|(key, value)| add(into, &inner(key), value));
        }
        Value::Array(items) => {
            for item in items {
                if let Some(key) = item.get("name").and_then(Value::as_str) {
                    add(into, &format!("{name}.{key}"), item);
                }
            }
        }
        _ => {}
    }
}

impl Outcome {
    /// How it ended.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// True if it has a result.
    pub fn finished(&self) -> bool {
        self.ending == Ending::Finished
    }

    /// Bytes of memory that simulator and ranks took, as far as is known.
    pub(crate) fn memory(&self) -> u64 {
        let host = |name: &str| self.host.get(name).copied().unwrap_or(0.0);
        let ranks = self.figures.get("ranks").copied().unwrap_or(0.0);
        (host("peak_rss_bytes") + ranks * host("largest_rank_rss_bytes")) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_the_host_are_apart() {
        let result = serde_json::json!({
            "outcome": "finished", "simulated_seconds": 1.5, "wall_seconds": 0.1, "per_rank_seconds": [1, 2],
            "efficiency": {"parallel": 0.5}, "deadlock": null, "warnings": ["a", "b"], "host_speed_flops": 1e9,
        });
        let (figures, host) = numbers(&result);
        let names = |of: &BTreeMap<String, f64>| of.keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&figures), "efficiency.parallel simulated_seconds warnings");
        assert_eq!((names(&host), figures["warnings"]), ("host_speed_flops wall_seconds".to_owned(), 2.0));
    }
}
