//! A log of the events of each rank, compressed by repetition.
//!
//! Simulated programs repeat themselves to the picosecond. When an event occurs again and again, on whichever ranks, the log interns
//! it as a *symbol*. Each symbol has a successor: the symbol that followed it first. As long as each event of a rank is the successor of the
//! event before, the log only counts:
//!
//! ```text
//! symbols   1: Irecv    2: Isend    3: Waitall of 846 us          successors: 1 → 2, 2 → 3, 3 → 1
//! a rank    1 2 3 1 2 3 1 2 3, an unknown event, 1 2 3 1          entries: Repeat(9), Literal, Symbol(1), Repeat(3)
//! ```
//!
//! An event that occurs at several places of a loop gets a symbol for each place, because each place has its own
//! successor. The events before it show which place it is. Times are relative to the end of the previous event, so that every iteration of a loop is the same.

mod encoded;
mod reader;
mod rows;

use std::hash::{BuildHasher, Hash};

use rustc_hash::{FxBuildHasher, FxHashMap};

pub(crate) use encoded::{Clock, Encode, EncodedLog, nanos};
pub(crate) use reader::{Position, ReverseReader};
use rows::RowsByRank;

/// The symbol that no event has: it stands before the first event and after a literal.
const NONE: u32 = 0;
/// Symbols of a log, at most.
const MAX_SYMBOLS: usize = 1 << 16;
/// Slots of the table that counts how often events have occurred.
const SEEN_SLOTS: usize = 1 << 14;
/// Occurrences of an event after which it becomes a symbol: a symbol that occurs twice takes more room than two literals.
const OCCURRENCES: u8 = 3;
/// Preceding events that tell symbols of the same event apart.
const CONTEXT: usize = 7;

/// Something that happens to a rank.
pub(crate) trait Event: Copy + Eq + Hash + Default {
    /// Picoseconds from the end of the previous event to the end of this one.
    fn span(&self) -> u64;

    /// Picoseconds from its own start to its end.
    fn duration(&self) -> u64;
}

/// An entry in the log of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry<E> {
    /// An event that has no symbol.
    Literal(E),
    /// An event that has this symbol.
    Symbol(u32),
    /// This many events, each the successor of the one before.
    Repeat(u32),
}

/// Picoseconds from one iteration of a loop to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period(pub u64);

/// A part of what happened to a rank.
pub(crate) enum Part<'a, E> {
    /// An event and the time of its end.
    Once(&'a E, u64),
    /// The iterations of a loop: `times` times `events`, the first iteration from `begin` on.
    Loop { events: &'a [E], times: u32, begin: u64, period: Period },
}

/// Where a rank is in the log.
#[derive(Clone, Copy, Default)]
struct LogCursor {
    /// The end of the last event.
    end: u64,
    /// The symbol of the last event.
    symbol: u32,
    /// Events that were only counted since the last entry.
    repeats: u32,
}

/// An interned event.
#[derive(Clone, Copy)]
struct Symbol<E> {
    event: E,
    /// The symbol that followed it first. It never changes, so that readers find what writers counted.
    next: u32,
}

/// The place of a symbol in a program: its event and the events before it, each by its first symbol.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Context {
    event: u32,
    before: [u32; CONTEXT],
}

impl Context {
    /// The context of an event that follows this one.
    fn then(&self, event: u32) -> Context {
        let before = std::array::from_fn(|at| *self.before.get(at + 1).unwrap_or(&self.event));
        Context { event, before }
    }
}

/// The events of all ranks.
#[derive(Clone)]
pub(crate) struct EventLog<E> {
    cursors: Vec<LogCursor>,
    /// The first symbol is `NONE`.
    symbols: Vec<Symbol<E>>,
    contexts: Vec<Context>,
    /// The first symbol of each interned event.
    first_symbols: FxHashMap<E, u32>,
    symbols_by_context: FxHashMap<Context, u32>,
    /// Hashes of events and contexts, and how often these have occurred.
    seen: Vec<(u32, u8)>,
    rows: RowsByRank<Entry<E>>,
    /// The time at which the rows of each rank begin; empty if they begin with the run.
    begins: Vec<u64>,
}

impl<E: Event> EventLog<E> {
    pub fn new(ranks: usize) -> EventLog<E> {
        EventLog {
            cursors: vec![LogCursor::default(); ranks],
            symbols: vec![Symbol { event: E::default(), next: NONE }],
            contexts: vec![Context::default()],
            first_symbols: FxHashMap::default(),
            symbols_by_context: FxHashMap::default(),
            seen: Vec::new(),
            rows: RowsByRank::new(ranks),
            begins: Vec::new(),
        }
    }

    pub fn ranks(&self) -> usize {
        self.cursors.len()
    }

    /// The end of a rank's last event.
    #[inline]
    pub fn end(&self, rank: u32) -> u64 {
        self.cursors[rank as usize].end
    }

    /// The event that follows a rank's last one if the rank repeats itself.
    #[inline]
    pub fn expected(&self, rank: u32) -> Option<&E> {
        let next = self.symbols[self.cursors[rank as usize].symbol as usize].next;
        if next == NONE { None } else { Some(&self.symbols[next as usize].event) }
    }

