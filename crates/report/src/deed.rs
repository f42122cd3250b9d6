//! What a rank did: calls in one instant, a call that took time, or anything else.

use crate::by_rank::Ranked;
use crate::category::Category;
use crate::chronicle::{Chronicle, Note, Part, Thing};
use crate::phrases::START;

/// Something that a rank did. In picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Deed {
    /// Since the end of what it did before; a whole number of any sign.
    gap: u64,
    pub took: u64,
    /// How long, from its beginning on, it waited for another rank.
    pub waited: u64,
    what: u32,
    rank: u32,
}

/// What deeds of a phrase are, and notes.
const KIND_BITS: u32 = 3;
const WORD: u32 = 6;
const AGAIN: u32 = 7;

impl Deed {
    /// Nothing at all.
    pub const NONE: Deed = Deed { gap: 0, took: 0, waited: 0, what: Category::Other as u32, rank: 0 };

    /// Calls: this [phrase](crate::phrases). What time they take is of this category, waiting aside.
    #[inline]
    pub fn calls(phrase: u32, category: Category, gap: u64, took: u64, waited: u64) -> Deed {
        Deed { gap, took, waited, what: phrase << KIND_BITS | category as u32, rank: 0 }
    }

    /// The same as `==`, from registers.
    #[inline]
    pub fn is(&self, other: &Deed) -> bool {
        let differs = (self.gap ^ other.gap) | (self.took ^ other.took) | (self.waited ^ other.waited);
        differs | u64::from(self.what ^ other.what) == 0
    }

    /// No call, to be accounted for only.
    #[inline]
    pub fn other(category: Category, gap: u64, took: u64) -> Deed {
        Deed::calls(START, category, gap, took, 0)
    }

    /// The bytes of the call before it.
    pub fn size(bytes: u64) -> Deed {
        Deed::other(Category::Idle, bytes, 0)
    }

    /// The calls; `START` if there are none.
    #[inline]
    pub fn phrase(&self) -> u32 {
        self.what >> KIND_BITS
    }

    #[inline]
    pub fn category(&self) -> Category {
        Category::of_number(self.what & ((1 << KIND_BITS) - 1))
    }

    /// The bytes of the call before it, if that is what it tells.
    #[inline]
    pub fn as_size(&self) -> Option<u64> {
        (self.what == Category::Idle as u32).then_some(self.gap)
    }

    /// Since the end of what was before.
    #[inline]
    pub fn gap(&self) -> u64 {
        if self.as_size().is_some() { 0 } else { self.gap }
    }
}

impl Ranked for Deed {
    #[inline]
    fn rank(&self) -> u32 {
        self.rank
    }
}

impl Thing for Deed {
    #[inline]
    fn span(&self) -> u64 {
        self.gap().wrapping_add(self.took)
    }

    #[inline]
    fn took(&self) -> u64 {
        self.took
    }

    #[inline]
    fn of(self, rank: u32) -> Deed {
        Deed { rank, ..self }
    }

    #[inline]
    fn noted(rank: u32, note: Note) -> Deed {
        let (gap, what) = match note {
            Note::Word(word) => (word.into(), WORD),
            Note::Again(times) => (times.into(), AGAIN),
        };
        Deed { gap, what, rank, ..Deed::default() }
    }

    #[inline]
    fn note(&self) -> Option<Note> {
        match self.what {
            WORD => Some(Note::Word(self.gap as u32)),
            AGAIN => Some(Note::Again(self.gap as u32)),
            _ => None,
        }
    }
}

/// All that ranks did.
pub(crate) type Diary = Chronicle<Deed>;

/// Somebody who is told how a rank spent its time.
pub(crate) trait Listener {
    /// A stretch of time: what it was, since when, until when. If `times` is more than one, the same again in the next rounds.
    fn hear(&mut self, category: Category, from: u64, until: u64, times: u32);

    /// So many rounds, which take so long each, can be told together from now on; one is always possible.
    fn together(&self, now: u64, lap: u64) -> u64;
}

