//! The files of a trace: one per rank, `PREFIX.RANK.et`, as ASTRA-sim names them; and what a user says about them.
//!
//! ```text
//! traces/                         a folder with the files of one trace
//! traces/gpt   traces/gpt.*.et    what their names begin with
//! traces/gpt.3.et                 one of them stands for all
//! chakra:traces/gpt,dims=8x4      with options
//! ```

use std::path::{Path, PathBuf};

use mpirage_units::{BANDWIDTH, Quantity, SPEED, did_you_mean};

use crate::source::Source;
use crate::{TraceError, TracePlace};

/// The options, as they are listed for users.
const OPTIONS: [&str; 6] = ["dims", "groups", "compute", "flops", "memory", "control"];

/// What a user has named.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Named {
    pub path: PathBuf,
    /// Extents of the network's dimensions, the first of which varies fastest from rank to rank.
    pub dims: Vec<u32>,
    /// A file with the members of process groups.
    pub groups: Option<PathBuf>,
    /// Operations that are counted take the time of a roofline also if the trace has their duration.
    pub roofline: bool,
    /// Do control dependencies count? None: as the trace's origin says.
    pub control: Option<bool>,
    /// The device's operations and bytes per second; none if those of the platform count.
    pub device: Option<(f64, f64)>,
}

impl Named {
    /// Reads `PATH` or `chakra:PATH,key=value,…`.
    pub fn parse(spec: &str) -> Result<Named, TraceError> {
        let Some(typed) = spec.strip_prefix("chakra:") else {
            return Ok(Named { path: spec.into(), ..Named::default() });
        };
        let mut parts = typed.split(',').map(str::trim);
        let mut named = Named { path: parts.next().unwrap_or_default().into(), ..Named::default() };
        let bad = |problem: String| TraceError::Spec(format!("{spec}: {problem}"));
        let (mut flops, mut memory) = (None, None);
        for part in parts {
            let (key, value) =
                part.split_once('=').ok_or_else(|| bad(format!("`{part}` is not of the form key=value")))?;
            match key.trim() {
                "dims" => named.dims = dims(value).map_err(bad)?,
                "groups" => named.groups = Some(value.into()),
                "compute" => named.roofline = is_roofline(value).map_err(bad)?,
                "control" => named.control = Some(is_counted(value).map_err(bad)?),
                "flops" => flops = Some(rate(&SPEED, key, value).map_err(bad)?),
                "memory" => memory = Some(rate(&BANDWIDTH, key, value).map_err(bad)?),
                other => {
                    let meant = did_you_mean(other, OPTIONS);
                    return Err(bad(format!(
                        "a Chakra trace knows no `{other}`; it knows {}{meant}",
                        OPTIONS.join(", ")
                    )));
                }
            }
        }
        named.device = both(flops, memory).map_err(bad)?;
        Ok(named)
    }
}

fn both(flops: Option<f64>, memory: Option<f64>) -> Result<Option<(f64, f64)>, String> {
    match (flops, memory) {
        (Some(flops), Some(memory)) => Ok(Some((flops, memory))),
        (None, None) => Ok(None),
        _ => {
            Err("a roofline needs both `flops=` and `memory=`; without them the platform's speed counts"
                .into())
        }
    }
}

fn rate(quantity: &Quantity, key: &str, value: &str) -> Result<f64, String> {
    quantity.read(value).map(|read| read.value()).map_err(|error| format!("{key}: {error}"))
}

fn dims(value: &str) -> Result<Vec<u32>, String> {
    let extents = value.split('x').map(|extent| extent.parse().ok().filter(|&extent| extent > 0)).collect();
    Option::ok_or(extents, format!("`dims={value}`: write extents like 8x4"))
}

fn is_counted(value: &str) -> Result<bool, String> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`control={value}`: say yes (control dependencies count) or no")),
    }
}

fn is_roofline(value: &str) -> Result<bool, String> {
    match value {
        "traced" => Ok(false),
        "roofline" => Ok(true),
        _ => Err(format!(
            "`compute={value}`: say traced (durations of the trace count, and a roofline where there are none) or roofline"
        )),
    }
}

/// Is this the name of a Chakra trace?
pub(super) fn recognise(spec: &str) -> bool {
    let path = Path::new(spec);
    spec.starts_with("chakra:")
        || spec.ends_with(".et")
        || (path.is_dir() && numbered(path, None).is_ok_and(|found| !found.is_empty()))
        || (!path.exists() && rank_file(path, 0).exists())
}

/// The files of a trace, by rank.
pub(super) fn open(path: &Path) -> Result<Vec<Source>, TraceError> {
    if path.is_file() && prefix_of(path).is_none() {
        return Ok(vec![Source::open(path)?]);
    }
    let prefix = match path.is_dir() {
        true => only_prefix(path)?,
        false => prefix_of(path).unwrap_or_else(|| path.to_owned()),
    };
    let ranks = ranks_of(&prefix)?;
    (0..ranks).map(|rank| Source::one_of(&rank_file(&prefix, rank), ranks as usize)).collect()
}

