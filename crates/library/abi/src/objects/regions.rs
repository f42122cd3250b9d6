//! Names of regions, as `mpirage/regions.h` tells them: in levels of `MPI_Pcontrol`, which any MPI accepts.
//!
//! ```text
//! 0x6d700000 | length,  number,  0x6e000000 | three characters,  …        a name
//! number                                                                    the region begins
//! -number                                                                   it ends
//! ```

use core::ffi::c_int;

const NAME: c_int = 0x6d70_0000;
const NAME_MASK: c_int = 0x7fff_ff00;
const TEXT: c_int = 0x6e00_0000;
const TEXT_MASK: c_int = 0x7f00_0000;

/// The names of a rank's regions.
#[derive(Debug)]
pub(crate) struct RegionNames {
    names: Vec<(c_int, String)>,
    /// A name of which the program has passed a part.
    partial: Option<PartialName>,
}

#[derive(Debug)]
struct PartialName {
    length: usize,
    number: Option<c_int>,
    text: Vec<u8>,
}

impl RegionNames {
    pub(crate) const fn new() -> RegionNames {
        RegionNames { names: Vec::new(), partial: None }
    }

    /// Takes a level that is a part of a name; false if it is not one.
    pub(crate) fn take(&mut self, level: c_int) -> bool {
        if level & NAME_MASK == NAME && level > 0 {
            self.partial =
                Some(PartialName { length: (level & 0xff) as usize, number: None, text: Vec::new() });
            return true;
        }
        let Some(partial) = &mut self.partial else { return false };
        match partial.number {
            None => partial.number = Some(level),
            Some(_) if level & TEXT_MASK == TEXT && level > 0 => {
                partial.text.extend_from_slice(&level.to_be_bytes()[1..]);
            }
            // The program does not tell names as the header does.
            Some(_) => {
                self.partial = None;
                return false;
            }
        }
        if partial.number.is_some() && partial.text.len() >= partial.length {
            self.keep();
        }
        true
    }

    /// The name of the region that a level begins; empty if it has none.
    pub(crate) fn name(&self, level: c_int) -> &str {
        let known = self.names.iter().find(|(number, _)| *number == level);
        known.map_or("", |(_, name)| name.as_str())
    }

    fn keep(&mut self) {
        let Some(PartialName { length, number: Some(number), mut text }) = self.partial.take() else {
            return;
        };
        text.truncate(length);
        let name = String::from_utf8_lossy(&text).into_owned();
        match self.names.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) => *known = name,
            None => self.names.push((number, name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(names: &mut RegionNames, number: c_int, name: &str) {
        assert!(names.take(NAME | name.len() as c_int));
        assert!(names.take(number));
        for part in name.as_bytes().chunks(3) {
            let byte = |at: usize| c_int::from(part.get(at).copied().unwrap_or(0));
            assert!(names.take(TEXT | byte(0) << 16 | byte(1) << 8 | byte(2)));
        }
    }

    #[test]
    fn names_of_any_length_are_taken() {
        let mut names = RegionNames::new();
        for (number, name) in [(70_000, "halo"), (70_001, "abc"), (70_002, "grün ist es"), (70_003, "x")] {
            tell(&mut names, number, name);
            assert_eq!(names.name(number), name);
            assert!(!names.take(number) && !names.take(-number), "a region, not a name");
        }
        assert_eq!(names.name(70_000), "halo");
        assert_eq!(names.name(1), "");
    }

    #[test]
    fn an_empty_name_ends_at_once_and_a_broken_one_is_forgotten() {
        let mut names = RegionNames::new();
        tell(&mut names, 70_000, "");
        assert!(!names.take(1));
        assert!(names.take(NAME | 6) && names.take(70_001));
        assert!(!names.take(2), "a plain region");
        assert_eq!(names.name(70_001), "");
    }
}