impl Diary {
    /// Tells of each stretch of a rank's time, from `now` on.
    pub fn stretches(&self, rank: usize, now: &mut u64, listener: &mut impl Listener) {
        self.parts(rank, |part| match part {
            Part::One(deed, end) => tell(deed, end, 1, now, listener),
            Part::Round { things, times, begin, lap } => {
                let (mut end, mut left, mut together) = (begin, u64::from(times), 1);
                while left > 0 {
                    for deed in things {
                        end = end.wrapping_add(deed.span());
                        tell(deed, end, together as u32, now, listener);
                    }
                    end += (together - 1) * lap;
                    *now += (together - 1) * lap;
                    left -= together;
                    together = listener.together(*now, lap).clamp(1, left.max(1));
                }
            }
        });
    }
}

/// Tells of the stretches of a deed that is over at `end`, so many times.
#[inline]
fn tell(deed: &Deed, end: u64, times: u32, now: &mut u64, listener: &mut impl Listener) {
    let entered = end.wrapping_sub(deed.took);
    let mut spend = |category, until: u64| {
        if until > *now {
            listener.hear(category, *now, until, times);
            *now = until;
        }
    };
    if deed.took > 0 {
        // Time that nothing was told of.
        spend(Category::Other, entered);
        spend(Category::Wait, entered + deed.waited);
        spend(deed.category(), end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chronicle::Pen;

    /// What was told, and how many rounds can be told together.
    struct Told(u64, Vec<(Category, u64, u64)>);

    impl Listener for Told {
        fn hear(&mut self, category: Category, from: u64, until: u64, times: u32) {
            self.1.extend((0..times).map(|_| (category, from, until)));
        }

        fn together(&self, _: u64, _: u64) -> u64 {
            self.0
        }
    }

    #[test]
    fn rounds_can_be_told_together() {
        let (mut diary, mut pen) = (Diary::new(1), Pen::default());
        for _ in 0..100 {
            for deed in [
                Deed::other(Category::Compute, 3, 20),
                Deed::calls(8, Category::PointToPoint, 0, 50, 15),
                Deed::calls(9, Category::PointToPoint, 0, 0, 0),
            ] {
                diary.push(0, &mut pen, deed);
            }
        }
        diary.settle([&mut pen].into_iter());
        let sums = [1, 7, u64::MAX].map(|together| {
            let (mut now, mut told) = (0, Told(together, Vec::new()));
            diary.stretches(0, &mut now, &mut told);
            let of = |wanted| {
                let stretches = told.1.iter().filter(|(category, ..)| *category == wanted);
                stretches.map(|(_, from, until)| until - from).sum::<u64>()
            };
            (now, [Category::Compute, Category::PointToPoint, Category::Wait, Category::Other].map(of))
        });
        assert_eq!(sums, [(7_300, [2_000, 3_500, 1_500, 300]); 3]);
    }

    #[test]
    fn all_time_is_accounted_for() {
        let deeds = [
            Deed::other(Category::Compute, 10, 20),
            Deed::calls(7, Category::PointToPoint, 0, 0, 0),
            Deed::size(5_000),
            Deed::calls(8, Category::PointToPoint, 0, 50, 15),
        ];
        let (mut diary, mut pen) = (Diary::new(1), Pen::default());
        deeds.iter().for_each(|&deed| diary.push(0, &mut pen, deed));
        diary.settle([&mut pen].into_iter());
        let (mut now, mut told) = (0, Told(1, Vec::new()));
        diary.stretches(0, &mut now, &mut told);
        let Told(_, told) = told;
        let expected = [
            (Category::Other, 0, 10),
            (Category::Compute, 10, 30),
            (Category::Wait, 30, 45),
            (Category::PointToPoint, 45, 80),
        ];
        assert_eq!((told.as_slice(), now), (expected.as_slice(), 80));
        assert_eq!(deeds.map(|deed| deed.as_size()), [None, None, Some(5_000), None]);
        assert_eq!((deeds[3].phrase(), deeds[3].category()), (8, Category::PointToPoint));
        assert_eq!(size_of::<Deed>(), 32);
    }

    #[test]
    fn notes_are_no_deeds() {
        for note in [Note::Word(7), Note::Again(u32::MAX)] {
            assert_eq!(Deed::noted(3, note).note(), Some(note));
        }
        assert_eq!(Deed::other(Category::Other, 7, 0).note(), None);
        assert_eq!(Deed::size(7).note(), None);
    }
}
