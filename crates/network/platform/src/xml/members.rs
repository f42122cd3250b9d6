//! The contents of a zone of hosts: `<host>`, `<router>`, `<link>`, and for `routing="Cluster"` the
//! arms of the star: `<host_link>`, `<cabinet>`, `<backbone>`.

use super::element::Element;
use super::{Reader, only_properties};
use crate::builder::{Direction, NetPoint};
use crate::error::PlatformError;
use crate::host::{HostNames, Numbers};
use crate::link::{Cable, Duplex, LinkId, Sharing};
use crate::suggest::did_you_mean;
use crate::zone::{Node, StarZone, ZoneKind};

/// The hosts of a cabinet are stored one by one, unlike those of a cluster.
const LARGEST_CABINET: u32 = 1_000_000;

#[derive(Clone, Copy)]
enum Policy {
    Shared,
    FatPipe,
    Split,
    Wifi,
}

impl Reader {
    pub(super) fn host(&mut self, host: &Element<'_>) -> Result<(), PlatformError> {
        const PROFILES: [&str; 4] = ["speed_file", "availability_file", "state_file", "availability"];
        let speed = if self.version_3 { "power" } else { "speed" };
        host.check_attributes(&[&["id", speed, "core", "pstate", "coordinates"], &PROFILES[..]].concat())?;
        host.refuse(&["availability"], "give a profile of the speed, in `speed_file`")?;
        host.refuse(&["coordinates"], "only <peer>s of Vivaldi zones use them")?;
        let state = match host.get("pstate") {
            None => 0,
            Some(_) => host.read("pstate", performance_state)?,
        };
        let speed = host.speed(speed, state)?;
        let cores = host.count("core", 1)?;
        let name = host.need("id")?;
        self.builder.add_host(name, speed, cores).map_err(|problem| host.wrong("id", problem))?;
        match self.builder.find_host(name) {
            Some(id) => {
                self.inside_host(host, id)?;
                self.host_power(host, id.0..id.0 + 1, state)?;
                self.host_profiles(host, id)
            }
            None => Ok(()),
        }
    }

    pub(super) fn router(&mut self, router: &Element<'_>) -> Result<(), PlatformError> {
        router.check_attributes(&["id", "coordinates"])?;
        router.refuse(&["coordinates"], "only <peer>s of Vivaldi zones use them")?;
        only_properties(router)?;
        self.builder.add_router(router.need("id")?).map_err(|problem| router.wrong("id", problem))
    }

    pub(super) fn link(&mut self, link: &Element<'_>) -> Result<(), PlatformError> {
        const PROFILES: [&str; 3] = ["bandwidth_file", "latency_file", "state_file"];
        link.check_attributes(&[&["id", "bandwidth", "latency", "sharing_policy"], &PROFILES[..]].concat())?;
        only_properties(link)?;
        let bandwidth = link.bandwidth("bandwidth")?;
        let latency = link.get("latency").map_or(Ok(0.0), |_| link.latency("latency"))?;
        let policy = link.choice(
            "sharing_policy",
            &[
                ("SHARED", Policy::Shared),
                ("FATPIPE", Policy::FatPipe),
                ("SPLITDUPLEX", Policy::Split),
                ("FULLDUPLEX", Policy::Split),
                ("WIFI", Policy::Wifi),
            ],
        )?;
        let cable = match policy {
            Policy::Shared => Cable::shared(bandwidth, latency, Duplex::Single),
            Policy::FatPipe => Cable::fat_pipe(bandwidth, latency),
            Policy::Split => Cable::shared(bandwidth, latency, Duplex::Split),
            Policy::Wifi => return Err(link.wrong("sharing_policy", "WIFI links are not supported")),
        };
        let name = link.need("id")?;
        self.builder.add_link(name, cable).map_err(|problem| link.wrong("id", problem))?;
        let links = self.links_named(name).unwrap_or_default();
        self.link_power(link, &links, bandwidth)?;
        self.link_profiles(link, &links)
    }

