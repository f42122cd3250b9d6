//! The XML of hwloc 2's `lstopo`: packages, NUMA nodes, cores and caches of one node.

use roxmltree::{Document, Node, ParsingOptions};

use mpirage_platform::{PlatformError, Source};

/// The hardware of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Machine {
    pub packages: u32,
    pub numa_nodes: u32,
    pub cores: u32,
    pub threads: u32,
    /// Bytes of memory, as far as NUMA nodes say.
    pub memory: u64,
    /// Level, bytes of one and number of the caches for data, from level 1 on.
    pub caches: Vec<(u8, u64, u32)>,
}

/// Reads one machine.
pub(super) fn machine(source: &Source<'_>) -> Result<Machine, PlatformError> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: 10_000_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(source.text(), options).map_err(|error| {
        source.error(offset(source.text(), error.pos().row), format!("this is not XML: {error}"))
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "topology" {
        return Err(source.error(root.range(), "an XML file of lstopo starts with <topology>"));
    }
    if !root.attribute("version").is_some_and(|version| version.starts_with("2.")) {
        return Err(source
            .error(root.range(), "this file is not of hwloc 2")
            .help("write it with lstopo of hwloc 2: lstopo --of xml node.xml"));
    }
    let mut machine = Machine::default();
    for object in root.descendants().filter(|node| node.has_tag_name("object")) {
        machine.add(&object).map_err(|problem| source.error(object.range(), problem))?;
    }
    match machine.cores {
        0 => Err(source.error(root.range(), "this machine has no cores")),
        _ => {
            machine.caches.sort_unstable();
            Ok(machine)
        }
    }
}

impl Machine {
    fn add(&mut self, object: &Node<'_, '_>) -> Result<(), String> {
        match object.attribute("type").ok_or("this object has no `type`")? {
            "Package" => self.packages += 1,
            "NUMANode" => {
                self.numa_nodes += 1;
                self.memory += number(object, "local_memory")?.unwrap_or(0);
            }
            "Core" => self.cores += 1,
            "PU" => self.threads += 1,
            "L1Cache" => self.add_cache(1, object)?,
            "L2Cache" => self.add_cache(2, object)?,
            "L3Cache" => self.add_cache(3, object)?,
            "L4Cache" => self.add_cache(4, object)?,
            _ => {}
        }
        Ok(())
    }

    fn add_cache(&mut self, level: u8, object: &Node<'_, '_>) -> Result<(), String> {
        let bytes = number(object, "cache_size")?.ok_or("this cache has no `cache_size`")?;
        match self.caches.iter_mut().find(|cache| (cache.0, cache.1) == (level, bytes)) {
            Some(cache) => cache.2 += 1,
            None => self.caches.push((level, bytes, 1)),
        }
        Ok(())
    }
}

fn number(object: &Node<'_, '_>, attribute: &str) -> Result<Option<u64>, String> {
    let text = object.attribute(attribute);
    text.map(|text| text.parse().map_err(|_| format!("`{attribute}` is `{text}`, not a number"))).transpose()
}

/// The line of a parse error.
fn offset(text: &str, row: u32) -> std::ops::Range<usize> {
    let before: usize = text.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum();
    before..before
}
