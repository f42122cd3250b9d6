//! The arguments of an action: ranks, tags, sizes, datatypes.

use mpirage_call::{Operator, Reduction};

use super::text::{Words, number, signed, whole};
use super::words::datatype_bytes;

/// Stands for any source or any tag in the name of a message.
pub(super) const ANY: i32 = -1;

/// The arguments of an action.
pub(super) struct Arguments<'a> {
    pub name: &'a [u8],
    pub words: Words<'a>,
}

impl<'a> Arguments<'a> {
    /// The next word as a whole number, if it is one.
    #[inline]
    pub fn found(&mut self, what: &str) -> Result<Found<'a>, String> {
        self.words.next_whole().ok_or_else(|| self.lacks(what))
    }

    #[cold]
    fn lacks(&self, what: &str) -> String {
        format!("`{}` lacks {what}", String::from_utf8_lossy(self.name))
    }

    #[inline]
    fn word(&mut self, what: &str) -> Result<&'a [u8], String> {
        self.words.next().ok_or_else(|| self.lacks(what))
    }

    /// A number that is not negative.
    #[inline]
    pub fn amount(&mut self, what: &str) -> Result<f64, String> {
        match self.found(what)? {
            Ok(amount) => Ok(amount as f64),
            Err(word) => number(word).filter(|&amount| amount >= 0.0).ok_or_else(|| bad(what, word)),
        }
    }

    /// The same, if there is another word.
    pub fn optional_amount(&mut self, what: &str) -> Result<Option<f64>, String> {
        if self.words.clone().next().is_none() { Ok(None) } else { self.amount(what).map(Some) }
    }

    pub fn size(&mut self, what: &str) -> Result<u64, String> {
        let found = self.found(what)?;
        let size = match found {
            Ok(size) => believed(size),
            Err(word) => size_of(word),
        };
        size.ok_or_else(|| bad_number(what, found))
    }

    pub fn whole(&mut self, what: &str) -> Result<u64, String> {
        self.found(what)?.map_err(|word| bad(what, word))
    }

    pub fn signed(&mut self, what: &str) -> Result<i64, String> {
        match self.found(what)? {
            Ok(number) => Ok(number as i64),
            Err(word) => signed(word).ok_or_else(|| bad(what, word)),
        }
    }

    /// A rank; none if it is negative: any source.
    pub fn peer(&mut self, ranks: u32) -> Result<Option<u32>, String> {
        match self.signed("the other rank")? {
            peer if peer >= i64::from(ranks) => {
                Err(format!("there is no rank {peer}: the trace has {ranks}"))
            }
            peer => Ok(u32::try_from(peer).ok()),
        }
    }

    /// A tag; anything negative is any tag.
    #[inline]
    pub fn tag(&mut self) -> Result<i32, String> {
        tag_of(self.found("the tag")?)
    }

    /// A rank that need not be there.
    pub fn root(&mut self, ranks: u32) -> Result<u32, String> {
        let Some(found) = self.words.next_whole() else { return Ok(0) };
        let root = found.map_err(|word| bad("the root", word))?;
        if root < u64::from(ranks) {
            Ok(root as u32)
        } else {
            Err(format!("there is no rank {root}: the trace has {ranks}"))
        }
    }

    /// Bytes of a datatype that need not be there.
    #[inline]
    pub fn datatype(&mut self, default: u64) -> Result<u64, String> {
        let Some(found) = self.words.next_whole() else { return Ok(default) };
        found.ok().and_then(datatype_bytes).ok_or_else(|| bad_number("a datatype", found))
    }

    /// The reduction described by the words after the datatype, whose elements have `element` bytes each. SimGrid does not
    /// read this: `element=N` gives the bytes of elements that no datatype has, and `ordered` says that the operator does not commute.
    pub fn reduction(&mut self, bytes: u64, element: u32) -> Result<Reduction, String> {
        let (mut size, mut commutative) = (element, true);
        for word in self.words.by_ref() {
            if let Some(number) = word.strip_prefix(b"element=") {
                let known = size_of(number).and_then(|size| u32::try_from(size).ok());
                let fits = known.filter(|&size| size > 0 && bytes.is_multiple_of(size.into()));
                size = fits.ok_or_else(|| bad("the size of an element", number))?;
            } else if word == b"ordered" {
                commutative = false;
            }
        }
        // Some operator: what it costs depends on sizes only.
        let operator = Operator::Predefined { op: 2, basic: 0 };
        Ok(Reduction { operator, commutative, element: size, elements: bytes / u64::from(size.max(1)) })
    }

    /// Is `in-place` the last word? Takes it away then. SimGrid does not read this.
    pub fn in_place(&mut self) -> bool {
        let rest = self.words.rest().trim_ascii_end();
        let before = rest.strip_suffix(b"in-place").filter(|rest| rest.ends_with(b" "));
        if let Some(before) = before {
            self.words = Words::of(before);
        }
        before.is_some()
    }

    /// One word for each rank, after `before` others; `after` are to follow.
    pub(crate) fn counts(&mut self, ranks: u32, before: usize, after: usize) -> Result<Words<'a>, String> {
        for _ in 0..before {
            self.size("the size of a buffer")?;
        }
        let start = self.words.rest();
        for _ in 0..ranks {
            self.word("a count for each rank")?;
        }
        let counts = &start[..start.len() - self.words.rest().len()];
        if self.words.count() < after {
            return Err(format!("`{}` lacks what follows its counts", String::from_utf8_lossy(self.name)));
        }
        Ok(Words::of(counts))
    }
}

/// Sizes times elements times ranks are to fit.
#[inline]
pub(super) fn believed(size: u64) -> Option<u64> {
    (size < 1 << 48).then_some(size)
}

/// A size; fractions are cut off, as SimGrid does.
#[inline]
pub(super) fn size_of(word: &[u8]) -> Option<u64> {
    let size = whole(word).or_else(|| number(word).filter(|&size| size >= 0.0).map(|size| size as u64))?;
    believed(size)
}

/// A tag; anything negative is any tag.
#[inline]
pub(super) fn tag_of(found: Found<'_>) -> Result<i32, String> {
    let tag = match found {
        Ok(tag) => tag as i64,
        Err(word) => signed(word).ok_or_else(|| bad("the tag", word))?,
    };
    i32::try_from(tag).map(|tag| tag.max(ANY)).map_err(|_| format!("the tag {tag} is too large"))
}

/// A whole number, or a word that is something else.
pub(super) type Found<'a> = Result<u64, &'a [u8]>;

#[cold]
pub(super) fn bad_number(what: &str, found: Found<'_>) -> String {
    match found {
        Ok(number) => format!("{what} is not {number}"),
        Err(word) => bad(what, word),
    }
}

#[cold]
pub(super) fn bad(what: &str, word: &[u8]) -> String {
    format!("{what} is not `{}`", String::from_utf8_lossy(word))
}
