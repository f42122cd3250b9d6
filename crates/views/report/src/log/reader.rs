//! Reads the log of a rank from its end to its beginning, and skips over loops.

use rustc_hash::FxHashMap;

use super::{Entry, Event, EventLog, NONE, Period};

/// Reads the events of a rank backwards, and now and then starts again from a later time.
pub(crate) struct ReverseReader<'a, E> {
    log: &'a EventLog<E>,
    runs: Vec<Run<'a, E>>,
    /// The runs that are left, the current one included.
    runs_left: usize,
    /// The events of the current run that are left, and the end of the last of these.
    left: u32,
    end: u64,
    /// The symbols of the current run, if it has any: those before its loop, and from `loop_begin` on those of its loop.
    symbols: Vec<u32>,
    loop_begin: usize,
    /// The current one of these symbols.
    at: usize,
    /// Picoseconds of an iteration of the loop.
    period: u64,
    /// The time that was sought last.
    sought: u64,
}

/// A position of a reader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    runs_left: usize,
    at: usize,
    left: u32,
    end: u64,
}

impl Position {
    /// Whether both positions are at the same place of the same loop.
    #[inline]
    pub fn is_like(&self, other: &Position) -> bool {
        (self.runs_left, self.at) == (other.runs_left, other.at)
    }
}

/// A single event, or events that were only counted.
struct Run<'a, E> {
    /// The end of its last event.
    end: u64,
    /// The event, if it is single.
    single: Option<&'a E>,
    /// The symbol before the first event.
    before: u32,
    length: u32,
}

