//! `<peer>`: a host of a Vivaldi zone, with a link in each direction and coordinates.

use super::Reader;
use super::element::Element;
use crate::coordinates;
use crate::error::PlatformError;
use crate::link::{Cable, Duplex, LinkId};

impl Reader {
    pub(super) fn peer(&mut self, peer: &Element<'_>) -> Result<(), PlatformError> {
        let speed = if self.version_3 { "power" } else { "speed" };
        let known = [
            "id",
            speed,
            "bw_in",
            "bw_out",
            "lat",
            "coordinates",
            "speed_file",
            "availability_file",
            "state_file",
        ];
        peer.check_attributes(&known)?;
        if !self.is_vivaldi() {
            return Err(peer.error("<peer> belongs into a zone with routing=\"Vivaldi\""));
        }
        peer.leave_aside(&["lat"], "SimGrid takes latencies from the coordinates");
        let name = peer.need("id")?;
        let place = peer.read("coordinates", coordinates::parse)?;
        let flops = peer.speed(speed, 0)?;
        let node = self.builder.add_host(name, flops, 1).map_err(|problem| peer.wrong("id", problem))?;
        let (up, down) = (
            self.peer_link(peer, &format!("link_{name}_UP"), "bw_out")?,
            self.peer_link(peer, &format!("link_{name}_DOWN"), "bw_in")?,
        );
        self.attach(node, up, down, None);
        if let Some(star) = self.star() {
            star.coordinates.push(place);
        }
        match self.builder.find_host(name) {
            Some(host) => self.host_profiles(peer, host),
            None => Ok(()),
        }
    }

    fn peer_link(
        &mut self,
        peer: &Element<'_>,
        name: &str,
        bandwidth: &str,
    ) -> Result<LinkId, PlatformError> {
        let cable = Cable::shared(peer.bandwidth(bandwidth)?, 0.0, Duplex::Single);
        let id = LinkId(self.builder.links.count());
        self.builder.add_link(name, cable).map_err(|problem| peer.wrong("id", problem))?;
        Ok(id)
    }
}