/// The number of ranks: files are numbered from 0 without a gap.
fn ranks_of(prefix: &Path) -> Result<u32, TraceError> {
    let folder = prefix.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut ranks: Vec<u32> = numbered(folder, prefix.file_name().and_then(|name| name.to_str()))?;
    ranks.sort_unstable();
    ranks.dedup();
    let missing = (0..).zip(&ranks).find(|(expected, rank)| expected != *rank).map(|(expected, _)| expected);
    match (missing, ranks.last()) {
        (None, Some(last)) => Ok(last + 1),
        (Some(missing), Some(last)) => Err(TraceError::bad(
            &rank_file(prefix, missing),
            TracePlace::File,
            format!(
                "this file is missing, although there is one of rank {last}: a trace has a file for each rank from 0 on"
            ),
        )),
        (_, None) => Err(TraceError::bad(
            &rank_file(prefix, 0),
            TracePlace::File,
            "there is no such file; name the folder, or what the names of the files PREFIX.RANK.et begin with",
        )),
    }
}

/// The numbers of the files in a folder that belong to a prefix, or to any.
fn numbered(folder: &Path, prefix: Option<&str>) -> Result<Vec<u32>, TraceError> {
    let entries = std::fs::read_dir(folder).map_err(|error| TraceError::io(folder, error))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let parts = names.filter_map(|name| split(&name).map(|(found, rank)| (found.to_owned(), rank)));
    Ok(parts.filter(|(found, _)| prefix.is_none_or(|prefix| prefix == found)).map(|(_, rank)| rank).collect())
}

/// The prefix of all files of a folder.
fn only_prefix(folder: &Path) -> Result<PathBuf, TraceError> {
    let entries = std::fs::read_dir(folder).map_err(|error| TraceError::io(folder, error))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut prefixes: Vec<String> =
        names.filter_map(|name| split(&name).map(|(found, _)| found.to_owned())).collect();
    prefixes.sort();
    prefixes.dedup();
    match prefixes.as_slice() {
        [prefix] => Ok(folder.join(prefix)),
        [] => {
            Err(TraceError::bad(folder, TracePlace::File, "there is no file PREFIX.RANK.et in this folder"))
        }
        [first, second, ..] => Err(TraceError::bad(
            folder,
            TracePlace::File,
            format!("there are several traces; name the one you mean: `{first}`, `{second}`, …"),
        )),
    }
}

/// `gpt` and 3 of `gpt.3.et`.
fn split(name: &str) -> Option<(&str, u32)> {
    let (prefix, rank) = name.strip_suffix(".et")?.rsplit_once('.')?;
    let canonical = rank == "0" || !rank.starts_with(['0', '+']);
    Some((prefix, rank.parse().ok().filter(|_| canonical)?))
}

/// What the names of all files begin with, of `PREFIX.3.et` or `PREFIX.*.et`.
fn prefix_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let prefix = name.strip_suffix(".*.et").or_else(|| split(name).map(|(prefix, _)| prefix))?;
    Some(path.with_file_name(prefix))
}

fn rank_file(prefix: &Path, rank: u32) -> PathBuf {
    let mut name = prefix.to_owned().into_os_string();
    name.push(format!(".{rank}.et"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split() {
        assert_eq!(split("gpt.v2.13.et"), Some(("gpt.v2", 13)));
        assert_eq!([split("gpt.et"), split("gpt.03.et"), split("gpt.+3.et"), split("gpt.3.txt")], [None; 4]);
        let all = PathBuf::from("a/gpt");
        assert_eq!(
            [prefix_of(Path::new("a/gpt.3.et")), prefix_of(Path::new("a/gpt.*.et"))],
            [Some(all.clone()), Some(all)]
        );
    }

    #[test]
    fn options_are_read() {
        let named = Named::parse("chakra:a/b,dims=2x4,compute=roofline,flops=1Tf,memory=2TBps").unwrap();
        assert_eq!((named.path.as_path(), named.dims.as_slice()), (Path::new("a/b"), &[2, 4][..]));
        assert_eq!((named.roofline, named.device), (true, Some((1e12, 2e12))));
        assert_eq!(Named::parse("a,b").unwrap().path, Path::new("a,b"));
        for (text, part) in [
            ("dims=2x", "write extents"),
            ("dimz=2", "did you mean dims"),
            ("compute=fast", "say traced"),
            ("flops=1Tf", "needs both"),
            ("memory=-1", "not negative"),
            ("control=maybe", "say yes"),
            ("dims", "key=value"),
        ] {
            let error = Named::parse(&format!("chakra:x,{text}")).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
