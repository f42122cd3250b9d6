//! Faults on a schedule: links that fail, lose frames or are slow, hosts that are slow.

use mpirage_platform::{HostId, LinkId};
use mpirage_units::{Duration, Random, Time};

/// Something that is wrong for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// When it begins.
    pub from: Time,
    /// When it is over; [`Time::MAX`] if it never is.
    pub until: Time,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// These links carry nothing. A switch that restarts is all of its links.
    Down(Vec<LinkId>),
    /// These links lose frames with this probability.
    Lossy(Vec<LinkId>, f64),
    /// These links carry this part of their rate.
    SlowLinks(Vec<LinkId>, f64),
    /// The software of this host takes so many times as long.
    SlowHost(HostId, f64),
}

impl Fault {
    fn is_active(&self, at: Time) -> bool {
        self.from <= at && at < self.until
    }

    fn overlaps(&self, from: Time, to: Time) -> bool {
        self.from <= to && from < self.until
    }
}

/// The faults of one link.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LinkFaults(Vec<Fault>);

impl LinkFaults {
    /// Those of `faults` that concern a link; None if there are none.
    pub(crate) fn of(link: LinkId, faults: &[Fault]) -> Option<Box<LinkFaults>> {
        let concerns = |fault: &&Fault| match &fault.kind {
            FaultKind::Down(links) | FaultKind::Lossy(links, _) | FaultKind::SlowLinks(links, _) => {
                links.contains(&link)
            }
            FaultKind::SlowHost(..) => false,
        };
        let found: Vec<Fault> = faults.iter().filter(concerns).cloned().collect();
        (!found.is_empty()).then(|| Box::new(LinkFaults(found)))
    }

    /// Is a frame lost that is on the link from one instant to another?
    pub(crate) fn lose(&self, (from, to): (Time, Time), random: &mut Random) -> bool {
        self.0.iter().any(|fault| match fault.kind {
            FaultKind::Down(_) => fault.overlaps(from, to),
            FaultKind::Lossy(_, share) => fault.is_active(from) && random.chance(share),
            FaultKind::SlowLinks(..) | FaultKind::SlowHost(..) => false,
        })
    }

    /// The part of its rate that the link has.
    pub(crate) fn rate(&self, at: Time) -> f64 {
        let slow = self.0.iter().filter(|fault| fault.is_active(at)).filter_map(|fault| match fault.kind {
            FaultKind::SlowLinks(_, share) => Some(share),
            _ => None,
        });
        slow.fold(1.0, f64::min)
    }
}

/// How long the software of a host takes that normally takes `span`.
pub(crate) fn software(faults: &[Fault], host: HostId, at: Time, span: Duration) -> Duration {
    let slow = faults.iter().filter(|fault| fault.is_active(at)).filter_map(|fault| match fault.kind {
        FaultKind::SlowHost(slow, factor) if slow == host => Some(factor),
        _ => None,
    });
    match slow.fold(1.0, f64::max) {
        1.0 => span,
        factor => Duration::from_secs_f64(span.as_secs_f64() * factor),
    }
}

#[cfg(test)]
mod tests {
    use mpirage_units::Consumer;

    use super::*;

    fn during(kind: FaultKind) -> Fault {
        Fault { from: Time::from_picos(100), until: Time::from_picos(200), kind }
    }

    #[test]
    fn a_link_that_is_down_loses_what_is_on_it() {
        let faults = [during(FaultKind::Down(vec![LinkId(3)]))];
        assert_eq!(LinkFaults::of(LinkId(2), &faults), None);
        let link = LinkFaults::of(LinkId(3), &faults).unwrap();
        let mut random = Random::new(0, Consumer(0));
        let mut lost = |from, to| link.lose((Time::from_picos(from), Time::from_picos(to)), &mut random);
        assert_eq!(
            [lost(10, 99), lost(90, 110), lost(150, 160), lost(190, 300), lost(200, 210)],
            [false, true, true, true, false]
        );
    }

    #[test]
    fn lossy_and_slow_links_are_so_for_a_while() {
        let faults = [
            during(FaultKind::Lossy(vec![LinkId(1)], 1.0)),
            during(FaultKind::SlowLinks(vec![LinkId(1)], 0.25)),
        ];
        let link = LinkFaults::of(LinkId(1), &faults).unwrap();
        let mut random = Random::new(0, Consumer(0));
        for (at, bad) in [(50, false), (150, true), (250, false)] {
            let now = Time::from_picos(at);
            assert_eq!(link.lose((now, now), &mut random), bad);
            assert_eq!(link.rate(now), if bad { 0.25 } else { 1.0 });
        }
    }

    #[test]
    fn the_software_of_a_slow_host_takes_longer() {
        let faults = [during(FaultKind::SlowHost(HostId(2), 3.0))];
        let span = Duration::from_nanos(10);
        let takes = |host, at| software(&faults, HostId(host), Time::from_picos(at), span).as_picos() / 1000;
        assert_eq!([takes(2, 150), takes(2, 250), takes(1, 150)], [30, 10, 10]);
    }
}
