//! Places in the source of the traced program, as far as a trace names them.

use std::collections::HashMap;

/// Files and lines, by number from 1.
#[derive(Default)]
pub(super) struct Sites {
    numbers: HashMap<(Box<[u8]>, u64), u64>,
    places: Vec<String>,
}

impl Sites {
    /// The number of a place.
    pub(super) fn number(&mut self, file: &[u8], line: u64) -> u64 {
        let key = (file.into(), line);
        let next = self.places.len() as u64 + 1;
        *self.numbers.entry(key).or_insert_with(|| {
            self.places.push(format!("{}:{line}", String::from_utf8_lossy(file)));
            next
        })
    }

    /// The place of a number.
    pub(super) fn place(&self, number: u64) -> Option<&str> {
        self.places.get(usize::try_from(number.checked_sub(1)?).ok()?).map(String::as_str)
    }
}