    /// The expected event occurred; it ends at `end`.
    #[inline]
    pub fn on_hit(&mut self, rank: u32, end: u64) {
        let cursor = &mut self.cursors[rank as usize];
        cursor.symbol = self.symbols[cursor.symbol as usize].next;
        cursor.repeats += 1;
        cursor.end = end;
        if cursor.repeats == u32::MAX {
            self.flush(rank);
        }
    }

    /// An event occurred that was not expected; it ends at `end`. `forms` are equivalent descriptions of it, of which a known one is
    /// preferred.
    pub fn on_miss(&mut self, rank: u32, end: u64, forms: &[E]) {
        let last = self.cursors[rank as usize].symbol;
        let before = self.contexts[last as usize];
        let known = forms.iter().find_map(|form| self.first_symbols.get(form).copied());
        let known = known.map(|event| self.symbol_in(before.then(event)));
        match known.or_else(|| self.learn(forms, &before)) {
            None => self.push(rank, Entry::Literal(forms[0])),
            Some(symbol) if self.is_successor(last, symbol) => {
                self.symbols[last as usize].next = symbol;
                self.on_hit(rank, end);
            }
            Some(symbol) => {
                self.push(rank, Entry::Symbol(symbol));
                self.cursors[rank as usize].symbol = symbol;
            }
        }
        self.cursors[rank as usize].end = end;
    }

    /// Whether it is time to [sort](EventLog::sort).
    #[inline]
    pub fn is_full(&self) -> bool {
        self.rows.is_full()
    }

    /// Whether a symbol is the successor of another, or may become it.
    fn is_successor(&self, last: u32, symbol: u32) -> bool {
        let context = self.contexts[symbol as usize];
        match self.symbols[last as usize].next {
            // A symbol of another context says nothing about what follows here.
            NONE => self.contexts[last as usize].then(context.event) == context,
            next => next == symbol,
        }
    }

    /// The symbol of a context. A context that occurs for the first time has none: then it is the first symbol of the event.
    fn symbol_in(&mut self, context: Context) -> u32 {
        match self.symbols_by_context.get(&context).copied() {
            Some(symbol) => symbol,
            None if self.is_new(&context) => context.event,
            None => self.add_symbol(self.symbols[context.event as usize].event, context),
        }
    }

    /// Interns an event if it has occurred before in one of these forms.
    fn learn(&mut self, forms: &[E], before: &Context) -> Option<u32> {
        let event = *forms.iter().find(|form| !self.is_new(form))?;
        let symbol = self.symbols.len() as u32;
        self.first_symbols.insert(event, symbol);
        Some(self.add_symbol(event, before.then(symbol)))
    }

    /// Whether something has occurred too rarely to become a symbol, as far as the table remembers, or there is no room for more symbols.
    fn is_new(&mut self, what: &impl Hash) -> bool {
        if self.symbols.len() >= MAX_SYMBOLS {
            return true;
        }
        self.seen.resize(SEEN_SLOTS, (0, 0));
        let hash = FxBuildHasher.hash_one(what);
        let (known, count) = &mut self.seen[(hash >> 48) as usize % SEEN_SLOTS];
        *count = if *known == hash as u32 { *count + 1 } else { 1 };
        *known = hash as u32;
        let is_new = *count < OCCURRENCES;
        if !is_new {
            *count = 0;
        }
        is_new
    }

    fn add_symbol(&mut self, event: E, context: Context) -> u32 {
        let symbol = self.symbols.len() as u32;
        self.symbols.push(Symbol { event, next: NONE });
        self.contexts.push(context);
        self.symbols_by_context.insert(context, symbol);
        symbol
    }

    /// Stores an entry of a rank, after what was only counted.
    fn push(&mut self, rank: u32, entry: Entry<E>) {
        self.flush(rank);
        self.cursors[rank as usize].symbol = NONE;
        self.rows.push(rank, entry);
    }

    /// Stores what was only counted.
    fn flush(&mut self, rank: u32) {
        let repeats = std::mem::take(&mut self.cursors[rank as usize].repeats);
        if repeats > 0 {
            self.rows.push(rank, Entry::Repeat(repeats));
        }
    }

    /// Sorts recent rows by rank, if they are many.
    pub fn sort(&mut self) {
        if self.rows.is_full() {
            self.rows.sort();
        }
    }

    /// Makes everything readable.
    pub fn settle(&mut self) {
        for rank in 0..self.ranks() as u32 {
            self.flush(rank);
        }
        self.rows.sort();
    }

