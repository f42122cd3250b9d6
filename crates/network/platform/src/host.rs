//! Hosts named by formula: a prefix, a number out of some ranges, a suffix.
//!
//! A cluster of 100,000 hosts is described by a few words and stored as these words: names are made
//! when a caller asks for them, and parsed when a caller uses them.

use crate::core_speed::CoreSpeed;

/// Names of two groups are listed to find a common one up to this many.
const MOST_LISTED: u32 = 1_000_000;

/// A host of a platform; hosts are numbered from 0, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// Equal hosts with numbered names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HostGroup {
    pub names: HostNames,
    /// How fast one core computes.
    pub speed: CoreSpeed,
    pub cores: u32,
}

/// `prefix` + number + `suffix`, the number taken from ranges such as `0-99,200-299`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HostNames {
    pub prefix: String,
    pub suffix: String,
    pub numbers: Numbers,
    /// Numbers of fewer digits get zeros in front, as in `n001`; 0 for none.
    pub digits: u8,
}

impl HostNames {
    pub fn name(&self, position: u32) -> String {
        self.name_of(self.numbers.get(position))
    }

    fn name_of(&self, number: u64) -> String {
        format!("{}{number:0width$}{}", self.prefix, self.suffix, width = usize::from(self.digits))
    }

    /// The position in the group of the host called `name`.
    pub fn position(&self, name: &str) -> Option<u32> {
        let digits = name.strip_prefix(self.prefix.as_str())?.strip_suffix(self.suffix.as_str())?;
        let number: u64 = digits.parse().ok()?;
        let padded = format!("{number:0width$}", width = usize::from(self.digits));
        if padded == digits { self.numbers.position(number) } else { None }
    }

    /// Whether a name could be in both groups at all: what one has more before or behind its number must be digits.
    pub fn may_overlap(&self, other: &Self) -> bool {
        let digits = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
        let before = |a: &str, b: &str| a.strip_prefix(b).is_some_and(digits);
        let behind = |a: &str, b: &str| a.strip_suffix(b).is_some_and(digits);
        (before(&self.prefix, &other.prefix) || before(&other.prefix, &self.prefix))
            && (behind(&self.suffix, &other.suffix) || behind(&other.suffix, &self.suffix))
    }

    /// Whether [`HostNames::common`] would have to list too many names.
    pub fn too_many_to_compare(&self, other: &Self) -> bool {
        let few = self.numbers.count.min(other.numbers.count);
        few > MOST_LISTED && !self.same_form(other) && self.may_overlap(other)
    }

    /// Whether the names of two groups differ in their numbers alone.
    fn same_form(&self, other: &Self) -> bool {
        (&self.prefix, &self.suffix, self.digits) == (&other.prefix, &other.suffix, other.digits)
    }

    /// A name that is in both groups.
    pub fn common(&self, other: &Self) -> Option<String> {
        if self.same_form(other) {
            return self.numbers.common(&other.numbers).map(|number| self.name_of(number));
        }
        let (few, many) =
            if self.numbers.count < other.numbers.count { (self, other) } else { (other, self) };
        (0..few.numbers.count).map(|position| few.name(position)).find(|name| many.position(name).is_some())
    }
}

/// An ordered list of distinct numbers, kept as ranges.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Numbers {
    ranges: Vec<NumberRange>,
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct NumberRange {
    first: u64,
    last: u64,
    /// Position of `first` in the whole list.
    position: u32,
}

impl Numbers {
    /// `count` numbers from `first` on.
    pub(crate) fn from(first: u32, count: u32) -> Self {
        if count == 0 {
            return Self::default();
        }
        let first = u64::from(first);
        Self { ranges: vec![NumberRange { first, last: first + u64::from(count) - 1, position: 0 }], count }
    }

    /// Reads `1-29,58,59,60`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut numbers = Self::default();
        for group in text.split(',') {
            let (first, last) = parse_group(group.trim())?;
            numbers.push(first, last)?;
        }
        numbers.check_distinct()?;
        Ok(numbers)
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// The number at a position below `count`.
    pub fn get(&self, position: u32) -> u64 {
        let at = self.ranges.partition_point(|range| range.position <= position) - 1;
        let range = self.ranges[at];
        range.first + u64::from(position - range.position)
    }

