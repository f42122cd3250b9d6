//! Platform files of SimGrid: `<zone>` and its older spelling `<AS>`, versions 3 to 4.1.
//!
//! A file gives the same platform as in SimGrid 3.32: the same links, the same routes, in the
//! same order. An unsupported element is an error that names it. `<prop>`erties of hosts
//! and links give their power, those of disks the mount point; others are read and not used, since they
//! have no influence on times. Input that SimGrid also ignores gives a warning.

mod cluster;
mod disks;
mod element;
mod members;
mod peers;
mod power;
mod profiles;
mod routes;
mod zones;

use std::collections::{BTreeMap, HashMap};

use mpirage_units::FACTOR;
use roxmltree::{Document, ParsingOptions};

use crate::builder::{Builder, Unfinished};
use crate::error::{FilePlace, PlatformError, Source};
use crate::fabric::Before;
use crate::platform::Platform;
use crate::profile::Profile;
use crate::settings::{Setting, Value};
use crate::zone::ZoneId;
use disks::Mount;
use element::Element;
use profiles::Connection;

/// A file being read.
#[derive(Default)]
struct Reader {
    builder: Builder,
    /// Whether hosts and links use the attribute names of version 3.
    version_3: bool,
    fat_trees_before: Before,
    dragonfly_cables_before: u32,
    /// Whether the open zone takes latencies from coordinates.
    vivaldi: bool,
    /// How deep the zone being read is nested.
    depth: u32,
    /// The offset of each zone in the file.
    places: HashMap<ZoneId, FilePlace>,
    /// Profiles by name, and what they are for.
    traces: BTreeMap<String, Profile>,
    connections: Vec<Connection>,
    /// Disks by mount point.
    mounts: Vec<Mount>,
}

/// Reads a platform.
pub(crate) fn read(source: &Source<'_>) -> Result<Platform, PlatformError> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: 50_000_000, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(source.text(), options).map_err(|error| not_xml(source, &error))?;
    let root = Element { source, node: document.root_element() };
    if root.tag() != "platform" {
        return Err(
            root.error(format!("a SimGrid platform file starts with <platform>, not <{}>", root.tag()))
        );
    }
    let mut reader = Reader { version_3: version(&root)? < 4.0, ..Reader::default() };
    let mut name = None;
    for child in root.children()? {
        match child.tag() {
            "config" if name.is_some() => return Err(child.error("<config> must stand before the zone")),
            "config" => reader.config(&child)?,
            "zone" | "AS" | "cluster" if name.is_some() => {
                return Err(child.error("a platform has one outermost zone").help("put both into a <zone>"));
            }
            "zone" | "AS" => name = Some(reader.zone(&child)?),
            "cluster" => name = Some(reader.cluster(&child)?),
            "trace" => reader.trace(&child)?,
            "trace_connect" => reader.trace_connect(&child)?,
            _ => {
                return Err(unsupported(
                    &child,
                    "<platform>",
                    &["config", "zone", "AS", "cluster", "trace", "trace_connect"],
                ));
            }
        }
    }
    let name = name.ok_or_else(|| root.error("this platform has no <zone>"))?;
    reader.connect_traces()?;
    let storages = reader.storages(&root, reader.builder.host_count());
    let places = reader.places;
    let platform = reader.builder.finish(name).map_err(|problem| match &problem {
        Unfinished::NoRoute { zone, .. } if places.contains_key(zone) => {
            places[zone].error(problem.to_string())
        }
        _ => root.error(problem.to_string()),
    })?;
    Ok(platform.with_insides(None, storages).with_doubts(source.take_doubts()))
}

fn version(root: &Element<'_>) -> Result<f64, PlatformError> {
    root.check_attributes(&["version"])?;
    let number = |text: &str| FACTOR.read(text).map(|read| read.value());
    let version =
        root.read("version", |text| number(text).map_err(|_| format!("`{text}` is not a number")))?;
    match version {
        3.0..=4.1 => Ok(version),
        _ => Err(root
            .wrong("version", format!("version {version} of the format is not supported"))
            .help("versions 3, 4 and 4.1 are; SimGrid's `simgrid_update_xml` converts older files")),
    }
}

impl Reader {
    /// `<config>`: settings for the models, kept as written.
    fn config(&mut self, config: &Element<'_>) -> Result<(), PlatformError> {
        config.check_attributes(&["id"])?;
        for prop in config.children()? {
            if prop.tag() != "prop" {
                return Err(prop.unexpected("<config>", &["prop"]));
            }
            prop.check_attributes(&["id", "value"])?;
            let (key, value) = (prop.need("id")?, prop.text("value")?);
            let setting =
                Setting { key: key.to_owned(), value: Value::Text(value.to_owned()), place: prop.place() };
            if let Err(earlier) = self.builder.settings.add(setting) {
                let line = earlier.place.line();
                return Err(prop.wrong("id", format!("`{key}` was set before, in line {line}")));
            }
        }
        Ok(())
    }
}

/// Reads the properties of an element that holds nothing else, and forgets them.
fn only_properties(element: &Element<'_>) -> Result<(), PlatformError> {
    for child in element.children()? {
        match child.tag() {
            "prop" => property(&child)?,
            _ => return Err(unsupported(&child, &format!("<{}>", element.tag()), &["prop"])),
        }
    }
    Ok(())
}

fn property(prop: &Element<'_>) -> Result<(), PlatformError> {
    prop.check_attributes(&["id", "value"])?;
    prop.need("id")?;
    prop.text("value")?;
    Ok(())
}

/// The error for an element that mpirage does not support, or that does not exist in SimGrid either.
fn unsupported(element: &Element<'_>, inside: &str, known: &[&str]) -> PlatformError {
    let because = match element.tag() {
        "disk" => "a disk belongs into a <host>",
        "storage" | "storage_type" | "mount" | "model_prop" => "SimGrid has <disk> in a <host> instead",
        "process" | "actor" => "what runs where is said on the command line",
        "include" => "put everything into one file",
        "random" => "SimGrid ignores it too",
        _ => return element.unexpected(inside, known),
    };
    element
        .error(format!("<{}> is not supported: {because}", element.tag()))
        .help("take the element out of the file")
}

fn not_xml(source: &Source<'_>, error: &roxmltree::Error) -> PlatformError {
    let position = error.pos();
    let line_start = source.text().split_inclusive('\n').take(position.row.saturating_sub(1) as usize);
    let line_start: usize = line_start.map(str::len).sum();
    let line = source.text()[line_start..].lines().next().unwrap_or_default();
    let column =
        line.chars().take(position.col.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>();
    let at = line_start + column;
    source.error(at..at + 1, format!("this is not XML: {error}"))
}
