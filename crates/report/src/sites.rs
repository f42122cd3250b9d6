//! Calls by function and by place in the program.

use std::rc::Rc;

use mpirage_timeline::function::Kind;
use mpirage_timeline::{Places, Sites};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::category::Category;
use crate::names::Functions;

/// Where the row of a call was found last, so that it need not be looked up.
const REMEMBERED: usize = 1 << 8;

/// The table of calls by function and place.
pub(crate) struct CallSites {
    places: Places,
    rows: Vec<Row>,
    known: FxHashMap<(u16, u32), u32>,
    remembered: Vec<Remembered>,
}

/// Calls of one function from one place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    function: u16,
    /// The number of the place; 0 if it is not known.
    pub site: u32,
    /// By which the page knows the function.
    pub index: u16,
    pub kind: Kind,
    pub category: Category,
    calls: u64,
    bytes: u64,
    /// Picoseconds.
    time: u64,
    longest: u64,
}

#[derive(Clone, Copy, Default)]
struct Remembered {
    site: u64,
    function: u16,
    row: u32,
    is: bool,
}

impl CallSites {
    pub fn new(sites: Option<Rc<dyn Sites>>) -> CallSites {
        CallSites {
            places: Places::new(sites),
            rows: Vec::new(),
            known: FxHashMap::default(),
            remembered: vec![Remembered::default(); REMEMBERED],
        }
    }

    /// The row of a call.
    #[inline]
    pub fn row(&mut self, rank: u32, function: u16, site: u64, functions: &mut Functions) -> &mut Row {
        let site = self.places.key(rank, site);
        let mixed = (site ^ u64::from(function) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 56) as usize;
        let known = self.remembered[place];
        if !(known.is && known.site == site && known.function == function) {
            let row = self.look_up(function, site, functions);
            self.remembered[place] = Remembered { site, function, row, is: true };
        }
        &mut self.rows[self.remembered[place].row as usize]
    }

    fn look_up(&mut self, function: u16, key: u64, functions: &mut Functions) -> u32 {
        let site = self.places.number_of(key);
        *self.known.entry((function, site)).or_insert_with(|| {
            let ((kind, category), index) = (functions.kind(function), functions.index(function));
            let (calls, bytes, time, longest) = (0, 0, 0, 0);
            self.rows.push(Row { function, site, index, kind, category, calls, bytes, time, longest });
            self.rows.len() as u32 - 1
        })
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

    /// The rows in columns, the longest first; `function` gives the index by which the page knows a function.
    pub fn table(&self, function: impl Fn(u16) -> usize) -> Value {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| row.calls > 0).collect();
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

impl Row {
    /// One more call, with its bytes and picoseconds.
    #[inline]
    pub fn count(&mut self, bytes: u64, time: u64) {
        self.calls += 1;
        self.bytes += bytes;
        self.time += time;
        self.longest = self.longest.max(time);
    }
}

fn column<T: Into<Value>>(rows: &[&Row], of: impl Fn(&Row) -> T) -> Vec<Value> {
    rows.iter().map(|row| of(row).into()).collect()
}
