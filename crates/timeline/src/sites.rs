//! Where in the program calls come from.

use std::rc::Rc;

use rustc_hash::FxHashMap;

/// Knows the program's source.
pub trait Sites {
    /// A number for the place of a rank's call: of an address, one that is the same in all copies of a program.
    fn key(&self, rank: u32, site: u64) -> u64 {
        let _ = rank;
        site
    }

    /// The place with this number, as `file:line function`.
    fn name(&self, key: u64) -> Option<String>;
}

/// Places that have been seen, numbered from 1.
#[derive(Default)]
pub struct Places {
    sites: Option<Rc<dyn Sites>>,
    known: FxHashMap<u64, u32>,
    names: Vec<String>,
}

impl Places {
    /// None has been seen.
    pub fn new(sites: Option<Rc<dyn Sites>>) -> Places {
        Places { sites, ..Places::default() }
    }

    /// The number of the place of a call; zero if nothing is known of it.
    #[inline]
    pub fn number(&mut self, rank: u32, site: u64) -> u32 {
        let key = self.key(rank, site);
        self.number_of(key)
    }

    /// A number that is the same for all calls from one place, and quickly found; zero if nothing is known.
    #[inline]
    pub fn key(&self, rank: u32, site: u64) -> u64 {
        match &self.sites {
            Some(sites) if site != 0 => sites.key(rank, site),
            _ => 0,
        }
    }

    /// The number of the place that has this key.
    #[inline]
    pub fn number_of(&mut self, key: u64) -> u32 {
        match self.known.get(&key) {
            Some(&number) => number,
            None if key == 0 => 0,
            None => self.learn(key),
        }
    }

    fn learn(&mut self, key: u64) -> u32 {
        let name = self.sites.as_ref().and_then(|sites| sites.name(key));
        // Several calls on one line are one place.
        let known = |name: &String| self.names.iter().position(|known| known == name);
        let number = match name.map(|name| (known(&name), name)) {
            None => 0,
            Some((Some(at), _)) => at as u32 + 1,
            Some((None, name)) => {
                self.names.push(name);
                self.names.len() as u32
            }
        };
        self.known.insert(key, number);
        number
    }

    /// All names; the first belongs to number 1.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Halves;

    impl Sites for Halves {
        fn key(&self, _: u32, site: u64) -> u64 {
            site % 10
        }

        fn name(&self, key: u64) -> Option<String> {
            (key != 9).then(|| format!("a.c:{} main", key.min(5)))
        }
    }

    #[test]
    fn copies_of_a_program_share_numbers() {
        let mut places = Places::new(Some(Rc::new(Halves)));
        assert_eq!([13, 24, 33, 19, 0].map(|site| places.number(0, site)), [1, 2, 1, 0, 0]);
        assert_eq!([25, 26, 5].map(|site| places.number(0, site)), [3, 3, 3]);
        assert_eq!(places.names(), ["a.c:3 main", "a.c:4 main", "a.c:5 main"]);
        assert_eq!(Places::new(None).number(0, 13), 0);
    }
}
