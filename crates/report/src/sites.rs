//! Calls by function and by place in the program.

use std::rc::Rc;

use mpirage_interpret::{CallSites as Places, Sites};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::names::Functions;
use crate::phrases::Kind;

/// The table of calls by function and place.
pub(crate) struct CallSites {
    places: Places,
    rows: Vec<Row>,
    known: FxHashMap<(u16, u32), u32>,
}

/// Calls of one function from one place.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    function: u16,
    /// The number of the place; 0 if it is not known.
    site: u32,
    /// By which the page knows the function.
    index: u16,
    /// Calls and their bytes, besides those that are counted by [phrases](crate::phrases).
    calls: u64,
    bytes: u64,
    /// Picoseconds.
    time: u64,
    longest: u64,
}

impl CallSites {
    pub fn new(sites: Option<Rc<dyn Sites>>) -> CallSites {
        CallSites { places: Places::new(sites), rows: Vec::new(), known: FxHashMap::default() }
    }

    /// What a place is known by, quickly; the same in all ranks.
    #[inline]
    pub fn place(&self, rank: u32, site: u64) -> u64 {
        self.places.key(rank, site)
    }

    /// The number of a place.
    pub fn number(&mut self, rank: u32, site: u64) -> u32 {
        self.places.number(rank, site)
    }

    /// The row of calls of a function from a place.
    pub fn row(&mut self, function: u16, place: u64, functions: &mut Functions) -> u32 {
        let site = self.places.number_of(place);
        *self.known.entry((function, site)).or_insert_with(|| {
            let index = functions.index(function);
            self.rows.push(Row { function, site, index, ..Row::default() });
            self.rows.len() as u32 - 1
        })
    }

    /// The function and the place of a row, as the page numbers them.
    pub fn about(&self, row: u32) -> (u16, u32) {
        self.rows.get(row as usize).map_or((0, 0), |row| (row.index, row.site))
    }

    /// More calls, and their bytes.
    #[inline]
    pub fn count(&mut self, row: u32, calls: u64, bytes: u64) {
        let row = &mut self.rows[row as usize];
        row.calls += calls;
        row.bytes += bytes;
    }

    /// A call took so many picoseconds.
    #[inline]
    pub fn spend(&mut self, row: u32, time: u64) {
        let row = &mut self.rows[row as usize];
        row.time += time;
        row.longest = row.longest.max(time);
    }

    /// The name of a place, by number.
    pub fn name(&self, site: u32) -> &str {
        match site {
            0 => "",
            site => &self.places.names()[site as usize - 1],
        }
    }

    /// The names of all places; the first is that of unknown ones.
    pub fn names(&self) -> Vec<&str> {
        (0..=self.places.names().len() as u32).map(|site| self.name(site)).collect()
    }

    /// The rows in columns, the longest first, with what phrases have counted; `function` gives the index by which the page knows a function.
    pub fn table<'a>(
        &self,
        phrases: impl Iterator<Item = (&'a Kind, u64)>,
        function: impl Fn(u16) -> usize,
    ) -> Value {
        let mut rows = self.rows.clone();
        for (kind, calls) in phrases {
            let row = &mut rows[kind.row as usize];
            row.calls += calls;
            row.bytes += calls * kind.asked.bytes();
        }
        let mut rows: Vec<&Row> = rows.iter().filter(|row| row.calls > 0).collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.time), row.function, row.site));
        json!({
            "function": column(&rows, |row| function(row.function)),
            "site": column(&rows, |row| row.site),
            "calls": column(&rows, |row| row.calls),
            "bytes": column(&rows, |row| row.bytes),
            "seconds": column(&rows, |row| crate::seconds(row.time)),
            "max_seconds": column(&rows, |row| crate::seconds(row.longest)),
        })
    }
}

fn column<T: Into<Value>>(rows: &[&Row], of: impl Fn(&Row) -> T) -> Vec<Value> {
    rows.iter().map(|row| of(row).into()).collect()
}
