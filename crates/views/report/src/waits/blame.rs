//! Divides a wait among what the blamed rank did meanwhile, and the ranks that it waited for itself.

use super::history::{Doing, NEXT_CALL, NO_RANK, Span};
use crate::activity::NO_CALL;

/// A part of a wait: the rank that is blamed for it. Times are in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blame {
    pub rank: u32,
    pub from: u64,
    pub until: u64,
}

/// A share of the blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// The rank did this for so long.
    Own { call: u32, doing: Doing, picos: u64 },
    /// It waited for another rank.
    Passed(Blame),
}

/// The activity of a rank in a part of a wait: its call, and whether the rank was inside it.
type Label = (u32, Doing);

/// The shares of a blame. `spans` are those of the blamed rank, the latest first; each that is looked at uses `fuel`.
pub(super) fn divide<'a>(
    blame: Blame,
    spans: impl Iterator<Item = &'a Span>,
    fuel: &mut usize,
    shares: &mut Vec<Share>,
) {
    let Blame { from, mut until, .. } = blame;
    // A rank of which nothing later is known is in a call that has not returned.
    let mut later: Label = (NEXT_CALL, Doing::InCall);
    for span in spans {
        if until <= from || *fuel == 0 {
            break;
        }
        *fuel -= 1;
        if span.start < until {
            // The time between two spans belongs to the later one.
            until = own(later, span.end.max(from), until, shares);
            until = overlap(span, from, until, *fuel > 0, shares);
        }
        later = (span.call, if span.doing == Doing::Computing { Doing::Computing } else { Doing::InCall });
    }
    let unknown = if later.0 == NEXT_CALL { later } else { (NO_CALL, Doing::Computing) };
    own(unknown, from, until, shares);
}

/// The share of the time from `start` to `until`. Returns where it begins.
fn own((call, doing): Label, start: u64, until: u64, shares: &mut Vec<Share>) -> u64 {
    if start >= until {
        return until;
    }
    shares.push(Share::Own { call, doing, picos: until - start });
    start
}

/// The share of a span. Returns where it begins.
fn overlap(span: &Span, from: u64, until: u64, may_pass: bool, shares: &mut Vec<Share>) -> u64 {
    let start = span.start.max(from);
    match span.doing {
        Doing::Waiting if span.cause != NO_RANK && may_pass => {
            shares.push(Share::Passed(Blame { rank: span.cause, from: start, until }));
            start
        }
        Doing::Computing => own((span.call, Doing::Computing), start, until, shares),
        Doing::Waiting | Doing::InCall => own((span.call, Doing::InCall), start, until, shares),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64, call: u32, doing: Doing, cause: u32) -> Span {
        Span { start, end, call, cause, doing }
    }

    fn shares(from: u64, until: u64, spans: &[Span]) -> Vec<Share> {
        let (mut shares, mut fuel) = (Vec::new(), 100);
        divide(Blame { rank: 0, from, until }, spans.iter().rev(), &mut fuel, &mut shares);
        shares
    }

    #[test]
    fn all_of_a_wait_is_divided() {
        let spans = [
            span(0, 40, 1, Doing::Computing, NO_RANK),
            span(40, 60, 1, Doing::Waiting, 7),
            span(60, 70, 1, Doing::InCall, NO_RANK),
            span(75, 100, 2, Doing::Computing, NO_RANK),
        ];
        let own = |call, doing, picos| Share::Own { call, doing, picos };
        let passed = Share::Passed(Blame { rank: 7, from: 40, until: 60 });
        let expected = [
            own(2, Doing::Computing, 15),
            own(2, Doing::Computing, 5),
            own(1, Doing::InCall, 10),
            passed,
            own(1, Doing::Computing, 10),
        ];
        assert_eq!(shares(30, 90, &spans), expected);
        // After all spans the rank is in a call; before them nothing is known.
        assert_eq!(
            shares(90, 120, &spans),
            [own(NEXT_CALL, Doing::InCall, 20), own(2, Doing::Computing, 10)]
        );
        assert_eq!(
            shares(60, 80, &spans[3..]),
            [own(2, Doing::Computing, 5), own(NO_CALL, Doing::Computing, 15)]
        );
        assert_eq!(shares(60, 80, &[]), [own(NEXT_CALL, Doing::InCall, 20)]);
    }

    #[test]
    fn without_fuel_the_rest_is_unknown() {
        let spans: Vec<Span> = (0..50).map(|at| span(at, at + 1, 3, Doing::InCall, NO_RANK)).collect();
        let (mut shares, mut fuel) = (Vec::new(), 10);
        divide(Blame { rank: 0, from: 0, until: 50 }, spans.iter().rev(), &mut fuel, &mut shares);
        assert_eq!((shares.len(), fuel), (11, 0));
        assert_eq!(shares[10], Share::Own { call: NO_CALL, doing: Doing::Computing, picos: 40 });
    }
}
