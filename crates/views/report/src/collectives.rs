//! Collectives by algorithm, and the time at which the last rank entered each.

use mpirage_call::{Collective, ContextId, Method, function_names};
use mpirage_record::{MessageRecord, Scope};
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::entries::LateEntry;
use crate::time::seconds;

/// Collectives that are remembered, at least.
const MIN_LIVE: usize = 1 << 12;

/// A collective that ranks are in.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    /// Its number plus one; 0 is no collective.
    number: u64,
    /// Its row in the table.
    row: u32,
    /// The last rank so far, and the time at which it entered, in picoseconds.
    last_rank: u32,
    last_entry: u64,
}

/// A row of the table: a collective by one method in one communicator.
#[derive(Clone, Debug)]
struct Row {
    function: u16,
    method: Option<Method>,
    context: ContextId,
    calls: u64,
    bytes: u64,
    messages: u64,
    time: u64,
}

/// The collectives of a run. As many are remembered as there can be if every rank is in one or two.
#[derive(Clone)]
pub(crate) struct Collectives {
    live: Vec<Live>,
    /// The collective of the last message, and usually of the next one.
    recent: Live,
    rows: Vec<Row>,
    known: FxHashMap<(Collective, Option<Method>, ContextId), u32>,
    functions: FxHashMap<Collective, u16>,
}

impl Collectives {
    pub fn new(ranks: usize) -> Collectives {
        Collectives {
            live: vec![Live::default(); (2 * ranks).next_power_of_two().max(MIN_LIVE)],
            recent: Live::default(),
            rows: Vec::new(),
            known: FxHashMap::default(),
            functions: FxHashMap::default(),
        }
    }

    /// A rank enters a collective. Returns the index of the function.
    pub fn enter(
        &mut self,
        number: u64,
        (context, kind, method): (ContextId, Collective, Option<Method>),
        rank: u32,
        entered: Time,
    ) -> u16 {
        let place = self.place(number);
        if self.live[place].number != number + 1 {
            let row = self.row(kind, method, context);
            self.live[place] = Live { number: number + 1, row, last_rank: rank, last_entry: 0 };
            self.recent = Live::default();
        }
        let live = &mut self.live[place];
        if entered.as_picos() >= live.last_entry {
            (live.last_rank, live.last_entry) = (rank, entered.as_picos());
        }
        let row = &mut self.rows[live.row as usize];
        row.calls += 1;
        row.function
    }

    /// The entry of the last rank so far.
    pub fn last_entry(&self, number: u64) -> Option<LateEntry> {
        let Live { last_rank, last_entry, .. } = self.find(number)?;
        Some(LateEntry { rank: last_rank, at: last_entry, held: false })
    }

    /// A rank has left a blocking collective after this time.
    pub fn leave(&mut self, number: u64, time: Duration) {
        if let Some(live) = self.find(number) {
            self.rows[live.row as usize].time += time.as_picos();
        }
    }

    /// A message was delivered. Messages that are not part of a collective are ignored.
    #[inline]
    pub fn message(&mut self, message: &MessageRecord) {
        let Scope::Collective(number) = message.scope else { return };
        if self.recent.number != number + 1 {
            let Some(live) = self.find(number) else { return };
            self.recent = live;
        }
        let row = &mut self.rows[self.recent.row as usize];
        row.bytes += message.bytes;
        row.messages += 1;
    }

    /// The functions of all rows.
    pub fn functions(&self) -> Vec<u16> {
        self.rows.iter().map(|row| row.function).collect()
    }

    /// The rows in columns. `function` and `comm` give the page's numbers.
    pub fn table(&self, function: impl Fn(u16) -> usize, comm: impl Fn(ContextId) -> u32) -> Value {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by_key(|row| {
            (std::cmp::Reverse(row.time), row.function, row.context, method_name(row.method))
        });
        json!({
            "function": column(&rows, |row| function(row.function)),
            "algorithm": column(&rows, |row| method_name(row.method)),
            "comm": column(&rows, |row| comm(row.context)),
            "calls": column(&rows, |row| row.calls),
            "bytes": column(&rows, |row| row.bytes),
            "messages": column(&rows, |row| row.messages),
            "seconds": column(&rows, |row| seconds(row.time)),
        })
    }

    /// Where a collective is remembered. The number of places is a power of two.
    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.live.len() - 1)
    }

    fn find(&self, number: u64) -> Option<Live> {
        let live = self.live[self.place(number)];
        (live.number == number + 1).then_some(live)
    }

    fn row(&mut self, kind: Collective, method: Option<Method>, context: ContextId) -> u32 {
        let function = *self.functions.entry(kind).or_insert_with(|| function_of(kind));
        *self.known.entry((kind, method, context)).or_insert_with(|| {
            self.rows.push(Row { function, method, context, calls: 0, bytes: 0, messages: 0, time: 0 });
            self.rows.len() as u32 - 1
        })
    }
}

fn method_name(method: Option<Method>) -> String {
    method.map_or_else(|| "formula".to_owned(), |method| method.to_string())
}

fn column<T: Into<Value>>(rows: &[&Row], of: impl Fn(&Row) -> T) -> Vec<Value> {
    rows.iter().map(|row| of(row).into()).collect()
}

/// The blocking function of a collective.
fn function_of(kind: Collective) -> u16 {
    let plain = kind.within().name().replace(['-', '_'], "");
    let is = |name: &str| name.to_ascii_lowercase().replace('_', "") == format!("mpi{plain}");
    function_names().iter().position(|name| is(name)).map_or(u16::MAX, |at| at as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_collective_is_a_function() {
        for kind in Collective::ALL {
            assert_ne!(function_of(kind), u16::MAX, "{}", kind.name());
        }
        let name = function_names()[usize::from(function_of(Collective::ReduceScatterBlock))];
        assert_eq!(name, "MPI_Reduce_scatter_block");
        let name = function_names()[usize::from(function_of(Collective::InterBcast))];
        assert_eq!(name, "MPI_Bcast");
    }

    #[test]
    fn the_last_entry_is_that_of_its_own_collective() {
        let mut collectives = Collectives::new(2);
        let enter = |collectives: &mut Collectives, number, at| {
            let what = (ContextId::new(0), Collective::Barrier, None);
            collectives.enter(number, what, at as u32, Time::from_picos(at));
        };
        enter(&mut collectives, 7, 10);
        enter(&mut collectives, 8, 90);
        enter(&mut collectives, 7, 30);
        let last = |number| collectives.last_entry(number).map(|late| (late.rank, late.at));
        assert_eq!([last(7), last(8)], [Some((30, 30)), Some((90, 90))]);
        assert_eq!(collectives.last_entry(9), None);
        assert_eq!(collectives.rows.len(), 1);
    }
}
