//! Lines that pass their turn because the simulator has asked them to.

use std::time::Duration;

use mpirage_call::{LineId, RankId};

use crate::ranks::Ranks;
use crate::running::Running;
use crate::session::Outcome;
use crate::spinning::SLOW;
use crate::stop::Stop;
use crate::symbols::Symbols;

impl Running<'_> {
    /// A folded rank is about to run, and some spin: those are asked to pass their turn earlier.
    #[cold]
    pub(crate) fn set_slice(&mut self, line: LineId) {
        let measured = self.simulation.ranks().measures_computation();
        let slice = self.spinning.slice(line, measured);
        self.simulation.ranks().set_slice(slice);
    }

    /// How long a line whose rank shares memory with others runs before it is asked to pass its turn.
    pub(crate) fn slice_of_sharing(&mut self, line: LineId) -> Option<Duration> {
        let ranks = self.simulation.ranks();
        let measured = ranks.measures_computation();
        ranks.shares_memory(line).then(|| self.spinning.slice(line, measured))
    }

    /// A line has stopped: it has called MPI, or has passed its turn because it was asked to.
    pub(crate) fn called_or_yielded(&mut self, line: LineId, stop: Stop, asked: bool) -> Stop {
        if asked
            && stop == Stop::Waits
            && let Some(place) = self.simulation.ranks().take_interruption(line)
        {
            return Stop::Interrupted(place);
        }
        self.spinning.called(line);
        stop
    }

    /// A line has passed its turn at this place because it was asked to. Its rank is reported if it goes on for long, and ends the run if it
    /// goes on for longer than allowed.
    pub(crate) fn interrupted(&mut self, line: LineId, place: u64) -> Option<Outcome> {
        let ranks = self.simulation.ranks();
        let (shares, measured) = (ranks.shares_memory(line), ranks.measures_computation());
        let watches_memory = shares || self.is_threaded(line);
        // A rank that waits for no other's memory is asked only to say where it is.
        let ran = if watches_memory { self.spinning.slice(line, measured) } else { SLOW };
        let (spun, report) = self.spinning.yielded(line, ran);
        let rank = self.simulation.ranks().rank_of(line);
        if report {
            self.report_slow(rank, spun, Some(place));
        }
        let limit = self.session.rank_timeout?;
        (spun > limit).then(|| Outcome::RankHangs { rank: rank.get(), seconds: spun.as_secs_f64() })
    }

    /// Shows that a rank has computed for long without calling MPI, and where it is, as far as that is known.
    pub(crate) fn report_slow(&mut self, rank: RankId, ran: Duration, place: Option<u64>) {
        let ranks = self.simulation.ranks();
        let place = place.and_then(|place| source_line(ranks, rank, place));
        self.watch.slow_rank(rank.get(), ran.as_secs_f64(), place.as_deref());
    }
}

fn source_line(ranks: &mut Ranks, rank: RankId, place: u64) -> Option<String> {
    let mut symbols = Symbols::default();
    if ranks.are_processes() {
        ranks.explain_addresses_of(rank.get()..rank.get() + 1, &mut symbols);
    } else {
        ranks.explain_addresses(&mut symbols);
    }
    Some(symbols.place_in_program(&[place])?.to_string())
}
