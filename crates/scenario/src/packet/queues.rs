//! Queues of other sizes: a list, with names that only the platform knows.

use mpirage_packet::QueueLimit;
use mpirage_platform::{LinkId, NetworkPlace, Platform, Value};

use super::readers::{queue_limit, show_limit};
use crate::faults::{links_of, place_named};
use crate::values::{field, list, table};

/// The size of the queues of a place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueueSpec {
    at: String,
    limit: QueueLimit,
}

impl QueueSpec {
    /// Reads a list of them.
    pub fn read_all(value: &Value) -> Result<Vec<QueueSpec>, String> {
        list(value)?.iter().map(QueueSpec::read).collect()
    }

    fn read(value: &Value) -> Result<QueueSpec, String> {
        let fields = table(value, &["at", "limit"])?;
        let need = |name: &str| field(fields, name).ok_or_else(|| format!("a queue needs `{name}`"));
        let at = need("at")?;
        let at = at.as_text().ok_or_else(|| format!("`at` is a name, not {at}"))?.to_owned();
        Ok(QueueSpec { at, limit: queue_limit(need("limit")?)? })
    }

    /// As it is written.
    pub fn describe(&self) -> String {
        format!("{{ at = {:?}, limit = {} }}", self.at, show_limit(self.limit))
    }

    /// The links whose queues it means: those that leave a switch, those to a host.
    pub fn resolve(&self, platform: &Platform) -> Result<Vec<(LinkId, QueueLimit)>, String> {
        let links = match place_named(&self.at, platform)? {
            NetworkPlace::Switch(ports) => ports.into_iter().flat_map(|port| port.leaving).collect(),
            place => links_of(&place, platform),
        };
        Ok(links.into_iter().map(|link| (link, self.limit)).collect())
    }
}
