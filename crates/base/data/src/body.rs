//! The substance of a datatype: its type map in compressed form.
//!
//! Every constructor of MPI is a short formula over four operations on bodies: place it elsewhere,
//! repeat it, put several in sequence, and give it other bounds.

use crate::basic::Basic;
use crate::bounds::{Bounds, Interval, add};
use crate::error::DatatypeError;
use crate::layout::Layout;
use crate::signature::{Signature, Summary};

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub bounds: Bounds,
    pub layout: Layout,
    pub signature: Signature,
    /// The strictest alignment of its basics, at least 1.
    pub alignment: i64,
    pub uniform: Uniform,
}

/// The basics of a body, where pairs are not taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uniform {
    Nothing,
    Only(Basic),
    Mixed,
}

impl Body {
    pub fn nothing() -> Body {
        Body {
            bounds: Bounds::NOTHING,
            layout: Layout::Empty,
            signature: Signature::nothing(),
            alignment: 1,
            uniform: Uniform::Nothing,
        }
    }

    pub fn basic(basic: Basic) -> Body {
        let layout = basic_layout(basic);
        let end = match basic.pair() {
            None => basic.size(),
            Some((value, index)) => Basic::index_displacement(value, index) + index.size(),
        };
        let bounds = Bounds {
            marked: Some(Interval::new(0, basic.extent() as i64)),
            data: Some(Interval::new(0, end as i64)),
        };
        Body {
            bounds,
            layout,
            signature: Signature::basic(basic),
            alignment: basic.alignment() as i64,
            uniform: Uniform::Only(basic),
        }
    }

    /// Lower and upper bound. An empty type map has both at zero.
    pub fn interval(&self) -> Interval {
        self.bounds.marked.unwrap_or(Interval::new(0, 0))
    }

    pub fn extent(&self) -> i64 {
        let Interval { low, high } = self.interval();
        high - low
    }

    pub fn is_contiguous(&self) -> bool {
        let size = self.signature.summary.size;
        self.interval() == Interval::new(0, size) && self.layout == Layout::run(0, size)
    }

    pub fn shift(&self, by: i64) -> Result<Body, DatatypeError> {
        Ok(Body { bounds: self.bounds.shift(by)?, layout: self.layout.shift(by), ..self.clone() })
    }

    /// `count` copies, each `stride` bytes after the one before.
    pub(crate) fn repeat(&self, count: i64, stride: i64) -> Result<Body, DatatypeError> {
        if count == 0 {
            return Ok(Body::nothing());
        }
        let bounds = self.bounds.repeat(count, stride)?.checked()?;
        let signature = self.signature.repeat(count)?;
        Ok(Body { bounds, signature, layout: self.layout.repeat(count, stride), ..self.clone() })
    }

    /// `count` copies as an array has them.
    pub fn array(&self, count: i64) -> Result<Body, DatatypeError> {
        self.repeat(count, self.extent())
    }

    /// Blocks of copies side by side, given by (length, displacement). Says the same as a sequence
    /// of arrays, but long index lists need the signature only once.
    pub fn blocks(&self, blocks: impl Iterator<Item = (i64, i64)>) -> Result<Body, DatatypeError> {
        let (mut bounds, mut layouts, mut copies) = (Bounds::NOTHING, Vec::new(), 0);
        for (length, displacement) in blocks {
            bounds = bounds.union(self.bounds.repeat(length, self.extent())?.shift(displacement)?);
            layouts.push(self.layout.repeat(length, self.extent()).shift(displacement));
            copies = add(copies, length)?;
        }
        if copies == 0 {
            return Ok(Body::nothing());
        }
        let signature = self.signature.repeat(copies)?;
        Ok(Body { bounds: bounds.checked()?, layout: Layout::sequence(layouts), signature, ..self.clone() })
    }

    pub fn sequence(parts: Vec<Body>) -> Result<Body, DatatypeError> {
        let bounds = parts.iter().fold(Bounds::NOTHING, |all, part| all.union(part.bounds)).checked()?;
        let alignment = parts.iter().map(|part| part.alignment).max().unwrap_or(1);
        let uniform = parts.iter().fold(Uniform::Nothing, |all, part| all.and(part.uniform));
        let (layouts, signatures): (Vec<_>, _) =
            parts.into_iter().map(|part| (part.layout, part.signature)).unzip();
        let signature = Signature::sequence(signatures)?;
        Ok(Body { bounds, layout: Layout::sequence(layouts), signature, alignment, uniform })
    }

    /// With bounds at a displacement, if it has none: an empty member of a structure.
    pub fn marked_at(mut self, displacement: i64) -> Body {
        self.bounds.marked.get_or_insert(Interval::new(displacement, displacement));
        self
    }

    pub fn resized(self, lb: i64, extent: i64) -> Result<Body, DatatypeError> {
        Ok(Body { bounds: self.bounds.resized(lb, extent)?, ..self })
    }

    /// The extent rounded up to a multiple of the alignment.
    pub fn padded(self) -> Result<Body, DatatypeError> {
        Ok(Body { bounds: self.bounds.padded(self.alignment)?, ..self })
    }

    /// The basics in the first `bytes` of an array of these bodies.
    pub fn prefix(&self, bytes: usize) -> Summary {
        let size = self.signature.summary.size;
        if size == 0 {
            return Summary::NOTHING;
        }
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let whole = self.signature.summary.times(bytes / size).expect("at most `bytes`");
        whole.then(self.signature.prefix(bytes % size))
    }
}

impl Uniform {
    fn and(self, other: Uniform) -> Uniform {
        match (self, other) {
            (Uniform::Nothing, any) | (any, Uniform::Nothing) => any,
            (a, b) if a == b => a,
            _ => Uniform::Mixed,
        }
    }
}

fn basic_layout(basic: Basic) -> Layout {
    match basic.pair() {
        None => Layout::run(0, basic.size() as i64),
        Some((value, index)) => Layout::sequence([
            Layout::run(0, value.size() as i64),
            Layout::run(Basic::index_displacement(value, index) as i64, index.size() as i64),
        ]),
    }
}
