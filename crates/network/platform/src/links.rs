//! All links of a platform, in file order: some given by name, some by the formula of a fabric.

use std::collections::HashMap;

use crate::link::{Cable, Duplex, LinkId, LinkSpec};
use crate::zone::{Zone, ZoneId, ZoneKind};

/// The links of a platform. Numbers are handed out in blocks: runs of named links, and fabrics.
#[derive(Debug, Default)]
pub(crate) struct LinkTable {
    blocks: Vec<Block>,
    count: u32,
    by_name: HashMap<String, NamedCable>,
}

#[derive(Debug)]
struct Block {
    first: u32,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Named(Vec<(String, LinkSpec)>),
    Fabric(ZoneId),
}

/// A link as routes refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedCable {
    Single(LinkId),
    Split { up: LinkId, down: LinkId },
}

impl LinkTable {
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Adds a link, or the two links of a split-duplex one, unless there are too many.
    pub fn add(&mut self, name: &str, cable: Cable) -> Result<(), String> {
        if self.by_name.contains_key(name) {
            return Err(format!("there are two links called `{name}`"));
        }
        let named = match cable.duplex {
            Duplex::Single => NamedCable::Single(self.push(name.to_owned(), cable.spec)?),
            Duplex::Split => {
                let up = self.push(format!("{name}_UP"), cable.spec)?;
                let down = self.push(format!("{name}_DOWN"), cable.spec)?;
                self.by_name.insert(format!("{name}_UP"), NamedCable::Single(up));
                self.by_name.insert(format!("{name}_DOWN"), NamedCable::Single(down));
                NamedCable::Split { up, down }
            }
        };
        self.by_name.insert(name.to_owned(), named);
        Ok(())
    }

    /// Numbers the links of a fabric and gives the first.
    pub fn add_fabric(&mut self, zone: ZoneId, links: u32) -> Result<u32, String> {
        let first = self.count;
        self.count = first.checked_add(links).ok_or_else(too_many)?;
        // An empty block would make two blocks start at one number.
        if links > 0 {
            self.blocks.push(Block { first, content: Content::Fabric(zone) });
        }
        Ok(first)
    }

    pub fn named(&self, name: &str) -> Option<NamedCable> {
        self.by_name.get(name).copied()
    }

    /// All names given in the file, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.by_name.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    pub fn spec(&self, zones: &[Zone], link: LinkId) -> LinkSpec {
        let block = self.block(link);
        match &block.content {
            Content::Named(links) => links[(link.0 - block.first) as usize].1,
            Content::Fabric(zone) => match &zones[zone.index()].kind {
                ZoneKind::Fabric(fabric) => fabric.link(link.0 - block.first),
                _ => unreachable!("only fabrics number links by formula"),
            },
        }
    }

    pub fn name(&self, zones: &[Zone], link: LinkId) -> String {
        let block = self.block(link);
        match &block.content {
            Content::Named(links) => links[(link.0 - block.first) as usize].0.clone(),
            Content::Fabric(zone) => match &zones[zone.index()].kind {
                ZoneKind::Fabric(fabric) => fabric.link_name(link.0 - block.first),
                _ => unreachable!("only fabrics number links by formula"),
            },
        }
    }

    /// The links given by name, in file order.
    pub fn given(&self) -> impl Iterator<Item = &(String, LinkSpec)> {
        self.blocks.iter().flat_map(|block| match &block.content {
            Content::Named(links) => links.as_slice(),
            Content::Fabric(_) => &[],
        })
    }

    fn block(&self, link: LinkId) -> &Block {
        let after = self.blocks.partition_point(|block| block.first <= link.0);
        &self.blocks[after - 1]
    }

    fn push(&mut self, name: String, spec: LinkSpec) -> Result<LinkId, String> {
        let id = LinkId(self.count);
        self.count = self.count.checked_add(1).ok_or_else(too_many)?;
        match self.blocks.last_mut() {
            Some(Block { content: Content::Named(links), .. }) => links.push((name, spec)),
            _ => self.blocks.push(Block { first: id.0, content: Content::Named(vec![(name, spec)]) }),
        }
        Ok(id)
    }
}

fn too_many() -> String {
    "the platform has more links than can be numbered (4,294,967,295)".to_owned()
}
