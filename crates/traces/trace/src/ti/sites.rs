//! Places in the source of the traced program, as far as a trace names them.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::TracePlace;

/// Numbers from here on are of places in a program, below are lines of the trace.
const PLACES: u64 = 1 << 63;

/// Files and lines, by number.
#[derive(Default)]
pub(super) struct Sites {
    numbers: HashMap<(Box<[u8]>, u64), u64>,
    places: Vec<(PathBuf, u64)>,
}

impl Sites {
    /// The number of a place.
    pub(super) fn number(&mut self, file: &[u8], line: u64) -> u64 {
        let next = PLACES + self.places.len() as u64;
        *self.numbers.entry((file.into(), line)).or_insert_with(|| {
            self.places.push((String::from_utf8_lossy(file).into_owned().into(), line));
            next
        })
    }

    /// The place of a number, if it is one's.
    pub(super) fn place(&self, number: u64) -> Option<(PathBuf, TracePlace)> {
        let (file, line) = self.places.get(usize::try_from(number.checked_sub(PLACES)?).ok()?)?;
        Some((file.clone(), TracePlace::Line(*line)))
    }
}
