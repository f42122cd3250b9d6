//! Source locations of calls.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// Stands between a place and the place that it was called from.
pub const CALLED_FROM: &str = " ← ";

/// Source locations of a program.
pub trait Sites {
    /// The key of a rank's call site. An address has the same key in all copies of a program.
    fn key(&self, rank: u32, site: u64) -> u64 {
        let _ = rank;
        site
    }

    /// The copies of a program that an address of a rank lies in, if their keys follow from their addresses alone.
    fn copies(&self, rank: u32, site: u64) -> Option<Copies> {
        let _ = (rank, site);
        None
    }

    /// The source location of a key, as `file:line in function`, with its callers if the user asked for paths.
    fn name(&self, key: u64) -> Option<String>;

    /// The path of a key: the source location and those of the callers, if they were recorded.
    fn path(&self, key: u64) -> Option<String> {
        self.name(key).filter(|name| name.contains(CALLED_FROM))
    }
}

/// Copies of a program in memory, one for each of several successive ranks, at equal distances. The key of an address is the
/// corresponding address in the first copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// The rank of the first copy.
    pub first: u32,
    /// The number of copies.
    pub ranks: u32,
    /// The address of the first copy.
    pub start: u64,
    /// The distance from one copy to the next.
    pub stride: u64,
    /// The bytes of each copy.
    pub length: u64,
}

impl Copies {
    /// A program that has the same addresses in every rank. Address zero is unknown.
    pub const EVERYWHERE: Copies =
        Copies { first: 0, ranks: u32::MAX, start: 1, stride: 0, length: u64::MAX };

    /// The key of an address in a rank's copy.
    #[inline]
    fn key(&self, rank: u32, site: u64) -> Option<u64> {
        let nth = rank.wrapping_sub(self.first);
        let within = site.wrapping_sub(self.start.wrapping_add(self.stride.wrapping_mul(u64::from(nth))));
        (within < self.length && nth < self.ranks).then(|| self.start + within)
    }
}

/// The call sites that have occurred, numbered from 1.
#[derive(Clone, Default)]
pub struct CallSites {
    sites: Option<Rc<dyn Sites>>,
    /// The copies that the last call came from, and usually the next one.
    copies: Cell<Copies>,
    known: FxHashMap<u64, u32>,
    names: Vec<String>,
}

impl CallSites {
    /// No call site has occurred.
    pub fn new(sites: Option<Rc<dyn Sites>>) -> CallSites {
        CallSites { sites, ..CallSites::default() }
    }

    /// The number of a call site; zero if its source location is unknown.
    #[inline]
    pub fn number(&mut self, rank: u32, site: u64) -> u32 {
        let key = self.key(rank, site);
        self.number_of(key)
    }

    /// The key of a call site, which is found quickly; zero if the program is unknown.
    #[inline]
    pub fn key(&self, rank: u32, site: u64) -> u64 {
        // For every call: in known copies, a key is a subtraction.
        self.copies.get().key(rank, site).unwrap_or_else(|| self.key_elsewhere(rank, site))
    }

    #[inline(never)]
    fn key_elsewhere(&self, rank: u32, site: u64) -> u64 {
        match &self.sites {
            Some(sites) if site != 0 => {
                self.copies.set(sites.copies(rank, site).unwrap_or_default());
                sites.key(rank, site)
            }
            _ => 0,
        }
    }

    /// The number of the call site that has this key.
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
        // Several calls on one line are one call site.
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

    /// The path of a key, if callers were recorded.
    pub fn path(&self, key: u64) -> Option<String> {
        self.sites.as_ref().filter(|_| key != 0)?.path(key)
    }

    /// The source locations of all call sites, from number 1 on.
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

    /// Ten ranks with a copy each, twenty addresses apart, at 1000.
    struct Apart;

    impl Sites for Apart {
        fn key(&self, rank: u32, site: u64) -> u64 {
            assert!(rank == 3 || site < 1003, "keys of copies that are known are not asked for");
            if site < 1000 { site } else { 1000 + (site - 1000) % 20 }
        }

        fn copies(&self, _: u32, site: u64) -> Option<Copies> {
            (site >= 1000).then_some(Copies { first: 3, ranks: 10, start: 1000, stride: 20, length: 20 })
        }

        fn name(&self, _: u64) -> Option<String> {
            None
        }
    }

    #[test]
    fn keys_in_known_copies_are_those_of_the_first() {
        let places = CallSites::new(Some(Rc::new(Apart)));
        let keys = [(3, 1007), (4, 1027), (12, 1199), (7, 12), (3, 1000), (4, 1020), (4, 0)];
        assert_eq!(keys.map(|(rank, site)| places.key(rank, site)), [1007, 1007, 1019, 12, 1000, 1000, 0]);
        // Outside of the copies, the program gives the key.
        assert_eq!(
            [(2, 980), (13, 1002), (5, 1001)].map(|(rank, site)| places.key(rank, site)),
            [980, 1002, 1001]
        );
    }

    #[test]
    fn addresses_that_are_the_same_everywhere_are_keys() {
        assert_eq!(
            [1, 7, u64::MAX].map(|site| Copies::EVERYWHERE.key(u32::MAX - 1, site)),
            [1, 7, u64::MAX].map(Some)
        );
        assert_eq!((Copies::EVERYWHERE.key(0, 0), Copies::default().key(0, 5)), (None, None));
    }

    #[test]
    fn copies_of_a_program_share_numbers() {
        let mut places = CallSites::new(Some(Rc::new(Halves)));
        assert_eq!([13, 24, 33, 19, 0].map(|site| places.number(0, site)), [1, 2, 1, 0, 0]);
        assert_eq!([25, 26, 5].map(|site| places.number(0, site)), [3, 3, 3]);
        assert_eq!(places.names(), ["a.c:3 main", "a.c:4 main", "a.c:5 main"]);
        assert_eq!(CallSites::new(None).number(0, 13), 0);
    }
}
