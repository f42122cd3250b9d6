//! The dates at which profiles change hosts and links, in order.

use mpirage_kernel::Agenda;
use mpirage_platform::{Changing, Dates, Platform};
use mpirage_units::{Duration, Time};

/// The changes that are still to come.
#[derive(Clone)]
pub(crate) struct Changes {
    dates: Vec<(Changing, Dates)>,
    /// The next change of each profile: its number, and the value from then on.
    due: Agenda<(usize, f64)>,
}

impl Changes {
    /// All changes of the profiles that are wanted.
    pub(crate) fn new(platform: &Platform, wanted: impl Fn(Changing) -> bool) -> Changes {
        let wanted = platform.profiles().iter().filter(|(what, _)| wanted(*what));
        let dates: Vec<_> = wanted.map(|(what, profile)| (what, profile.dates())).collect();
        let mut changes = Changes { dates, due: Agenda::new() };
        (0..changes.dates.len()).for_each(|number| changes.advance(number));
        changes
    }

    /// The date of the next change.
    pub(crate) fn next(&self) -> Option<Time> {
        self.due.next()
    }

    /// Takes the next change, if it is due.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Changing, f64)> {
        let (number, value) = self.due.pop_at(now)?;
        self.advance(number);
        Some((self.dates[number].0, value))
    }

    fn advance(&mut self, number: usize) {
        if let Some((seconds, value)) = self.dates[number].1.next() {
            self.due.push(Time::ZERO + Duration::from_secs_f64(seconds), (number, value));
        }
    }
}
