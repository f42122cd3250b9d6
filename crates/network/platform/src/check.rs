//! Finds suspicious but valid parts of a platform: the remarks of `mpirage platform check`.
//!
//! The loader has already checked that every host reaches every other. This module looks at the routes
//! themselves: all of them on small platforms, a sample on large ones.

use std::collections::HashSet;

use crate::host::HostId;
use crate::interface::Interface;
use crate::link::LinkId;
use crate::platform::Platform;

/// Up to this many interfaces all pairs are tried.
const ALL_PAIRS: u32 = 300;
/// Otherwise this many interfaces, evenly spread.
const SAMPLE: u32 = 100;
/// The remaining routes are not tried once the routes so far have had this many links.
const MOST_LINKS: usize = 5_000_000;
/// No more remarks of one kind than a reader reads.
const SHOWN: usize = 5;

impl Platform {
    /// Remarks about routes that are unlikely to be meant: a link crossed twice, two directions of
    /// different length, and, on small platforms, links that no route crosses.
    pub fn doubtful_routes(&self) -> Vec<String> {
        let interfaces = self.interfaces().count(self.host_count());
        let is_small = interfaces <= ALL_PAIRS;
        let mut used = vec![false; if is_small { self.link_count() as usize } else { 0 }];
        let (mut twice, mut lopsided) = (Vec::new(), Vec::new());
        let (mut there, mut back) = (Vec::new(), Vec::new());
        let step = if is_small { 1 } else { interfaces.div_ceil(SAMPLE) };
        let mut links = 0;
        for (src, dst) in self.every(step).flat_map(|src| self.every(step).map(move |dst| (src, dst))) {
            self.route(src, dst, &mut there);
            self.route(dst, src, &mut back);
            let between = || format!("{} and {}", self.host(src.host).name(), self.host(dst.host).name());
            if let Some(link) = repeated(&there) {
                let link = self.link(link).name();
                twice.push(format!("the route between {} crosses link {link} twice", between()));
            }
            if src < dst && there.len() != back.len() {
                let (there, back) = (there.len(), back.len());
                lopsided.push(format!("between {} it is {there} links there and {back} back", between()));
            }
            there.iter().for_each(|link| mark(&mut used, *link));
            links += there.len();
            if !is_small && links > MOST_LINKS {
                break;
            }
        }
        let idle = (0u32..).zip(&used).filter(|(_, used)| !**used);
        let idle = idle.map(|(link, _)| format!("no route crosses link {}", self.link(LinkId(link)).name()));
        [twice, lopsided, idle.collect()].into_iter().flat_map(shortened).collect()
    }

    /// One in `step` of all interfaces.
    fn every(&self, step: u32) -> impl Iterator<Item = Interface> + use<> {
        let per_host = u32::from(self.interfaces().per_host);
        let numbers = (0..self.interfaces().count(self.host_count())).step_by(step as usize);
        numbers
            .map(move |number| Interface { host: HostId(number / per_host), nth: (number % per_host) as u8 })
    }
}

/// The first link of a route that the route has crossed before. Routes around a torus may have many links.
fn repeated(links: &[LinkId]) -> Option<LinkId> {
    let mut crossed = HashSet::with_capacity(links.len());
    links.iter().copied().find(|&link| !crossed.insert(link))
}

fn mark(used: &mut [bool], link: LinkId) {
    if let Some(used) = used.get_mut(link.0 as usize) {
        *used = true;
    }
}

fn shortened(mut remarks: Vec<String>) -> Vec<String> {
    if remarks.len() > SHOWN {
        let more = remarks.len() - SHOWN;
        remarks.truncate(SHOWN);
        remarks.push(format!("… and {more} more of this kind"));
    }
    remarks
}