    pub fn position(&self, number: u64) -> Option<u32> {
        let range = self.ranges.iter().find(|range| (range.first..=range.last).contains(&number))?;
        Some(range.position + (number - range.first) as u32)
    }

    /// The first number of these that is also one of others.
    fn common(&self, other: &Self) -> Option<u64> {
        let meets = |range: &NumberRange| {
            let meet = |one: &NumberRange| (range.first.max(one.first), range.last.min(one.last));
            other.ranges.iter().map(meet).filter(|(first, last)| first <= last).map(|(first, _)| first).min()
        };
        self.ranges.iter().find_map(meets)
    }

    fn push(&mut self, first: u64, last: u64) -> Result<(), String> {
        let count = u64::from(self.count) + (last - first) + 1;
        let range = NumberRange { first, last, position: self.count };
        self.count = u32::try_from(count).map_err(|_| "more hosts than can be numbered".to_owned())?;
        self.ranges.push(range);
        Ok(())
    }

    fn check_distinct(&self) -> Result<(), String> {
        let mut sorted = self.ranges.clone();
        sorted.sort_by_key(|range| range.first);
        match sorted.windows(2).find(|pair| pair[1].first <= pair[0].last) {
            Some(pair) => Err(format!("number {} is named twice", pair[1].first)),
            None => Ok(()),
        }
    }
}

fn parse_group(group: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| {
        let parsed: Option<u32> = text.trim().parse().ok();
        parsed.map(u64::from).ok_or_else(|| format!("`{group}` is neither a number nor a range"))
    };
    match group.split_once('-') {
        None => number(group).map(|n| (n, n)),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            if first <= last { Ok((first, last)) } else { Err(format!("the range `{group}` is empty")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_positions_are_inverse() {
        let numbers = Numbers::parse("1-29,58,59,60").unwrap();
        let names = HostNames { prefix: "griffon-".into(), suffix: ".nancy".into(), numbers, digits: 0 };
        assert_eq!(names.numbers.count(), 32);
        assert_eq!(names.name(29), "griffon-58.nancy");
        for position in 0..32 {
            assert_eq!(names.position(&names.name(position)), Some(position));
        }
        for stranger in ["griffon-30.nancy", "griffon-01.nancy", "griffon-.nancy", "griffon-+1.nancy", "x"] {
            assert_eq!(names.position(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn numbers_may_have_zeros_in_front() {
        let numbers = Numbers::parse("7-12,100").unwrap();
        let names = HostNames { prefix: "n".into(), suffix: String::new(), numbers, digits: 2 };
        assert_eq!((names.name(0), names.name(6)), ("n07".to_owned(), "n100".to_owned()));
        assert_eq!(
            (names.position("n12"), names.position("n7"), names.position("n007")),
            (Some(5), None, None)
        );
    }

    #[test]
    fn names_of_two_groups_are_compared_without_listing_them() {
        let names = |prefix: &str, radical: &str| HostNames {
            prefix: prefix.into(),
            suffix: String::new(),
            numbers: Numbers::parse(radical).unwrap(),
            digits: 0,
        };
        let (low, high) = (names("n", "0-999999999"), names("n", "1000000000-1999999999"));
        assert_eq!(low.common(&high), None);
        assert_eq!(low.common(&names("n", "999999999-1999999999")), Some("n999999999".to_owned()));
        assert!(!low.may_overlap(&names("node", "0-9")) && low.may_overlap(&names("n1", "0-9")));
        assert_eq!(low.common(&names("n1", "7-9")), Some("n17".to_owned()));
        assert!(!low.too_many_to_compare(&high) && !low.too_many_to_compare(&names("n1", "7-9")));
        assert!(low.too_many_to_compare(&names("n0", "0-99999999")));
    }

    #[test]
    fn bad_radicals_are_refused() {
        for bad in ["", "a", "3-1", "1-2-3", "1-5,4", "0-4294967295", "-1"] {
            assert!(Numbers::parse(bad).is_err(), "{bad}");
        }
    }
}
