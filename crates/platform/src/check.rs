//! What is allowed but looks wrong: remarks of `mpirage platform check`.
//!
//! The loader has already checked that every host reaches every other. This module looks at the routes
//! themselves: all of them on small platforms, a sample on large ones.

use crate::host::HostId;
use crate::link::LinkId;
use crate::platform::Platform;

/// Up to this many hosts all pairs are tried.
const ALL_PAIRS: u32 = 300;
/// Otherwise this many hosts, evenly spread.
const SAMPLE: u32 = 100;
/// No more remarks of one kind than a reader reads.
const SHOWN: usize = 5;

impl Platform {
    /// Remarks about routes that are unlikely to be meant: a link crossed twice, two directions of
    /// different length, and, on small platforms, links that no route crosses.
    pub fn check(&self) -> Vec<String> {
        let mut used = vec![false; if self.is_small() { self.link_count() as usize } else { 0 }];
        let (mut twice, mut lopsided) = (Vec::new(), Vec::new());
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for (src, dst) in self.pairs_to_check() {
            self.route(src, dst, &mut there);
            self.route(dst, src, &mut back);
            let between = || format!("{} and {}", self.host(src).name(), self.host(dst).name());
            if let Some(link) = repeated(&there) {
                let link = self.link(link).name();
                twice.push(format!("the route between {} crosses link {link} twice", between()));
            }
            if src < dst && there.len() != back.len() {
                let (there, back) = (there.len(), back.len());
                lopsided.push(format!("between {} it is {there} links there and {back} back", between()));
            }
            there.iter().for_each(|link| mark(&mut used, *link));
        }
        let idle = (0u32..).zip(&used).filter(|(_, used)| !**used);
        let idle = idle.map(|(link, _)| format!("no route crosses link {}", self.link(LinkId(link)).name()));
        [twice, lopsided, idle.collect()].into_iter().flat_map(shortened).collect()
    }

    fn is_small(&self) -> bool {
        self.host_count() <= ALL_PAIRS
    }

    fn pairs_to_check(&self) -> impl Iterator<Item = (HostId, HostId)> + use<> {
        let hosts = self.host_count();
        let step = if self.is_small() { 1 } else { hosts.div_ceil(SAMPLE) as usize };
        (0..hosts)
            .step_by(step)
            .flat_map(move |src| (0..hosts).step_by(step).map(move |dst| (HostId(src), HostId(dst))))
    }
}

fn repeated(links: &[LinkId]) -> Option<LinkId> {
    links.iter().enumerate().find(|(at, link)| links[..*at].contains(link)).map(|(_, link)| *link)
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