    /// The arms of a star, and the backbone all of them share.
    pub(super) fn arms(&mut self, children: &[Element<'_>]) -> Result<(), PlatformError> {
        let is_arm = |child: &&Element<'_>| matches!(child.tag(), "backbone" | "host_link" | "cabinet");
        let Some(first) = children.iter().find(is_arm) else { return Ok(()) };
        if self.star().is_none() {
            let message = format!("<{}> belongs into a zone with routing=\"Cluster\"", first.tag());
            return Err(first.error(message));
        }
        let mut backbones = children.iter().filter(|child| child.tag() == "backbone");
        let backbone = backbones.next().map(|backbone| self.backbone(backbone)).transpose()?;
        if let Some(second) = backbones.next() {
            return Err(second.error("a zone has one backbone"));
        }
        for child in children {
            match child.tag() {
                "host_link" => self.host_link(child, backbone)?,
                "cabinet" => self.cabinet(child, backbone)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn backbone(&mut self, backbone: &Element<'_>) -> Result<LinkId, PlatformError> {
        backbone.check_attributes(&["id", "bandwidth", "latency"])?;
        let cable =
            Cable::shared(backbone.bandwidth("bandwidth")?, backbone.latency("latency")?, Duplex::Single);
        debug_assert_eq!(cable.spec.sharing, Sharing::Shared);
        let id = LinkId(self.builder.links.count());
        self.builder
            .add_link(backbone.need("id")?, cable)
            .map_err(|problem| backbone.wrong("id", problem))?;
        Ok(id)
    }

    fn host_link(&mut self, link: &Element<'_>, backbone: Option<LinkId>) -> Result<(), PlatformError> {
        link.check_attributes(&["id", "up", "down"])?;
        let name = link.need("id")?;
        let here = self.builder.open_zone_id();
        let node = match self.builder.find(name) {
            Some(NetPoint::Host(node)) if Some(node.zone) == here => node,
            _ => {
                return Err(link
                    .wrong("id", format!("there is no host called `{name}` in this zone"))
                    .maybe_help(did_you_mean(name, self.builder.names())));
            }
        };
        let (up, down) = (self.arm_link(link, "up")?, self.arm_link(link, "down")?);
        self.attach(node, up, down, backbone);
        Ok(())
    }

    fn arm_link(&self, link: &Element<'_>, attribute: &str) -> Result<LinkId, PlatformError> {
        let name = link.need(attribute)?;
        self.builder.find_link(name, Direction::None).map(|found| found.there).map_err(|_| {
            link.wrong(attribute, format!("there is no link called `{name}`"))
                .maybe_help(did_you_mean(name, self.builder.links.names()))
        })
    }

    fn cabinet(&mut self, cabinet: &Element<'_>, backbone: Option<LinkId>) -> Result<(), PlatformError> {
        let speed = if self.version_3 { "power" } else { "speed" };
        cabinet.check_attributes(&["id", "prefix", "suffix", "radical", speed, "bw", "lat"])?;
        let names = HostNames {
            prefix: cabinet.text("prefix")?.to_owned(),
            suffix: cabinet.text("suffix")?.to_owned(),
            numbers: cabinet.read("radical", Numbers::parse)?,
            digits: 0,
        };
        if names.numbers.count() > LARGEST_CABINET {
            return Err(cabinet.wrong("radical", format!("a cabinet holds at most {LARGEST_CABINET} hosts")));
        }
        let speed = cabinet.speed(speed, 0)?;
        let cable = Cable::shared(cabinet.bandwidth("bw")?, cabinet.latency("lat")?, Duplex::Split);
        for position in 0..names.numbers.count() {
            let name = names.name(position);
            let wrong = |problem| cabinet.wrong("radical", problem);
            let node = self.builder.add_host(&name, speed, 1).map_err(wrong)?;
            let up = LinkId(self.builder.links.count());
            self.builder.add_link(&format!("link_{name}"), cable).map_err(wrong)?;
            self.attach(node, up, LinkId(up.0 + 1), backbone);
        }
        Ok(())
    }

    pub(super) fn attach(&mut self, host: Node, up: LinkId, down: LinkId, backbone: Option<LinkId>) {
        if let Some(star) = self.star() {
            let arm = star.arm_mut(host.vertex);
            arm.up = [Some(up), backbone].into_iter().flatten().collect();
            arm.down = [backbone, Some(down)].into_iter().flatten().collect();
        }
    }

    /// The open zone, when it is a star.
    pub(super) fn star(&mut self) -> Option<&mut StarZone> {
        let id = self.builder.open_zone_id()?;
        match &mut self.builder.zone_mut(id).kind {
            ZoneKind::Star(star) => Some(star),
            _ => None,
        }
    }
}

/// Old files write it with a point.
fn performance_state(text: &str) -> Result<usize, String> {
    let state = text.trim().strip_suffix(".0").unwrap_or(text.trim());
    state.parse().map_err(|_| format!("`{text}` is not the number of a speed"))
}