    /// Rows in memory.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Drops all rows, which have been settled and read, but keeps the symbols.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.begins = self.cursors.iter().map(|cursor| cursor.end).collect();
        self.cursors.iter_mut().for_each(|cursor| cursor.symbol = NONE);
    }

    /// The time at which the rows of a rank begin.
    pub fn begin(&self, rank: usize) -> u64 {
        self.begins.get(rank).copied().unwrap_or(0)
    }

    /// Visits everything that happened to a rank since it [begins](EventLog::begin). Loops are visited once.
    pub fn for_each_part(&self, rank: usize, mut visit: impl FnMut(Part<'_, E>)) {
        let (mut symbol, mut end) = (NONE, self.begin(rank));
        for entry in self.rows.of(rank) {
            let event = match entry {
                Entry::Literal(event) => {
                    symbol = NONE;
                    event
                }
                Entry::Symbol(number) => {
                    symbol = *number;
                    &self.symbols[symbol as usize].event
                }
                Entry::Repeat(count) => {
                    (symbol, end) = self.follow(symbol, end, *count, &mut visit);
                    continue;
                }
            };
            end = end.wrapping_add(event.span());
            visit(Part::Once(event, end));
        }
    }

    /// Visits `count` successors of a symbol that ended at `end`. Returns the last symbol and its end.
    ///
    /// Loops are found as Brent's algorithm does it: a symbol is remembered and compared with those after it, and replaced by another
    /// after ever more steps.
    fn follow(&self, symbol: u32, end: u64, count: u32, visit: &mut impl FnMut(Part<'_, E>)) -> (u32, u64) {
        let (mut symbol, mut end, mut left) = (symbol, end, count);
        let (mut remembered, mut steps, mut limit) = (NONE, 0, 1);
        while left > 0 {
            symbol = self.symbols[symbol as usize].next;
            let event = &self.symbols[symbol as usize].event;
            end = end.wrapping_add(event.span());
            visit(Part::Once(event, end));
            (left, steps) = (left - 1, steps + 1);
            if symbol == remembered && left >= 2 * steps {
                let events = self.successors(symbol, steps);
                let (times, period) = (left / steps, events.iter().map(E::span).fold(0, u64::wrapping_add));
                visit(Part::Loop { events: &events, times, begin: end, period: Period(period) });
                end = end.wrapping_add(period.wrapping_mul(times.into()));
                left -= times * steps;
                remembered = NONE;
            } else if steps == limit {
                (remembered, steps, limit) = (symbol, 0, 2 * limit);
            }
        }
        (symbol, end)
    }

    /// The events of `count` successors of a symbol.
    fn successors(&self, symbol: u32, count: u32) -> Vec<E> {
        let next = |symbol: &Symbol<E>| Some(self.symbols[symbol.next as usize]);
        let symbols = std::iter::successors(Some(self.symbols[symbol as usize]), next);
        symbols.skip(1).take(count as usize).map(|symbol| symbol.event).collect()
    }

    /// Bytes of a row.
    #[cfg(test)]
    pub const ROW_BYTES: usize = size_of::<Entry<E>>();

    /// Appends an event.
    #[cfg(test)]
    pub fn push_event(&mut self, rank: u32, event: E) {
        let end = self.end(rank) + event.span();
        match self.expected(rank) {
            Some(expected) if *expected == event => self.on_hit(rank, end),
            _ => self.on_miss(rank, end, &[event]),
        }
        self.sort();
    }

    /// Visits everything that happened to a rank, event by event.
    #[cfg(test)]
    pub fn for_each(&self, rank: usize, mut visit: impl FnMut(&E)) {
        self.for_each_part(rank, |part| match part {
            Part::Once(event, _) => visit(event),
            Part::Loop { events, times, .. } => {
                (0..times).for_each(|_| events.iter().for_each(&mut visit));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter, whose duration depends on it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(super) struct Letter(pub char);

    impl Event for Letter {
        fn span(&self) -> u64 {
            self.duration() + 1
        }

        fn duration(&self) -> u64 {
            self.0 as u64 % 10
        }
    }

    /// A log in which each rank appends the letters of its text, one letter of each rank in turn.
    pub(super) fn log_of(texts: &[&str]) -> EventLog<Letter> {
        let mut log = EventLog::new(texts.len());
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        for turn in 0..longest {
            for (rank, text) in (0..).zip(texts) {
                if let Some(&letter) = text.as_bytes().get(turn) {
                    log.push_event(rank, Letter(letter.into()));
                }
            }
            if turn % 7 == 0 {
                log.settle();
            }
        }
        log.settle();
        log
    }

    #[test]
    fn what_was_logged_can_be_read() {
        let long = "xyz".repeat(500) + "abq" + &"xyz".repeat(20);
        let texts = ["abcabcabcabc", "abcabcabdabcab", "", "qwertyuiopasdfghjkl", "zzzzzzzzz", &long];
        let log = log_of(&texts);
        for (rank, text) in texts.iter().enumerate() {
            let mut read = String::new();
            log.for_each(rank, |letter| read.push(letter.0));
            assert_eq!(read, *text);
        }
        let rows = |rank: usize| log.rows.of(rank).count();
        assert!(rows(5) < 300, "{}", rows(5));
        assert_eq!(rows(3), texts[3].len(), "nothing repeats");
    }

    #[test]
    fn a_known_form_is_preferred() {
        let mut log = EventLog::new(1);
        for other in "abcdefgh".chars() {
            log.on_miss(0, 0, &[Letter(other), Letter('x')]);
        }
        log.settle();
        let mut read = String::new();
        log.for_each(0, |letter| read.push(letter.0));
        assert_eq!(read, "abxxxxxx");
    }
}