impl<'a, E: Event> ReverseReader<'a, E> {
    /// A reader that starts at a rank's last event.
    pub fn new(log: &'a EventLog<E>, rank: usize) -> ReverseReader<'a, E> {
        let (mut symbol, mut end, mut runs) = (NONE, log.begin(rank), Vec::new());
        for entry in log.rows.of(rank) {
            let before = symbol;
            let (single, length) = match entry {
                Entry::Literal(event) => {
                    symbol = NONE;
                    (Some(event), 1)
                }
                Entry::Symbol(number) => {
                    symbol = *number;
                    (Some(&log.symbols[symbol as usize].event), 1)
                }
                Entry::Repeat(count) => {
                    (symbol, end) = log.follow(symbol, end, *count, &mut |_| {});
                    (None, *count)
                }
            };
            end = end.wrapping_add(single.map_or(0, Event::span));
            runs.push(Run { end, single, before, length });
        }
        let mut reader = ReverseReader {
            log,
            runs_left: runs.len(),
            runs,
            left: 0,
            end: 0,
            symbols: Vec::new(),
            loop_begin: 0,
            at: 0,
            period: 0,
            sought: u64::MAX,
        };
        reader.enter_run();
        reader
    }

    /// The current event and its end. None before the first event.
    #[inline]
    pub fn current(&self) -> Option<(&'a E, u64)> {
        let run = self.runs.get(self.runs_left.wrapping_sub(1))?;
        let event = match run.single {
            Some(event) => event,
            None => &self.log.symbols[self.symbols[self.at] as usize].event,
        };
        Some((event, self.end))
    }

    /// Goes to the last event that began before `time`. Events that were [passed](ReverseReader::back) are found again only after a
    /// search for a later time.
    #[inline]
    pub fn seek(&mut self, time: u64) -> Option<(&'a E, u64)> {
        if time > self.sought {
            self.restart(time);
        }
        self.sought = time;
        loop {
            let (event, end) = self.current()?;
            let began = end.wrapping_sub(event.duration());
            if began < time {
                return Some((event, end));
            }
            if began - time > self.period {
                self.skip_iterations(began - time);
            }
            self.pass(event.span());
        }
    }

    /// Starts again, after everything that began before `time`.
    #[cold]
    fn restart(&mut self, time: u64) {
        // Runs that end before it are earlier; the first of the others may have begun before it.
        self.runs_left = (self.runs.partition_point(|run| run.end < time) + 1).min(self.runs.len());
        self.enter_run();
    }

    #[inline]
    pub fn position(&self) -> Position {
        Position { runs_left: self.runs_left, at: self.at, left: self.left, end: self.end }
    }

    /// How often the events since `earlier`, which took `period` up to `time`, occur again before the current position.
    pub fn iterations_since(&self, earlier: &Position, Period(period): Period, time: u64) -> u64 {
        if self.runs_left == 0 && earlier.runs_left == 0 {
            return u64::MAX;
        }
        if !self.position().is_like(earlier) {
            return 0;
        }
        if self.left == earlier.left {
            // The path has not come to this reader's event yet.
            return time.saturating_sub(self.end) / period;
        }
        let left = u64::from(self.left - 1).saturating_sub(self.loop_begin as u64);
        let repeats = earlier.end.wrapping_sub(self.end) == period;
        if repeats { left / u64::from(earlier.left - self.left) } else { 0 }
    }

    /// Skips as many times what lies between `earlier` and the current position.
    pub fn skip(&mut self, earlier: &Position, times: u64, Period(period): Period) {
        if self.left < earlier.left && self.runs_left > 0 {
            self.left -= (times * u64::from(earlier.left - self.left)) as u32;
            self.end -= times * period;
        }
        self.sought = self.sought.saturating_sub(times * period);
    }

    /// Skips as many iterations of the loop as take no longer than `time`.
    #[cold]
    fn skip_iterations(&mut self, time: u64) {
        let length = (self.symbols.len() - self.loop_begin) as u64;
        let left = u64::from(self.left - 1).saturating_sub(self.loop_begin as u64);
        // A single event has no loop.
        let most = left.checked_div(length).unwrap_or(0);
        let times = time.checked_div(self.period).unwrap_or(most).min(most);
        self.left -= (times * length) as u32;
        self.end = self.end.wrapping_sub(times * self.period);
    }

    /// Passes the current event.
    pub fn back(&mut self) {
        if let Some((event, _)) = self.current() {
            self.pass(event.span());
        }
    }

    /// Passes the current event, which has this span.
    #[inline]
    fn pass(&mut self, span: u64) {
        if self.left == 1 {
            self.runs_left -= 1;
            return self.enter_run();
        }
        self.left -= 1;
        self.end = self.end.wrapping_sub(span);
        let wraps = self.at == self.loop_begin && self.left as usize > self.loop_begin;
        self.at = if wraps { self.symbols.len() } else { self.at } - 1;
    }

    /// Goes to the end of the current run.
    fn enter_run(&mut self) {
        self.symbols.clear();
        (self.loop_begin, self.period) = (0, 0);
        let Some(&Run { end, single, before, length }) = self.runs.get(self.runs_left.wrapping_sub(1)) else {
            return;
        };
        (self.end, self.left) = (end, length);
        if single.is_none() {
            self.find_loop(before);
        }
    }

    /// Finds the symbols of the current run, which follow `before`.
    fn find_loop(&mut self, before: u32) {
        let (mut symbol, symbols) = (before, &self.log.symbols);
        let (length, mut places) = (self.left as usize, FxHashMap::default());
        self.loop_begin = loop {
            symbol = symbols[symbol as usize].next;
            if let Some(place) = places.insert(symbol, self.symbols.len()) {
                break place;
            }
            self.symbols.push(symbol);
            if self.symbols.len() == length {
                break length - 1;
            }
        };
        self.at = self.loop_begin + (length - 1 - self.loop_begin) % (self.symbols.len() - self.loop_begin);
        let spans =
            self.symbols[self.loop_begin..].iter().map(|&symbol| symbols[symbol as usize].event.span());
        self.period = spans.fold(0, u64::wrapping_add);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::log_of;
    use super::*;

    #[test]
    fn events_are_read_backwards() {
        let long = "ab".to_owned() + &"xyz".repeat(500) + "abq" + &"xyz".repeat(20) + "ab";
        let texts = [long.as_str(), "", "qwerty", &"xyz".repeat(300), "zzzzzzzzzz"];
        let log = log_of(&texts);
        for (rank, text) in texts.iter().enumerate() {
            let mut ends = vec![0];
            log.for_each(rank, |letter| ends.push(ends[ends.len() - 1] + letter.span()));
            let mut reader = ReverseReader::new(&log, rank);
            for (at, letter) in text.char_indices().rev() {
                let (found, end) = reader.current().expect("not at the beginning");
                assert_eq!((found.0, end), (letter, ends[at + 1]));
                reader.back();
            }
            assert!(reader.current().is_none());
        }
    }

    #[test]
    fn a_later_time_starts_again() {
        let text = "ab".to_owned() + &"xyzu".repeat(50) + "abq" + &"xyzu".repeat(20) + "ab";
        let log = log_of(&[&text, &text]);
        let mut reader = ReverseReader::new(&log, 0);
        for time in [5, 700, 3, 90, 91, 250, 249, u64::MAX, 0, 1, 2] {
            let fresh = ReverseReader::new(&log, 0).seek(time).map(|(letter, end)| (letter.0, end));
            assert_eq!(reader.seek(time).map(|(letter, end)| (letter.0, end)), fresh, "{time}");
        }
    }

    #[test]
    fn the_event_of_every_time_is_found() {
        let text = "ab".to_owned() + &"xyzu".repeat(500) + "abq" + &"xyzu".repeat(20) + "ab";
        let log = log_of(&[&text, &text]);
        let (mut events, mut end) = (Vec::new(), 0);
        log.for_each(0, |letter| {
            end += letter.span();
            events.push((end - letter.duration(), end, letter.0));
        });
        for step in [1, 2, 7, 100, 1_000, 5_000] {
            let mut reader = ReverseReader::new(&log, 0);
            for time in (0..=end + 1).rev().step_by(step) {
                let found = reader.seek(time).map(|(letter, end)| (letter.0, end));
                let wanted = events.iter().rev().find(|&&(began, ..)| began < time);
                assert_eq!(found, wanted.map(|&(_, end, letter)| (letter, end)), "{time} by {step}");
            }
        }
    }
}
