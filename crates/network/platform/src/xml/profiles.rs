//! Profiles of hosts and links: `speed_file` and its like, `<trace>` and `<trace_connect>`.

use std::path::{Path, PathBuf};

use super::Reader;
use super::element::Element;
use crate::builder::Direction;
use crate::error::{FilePlace, PlatformError};
use crate::host::HostId;
use crate::link::LinkId;
use crate::profile::{Changing, Profile};
use crate::suggest::did_you_mean;

/// More lines than any profile has; protects the memory.
const LONGEST_PROFILE: u64 = 1 << 26;

/// A `<trace_connect>`, kept until all hosts and links are known.
pub(super) struct Connection {
    kind: ProfileKind,
    trace: String,
    element: String,
    place: FilePlace,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProfileKind {
    Speed,
    HostState,
    Bandwidth,
    Latency,
    LinkState,
}

impl Reader {
    /// The profiles that attributes of a host name.
    pub(super) fn host_profiles(&mut self, element: &Element<'_>, host: HostId) -> Result<(), PlatformError> {
        for (attribute, what) in [
            ("speed_file", Changing::Speed(host)),
            ("availability_file", Changing::Speed(host)),
            ("state_file", Changing::HostState(host)),
        ] {
            self.profile_of(element, attribute, &[what])?;
        }
        Ok(())
    }

    /// The profiles that attributes of a link name. Both directions of a cable change alike.
    pub(super) fn link_profiles(
        &mut self,
        element: &Element<'_>,
        links: &[LinkId],
    ) -> Result<(), PlatformError> {
        let all = |what: fn(LinkId) -> Changing| links.iter().map(|link| what(*link)).collect::<Vec<_>>();
        self.profile_of(element, "bandwidth_file", &all(Changing::Bandwidth))?;
        self.profile_of(element, "latency_file", &all(Changing::Latency))?;
        self.profile_of(element, "state_file", &all(Changing::LinkState))
    }

    fn profile_of(
        &mut self,
        element: &Element<'_>,
        attribute: &str,
        changing: &[Changing],
    ) -> Result<(), PlatformError> {
        let Some(file) = element.get(attribute) else { return Ok(()) };
        let profile = read_file(element, attribute, file)?;
        changing.iter().try_for_each(|what| {
            let added = self.builder.profiles.add(*what, profile.clone());
            added.map_err(|problem| element.wrong(attribute, problem))
        })
    }

    pub(super) fn trace(&mut self, trace: &Element<'_>) -> Result<(), PlatformError> {
        trace.check_attributes(&["id", "file", "periodicity"])?;
        let name = trace.need("id")?;
        let profile = match trace.get("file") {
            Some(file) => read_file(trace, "file", file)?,
            None => {
                let period = trace.read("periodicity", |text| {
                    text.trim().parse::<f64>().map_err(|_| format!("`{text}` is not a number of seconds"))
                })?;
                let texts =
                    trace.node.children().filter_map(|child| child.text().filter(|_| child.is_text()));
                let text: String = texts.collect();
                Profile::parse(&text, period)
                    .map_err(|problem| trace.error(format!("trace `{name}`: {problem}")))?
            }
        };
        match self.traces.insert(name.to_owned(), profile) {
            None => Ok(()),
            Some(_) => Err(trace.wrong("id", format!("there are two traces called `{name}`"))),
        }
    }

    pub(super) fn trace_connect(&mut self, connect: &Element<'_>) -> Result<(), PlatformError> {
        connect.check_attributes(&["kind", "trace", "element"])?;
        let kind = connect.choice(
            "kind",
            &[
                ("HOST_AVAIL", ProfileKind::HostState),
                ("SPEED", ProfileKind::Speed),
                ("POWER", ProfileKind::Speed),
                ("LINK_AVAIL", ProfileKind::LinkState),
                ("BANDWIDTH", ProfileKind::Bandwidth),
                ("LATENCY", ProfileKind::Latency),
            ],
        )?;
        let (trace, element) = (connect.need("trace")?.to_owned(), connect.need("element")?.to_owned());
        if self.connections.iter().any(|other| other.kind == kind && other.trace == trace) {
            let message = format!("SimGrid connects `{trace}` to the first element only, and so do we");
            connect.source.doubt(connect.node.range(), message);
            return Ok(());
        }
        self.connections.push(Connection { kind, trace, element, place: connect.place() });
        Ok(())
    }

    /// Connects traces to hosts and links, once all are known.
    pub(super) fn connect_traces(&mut self) -> Result<(), PlatformError> {
        for Connection { kind, trace, element, place } in std::mem::take(&mut self.connections) {
            let Some(profile) = self.traces.get(&trace).cloned() else {
                let meant = did_you_mean(&trace, self.traces.keys().map(String::as_str));
                return Err(place.error(format!("there is no trace called `{trace}`")).maybe_help(meant));
            };
            for what in self.changing(kind, &element, &place)? {
                let added = self.builder.profiles.add(what, profile.clone());
                added.map_err(|problem| place.error(format!("`{element}`: {problem}")))?;
            }
        }
        Ok(())
    }

    /// The properties that a trace connection changes.
    fn changing(
        &self,
        kind: ProfileKind,
        element: &str,
        place: &FilePlace,
    ) -> Result<Vec<Changing>, PlatformError> {
        let links = |what: fn(LinkId) -> Changing| {
            let links = self.links_named(element).ok_or_else(|| {
                let meant = did_you_mean(element, self.builder.links.names());
                place.error(format!("there is no link called `{element}`")).maybe_help(meant)
            })?;
            Ok(links.into_iter().map(what).collect())
        };
        let host = |what: fn(HostId) -> Changing| {
            let host = self.builder.find_host(element).ok_or_else(|| {
                let meant = did_you_mean(element, self.builder.names());
                place.error(format!("there is no host called `{element}`")).maybe_help(meant)
            })?;
            Ok(vec![what(host)])
        };
        match kind {
            ProfileKind::Speed => host(Changing::Speed),
            ProfileKind::HostState => host(Changing::HostState),
            ProfileKind::Bandwidth => links(Changing::Bandwidth),
            ProfileKind::Latency => links(Changing::Latency),
            ProfileKind::LinkState => links(Changing::LinkState),
        }
    }

    /// A link, or both directions of a cable.
    pub(super) fn links_named(&self, name: &str) -> Option<Vec<LinkId>> {
        let single = self.builder.find_link(name, Direction::None).map(|link| vec![link.there]);
        let split = || self.builder.find_link(name, Direction::Up).map(|link| vec![link.there, link.back]);
        single.or_else(|_| split()).ok()
    }
}

/// SimGrid looks for a file in the current folder, then in that of the platform.
fn read_file(element: &Element<'_>, attribute: &str, file: &str) -> Result<Profile, PlatformError> {
    let beside = Path::new(element.source.file()).parent().map(|folder| folder.join(file));
    let places = [Some(PathBuf::from(file)), beside];
    let found = places.into_iter().flatten().find(|path| path.exists());
    let path = found.ok_or_else(|| element.wrong(attribute, format!("there is no file {file}")))?;
    let text = mpirage_files::read_text(&path, LONGEST_PROFILE)
        .map_err(|error| element.wrong(attribute, error.to_string()))?;
    Profile::parse(&text, -1.0).map_err(|problem| element.wrong(attribute, format!("{file}, {problem}")))
}
