//! How the links of a fabric are numbered: class after class, cable after cable.
//!
//! ```text
//! loopback 0..n | limiter 0..n | host cables: up0 down0 up1 down1 … | backbone
//! ```
//!
//! All links of a class are alike, so a link needs no memory of its own.

use crate::link::{Cable, Duplex};

/// The purpose of a class of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Loopback,
    Limiter,
    Host,
    /// Between a device and the switch inside its node.
    Inside,
    Backbone,
    Uplink,
    /// Between two levels of a fat tree, the lower one counted from 0 (hosts).
    Level(u8),
    Torus,
    /// Between two routers of a chassis of a dragonfly.
    Chassis,
    /// Between two chassis of a group of a dragonfly.
    Group,
    /// Between a leaf switch and a spine of a group of a Dragonfly+, or of rails.
    Spine,
    /// Between two groups of a dragonfly or a Dragonfly+.
    Global,
    Pair,
}

impl std::fmt::Display for Role {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Self::Loopback => "loopback",
            Self::Limiter => "limiter",
            Self::Host => "host",
            Self::Inside => "inside nodes",
            Self::Backbone => "backbone",
            Self::Uplink => "cabinet uplink",
            Self::Level(0) => "host to level 1",
            Self::Level(level) => return write!(out, "level {level} to level {}", level + 1),
            Self::Torus => "torus",
            Self::Chassis => "within chassis",
            Self::Group => "within group",
            Self::Spine => "leaf to spine",
            Self::Global => "between groups",
            Self::Pair => "host pair",
        };
        out.write_str(name)
    }
}

/// All links of a fabric, by class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    classes: Vec<Class>,
    links: u32,
}

/// Links that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    pub role: Role,
    pub cable: Cable,
    pub links: u32,
    pub wires: Wires,
}

/// The numbers of the links of one class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wires {
    first: u32,
    duplex: Duplex,
}

impl Layout {
    /// Numbers the links of `cables` cables.
    pub fn add(&mut self, role: Role, cables: u64, cable: Cable) -> Result<Wires, String> {
        let per_cable = match cable.duplex {
            Duplex::Split => 2,
            Duplex::Single => 1,
        };
        let wires = Wires { first: self.links, duplex: cable.duplex };
        let links = cables.checked_mul(per_cable).and_then(|links| u32::try_from(links).ok());
        let end = links.and_then(|links| self.links.checked_add(links));
        let (Some(links), Some(end)) = (links, end) else {
            return Err("this has more links than can be numbered (4,294,967,295)".to_owned());
        };
        self.links = end;
        self.classes.push(Class { role, cable, links, wires });
        Ok(wires)
    }

    pub fn links(&self) -> u32 {
        self.links
    }

    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The class of a link below `links`.
    pub fn class_of(&self, link: u32) -> &Class {
        // There are so few classes that looking at one after the other is quickest.
        let holds = |class: &&Class| link < class.wires.first + class.links;
        self.classes.iter().find(holds).expect("the link is below `links`")
    }

    /// The position of a link's class among the classes.
    pub fn position_of(&self, link: u32) -> usize {
        self.classes.iter().position(|class| link < class.wires.first + class.links).unwrap_or(0)
    }

    pub fn wires(&self, role: Role) -> Option<Wires> {
        self.classes.iter().find(|class| class.role == role).map(|class| class.wires)
    }
}

impl Wires {
    /// The link of a cable's first direction, or its only link.
    pub fn up(self, cable: u32) -> u32 {
        match self.duplex {
            Duplex::Split => self.first + 2 * cable,
            Duplex::Single => self.first + cable,
        }
    }

    /// The link of a cable's second direction, or its only link.
    pub fn down(self, cable: u32) -> u32 {
        match self.duplex {
            Duplex::Split => self.first + 2 * cable + 1,
            Duplex::Single => self.first + cable,
        }
    }

    /// The cable of a link, and the suffix that the link's name adds to the cable's name.
    pub fn locate(self, link: u32) -> (u32, &'static str) {
        let at = link - self.first;
        match self.duplex {
            Duplex::Single => (at, ""),
            Duplex::Split if at.is_multiple_of(2) => (at / 2, "_UP"),
            Duplex::Split => (at / 2, "_DOWN"),
        }
    }
}
