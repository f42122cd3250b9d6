//! Families of processors: what a `[node]` table that names one leaves unsaid. The texts are in `families.toml`, with their sources.

use super::node::{self, Read};
use super::table::{Entry, Table};
use crate::error::{PlatformError, Source};
use crate::suggest::did_you_mean;

const TEXT: &str = include_str!("../../families.toml");

/// Reads the table `[node]`, which names a family.
pub(super) fn read(entry: Entry<'_>, table: Table<'_>, family: Entry<'_>) -> Result<Read, PlatformError> {
    let source = Source::new("families.toml", TEXT);
    let document = super::parse(&source)?;
    let families = document.get_ref();
    let name = family.name()?;
    match families.get(name).and_then(|found| found.get_ref().as_table()) {
        Some(found) => node::from_table(entry, &table.over(&source, found)),
        None => {
            let mut known: Vec<&str> = families.keys().map(|key| key.get_ref().as_ref()).collect();
            known.sort_unstable();
            let error = family.error(format!("no family `{name}` is known; there are {}", known.join(", ")));
            Err(error.maybe_help(did_you_mean(name, known)))
        }
    }
}
