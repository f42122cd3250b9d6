//! Datatypes: immutable values, cheap to clone, that know their shape and how they were made.
//!
//! Constructors are in [`crate::construct`] and [`mod@crate::array`], moving data in [`crate::pack`].

use std::sync::{Arc, LazyLock};

use crate::basic::Basic;
use crate::body::{Body, Uniform};
use crate::bounds::Interval;
use crate::contents::Constructor;
use crate::error::DatatypeError;
use crate::signature::TypeSignature;

/// An MPI datatype: a sequence of basic datatypes at displacements from a buffer address.
#[derive(Clone, Debug)]
pub struct Datatype(Owner);

/// Predefined datatypes live as long as the process, so their uses are not counted.
#[derive(Clone, Debug)]
enum Owner {
    Everybody(&'static Node),
    Shared(Arc<Node>),
}

#[derive(Debug)]
struct Node {
    constructor: Constructor,
    body: Body,
    /// Asked for with every message.
    contiguous: bool,
}

impl Node {
    fn new(constructor: Constructor, body: Body) -> Node {
        Node { constructor, contiguous: body.is_contiguous(), body }
    }
}

impl Datatype {
    pub(crate) fn new(constructor: Constructor, body: Body) -> Datatype {
        Datatype(Owner::Shared(Arc::new(Node::new(constructor, body))))
    }

    /// A predefined datatype.
    pub fn basic(basic: Basic) -> Datatype {
        static NODES: LazyLock<Vec<Node>> = LazyLock::new(|| {
            let node = |&basic: &Basic| Node::new(Constructor::Named(basic), Body::basic(basic));
            Basic::ALL.iter().map(node).collect()
        });
        Datatype(Owner::Everybody(&NODES[basic as usize]))
    }

    #[inline]
    fn node(&self) -> &Node {
        match &self.0 {
            Owner::Everybody(node) => node,
            Owner::Shared(node) => node,
        }
    }

    #[inline]
    pub(crate) fn body(&self) -> &Body {
        &self.node().body
    }

    /// How it was made, for `MPI_Type_get_envelope` and `MPI_Type_get_contents`.
    pub fn constructor(&self) -> &Constructor {
        &self.node().constructor
    }

    /// Bytes of data in one element.
    #[inline]
    pub fn size(&self) -> usize {
        self.body().signature.summary.size as usize
    }

    /// Lower bound.
    pub fn lb(&self) -> i64 {
        self.body().interval().low
    }

    /// Upper bound: lower bound plus extent.
    pub fn ub(&self) -> i64 {
        self.body().interval().high
    }

    /// Bytes from one element of an array to the next. May be negative if the user resized it so.
    pub fn extent(&self) -> i64 {
        self.ub() - self.lb()
    }

    /// Displacement of the first byte of data.
    #[inline]
    pub fn true_lb(&self) -> i64 {
        self.data().low
    }

    /// Bytes from the first to the last byte of data.
    pub fn true_extent(&self) -> i64 {
        self.data().high - self.data().low
    }

    /// The strictest alignment of its basics.
    pub fn alignment(&self) -> i64 {
        self.body().alignment
    }

    /// Number of basic elements in one element of this type. A pair type counts two.
    pub fn element_count(&self) -> u64 {
        self.body().signature.summary.elements as u64
    }

    /// Whether any number of elements are packed bytes lying in memory from the buffer address on.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.node().contiguous
    }

    /// The basic datatype it consists of, if it is only one, as reductions need it. Pair types are
    /// not taken apart here.
    pub fn uniform_basic(&self) -> Option<Basic> {
        match self.body().uniform {
            Uniform::Only(basic) => Some(basic),
            Uniform::Nothing | Uniform::Mixed => None,
        }
    }

    /// The basic datatype it is, if it is predefined.
    pub fn as_basic(&self) -> Option<Basic> {
        match self.constructor() {
            Constructor::Named(basic) => Some(*basic),
            _ => None,
        }
    }

    /// The displacements that `count` elements touch, as `(first, behind the last)`; `(0, 0)` if
    /// there is no data.
    pub fn span(&self, count: usize) -> Result<(i64, i64), DatatypeError> {
        let count = i64::try_from(count).map_err(|_| DatatypeError::Overflow)?;
        let bounds = self.body().bounds.repeat(count, self.extent())?;
        let Interval { low, high } = bounds.data.unwrap_or(Interval::new(0, 0));
        Ok((low, high))
    }

    /// Fingerprint of the type signature of `count` elements, as a sender has it.
    ///
    /// # Panics
    /// If the data of `count` elements exceeds 63 bits.
    pub fn signature(&self, count: usize) -> TypeSignature {
        self.body().signature.summary.times(count as i64).expect("more data than 63 bits count").fingerprint()
    }

    /// Fingerprint of the whole basics in the first `bytes` of an array of this type, as a
    /// receiver has it who got less than it asked for.
    pub fn signature_of_bytes(&self, bytes: usize) -> TypeSignature {
        self.body().prefix(bytes).fingerprint()
    }

    /// How many basic elements `bytes` of data are, or `None` if they end within one:
    /// `MPI_Get_elements`.
    pub fn elements(&self, bytes: usize) -> Option<u64> {
        let prefix = self.body().prefix(bytes);
        (prefix.size as usize == bytes).then_some(prefix.elements as u64)
    }

    /// How many elements of this type `bytes` of data are, or `None` if not a whole number:
    /// `MPI_Get_count`. Of a type without data there are none in none.
    pub fn get_count(&self, bytes: usize) -> Option<u64> {
        match (self.size(), bytes) {
            (0, 0) => Some(0),
            (0, _) => None,
            (size, bytes) => bytes.is_multiple_of(size).then(|| (bytes / size) as u64),
        }
    }

    fn data(&self) -> Interval {
        self.body().bounds.data.unwrap_or(Interval::new(0, 0))
    }
}

/// Datatypes are equal if they are the same object or the same predefined type, as handles are.
impl PartialEq for Datatype {
    fn eq(&self, other: &Datatype) -> bool {
        let same_name = || self.as_basic().is_some_and(|basic| other.as_basic() == Some(basic));
        std::ptr::eq(self.node(), other.node()) || same_name()
    }
}

impl Eq for Datatype {}
