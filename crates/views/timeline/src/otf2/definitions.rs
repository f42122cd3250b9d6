//! The global definitions, in an order in which nothing is named before it is defined: texts, the machine with its locations, and what
//! names locations and texts.

use std::hash::Hasher;
use std::io;

use mpirage_otf2::Definition;
use rustc_hash::{FxHashMap, FxHasher};

/// Definitions that have been collected.
pub(super) struct Definitions {
    texts: Records,
    known: FxHashMap<String, u32>,
    machine: Records,
    others: Records,
}

/// Records, one after the other.
#[derive(Default)]
struct Records {
    bytes: Vec<u8>,
    /// Where each ends: a record, or the few records of one definition.
    ends: Vec<usize>,
    count: u64,
}

impl Definitions {
    /// Only the empty text, which has the number 0.
    pub fn new() -> Definitions {
        let mut definitions = Definitions {
            texts: Records::default(),
            known: FxHashMap::default(),
            machine: Records::default(),
            others: Records::default(),
        };
        definitions.text("");
        definitions
    }

    /// The number of a text.
    pub fn text(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        let id = self.known.len() as u32;
        self.known.insert(text.to_owned(), id);
        self.texts.add(&Definition::Text { id, text });
        id
    }

    fn parts(&self) -> [&Records; 3] {
        [&self.texts, &self.machine, &self.others]
    }

    /// Adds a definition that names only texts and other definitions of the machine.
    pub fn add_to_machine(&mut self, definition: &Definition<'_>) {
        self.machine.add(definition);
    }

    /// Adds a definition.
    pub fn add(&mut self, definition: &Definition<'_>) {
        self.others.add(definition);
    }

    /// The number of records.
    pub fn count(&self) -> u64 {
        self.parts().iter().map(|records| records.count).sum()
    }

    /// The bytes of the longest definition.
    pub fn longest(&self) -> usize {
        self.parts().into_iter().flat_map(Records::lengths).max().unwrap_or(0)
    }

    /// A number that depends on all definitions, and on nothing else: equal runs have equal archives.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.parts().iter().for_each(|records| hasher.write(&records.bytes));
        hasher.finish()
    }

    /// Hands out all definitions.
    pub fn each(&self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        for records in self.parts() {
            let mut start = 0;
            for &end in &records.ends {
                each(&records.bytes[start..end])?;
                start = end;
            }
        }
        Ok(())
    }
}

impl Records {
    fn add(&mut self, definition: &Definition<'_>) {
        self.count += definition.encode(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| end - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_named_before_it_is_defined() {
        let mut definitions = Definitions::new();
        let group = Definition::LocationGroup { id: 0, name: definitions.text("rank 0"), parent: 0 };
        definitions.add(&Definition::Comm { id: 0, name: 0, group: 0, parent: 0 });
        definitions.add_to_machine(&group);
        assert_eq!((definitions.text(""), definitions.text("b"), definitions.text("rank 0")), (0, 2, 1));
        let mut kinds = Vec::new();
        let each = |record: &[u8]| {
            kinds.push(record[0]);
            Ok(())
        };
        definitions.each(each).unwrap();
        assert_eq!((kinds, definitions.count()), (vec![10, 10, 10, 13, 22], 5));
        assert_eq!(definitions.longest(), 11);
    }
}
