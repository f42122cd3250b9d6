//! Type signatures as ranks of a checked run declare them.

/// The signature of a block of data: how many basic elements, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The number of basic elements.
    pub elements: u64,
    /// A hash of their sequence.
    pub hash: u64,
    /// Are all of them `MPI_BYTE` or `MPI_PACKED`?
    pub untyped: bool,
}

impl Signature {
    /// The two words that stand for it in [`Call::Declare`](crate::Call::Declare).
    pub fn words(self) -> [u64; 2] {
        [self.elements << 1 | u64::from(self.untyped), self.hash]
    }

    /// The signatures that words stand for.
    pub fn list(words: &[u64]) -> Vec<Signature> {
        let of =
            |words: &[u64]| Signature { elements: words[0] >> 1, hash: words[1], untyped: words[0] & 1 == 1 };
        words.chunks_exact(2).map(of).collect()
    }

    /// May data of this signature be received as `other`?
    pub fn agrees_with(&self, other: &Signature) -> bool {
        self.untyped || other.untyped || (self.elements == other.elements && self.hash == other.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_back_and_bytes_agree_with_everything() {
        let ints = Signature { elements: 4, hash: 11, untyped: false };
        let bytes = Signature { elements: 16, hash: 12, untyped: true };
        assert_eq!(Signature::list(&[ints.words(), bytes.words()].concat()), [ints, bytes]);
        assert!(ints.agrees_with(&bytes) && bytes.agrees_with(&ints));
        assert!(!ints.agrees_with(&Signature { hash: 13, ..ints }));
        assert!(!ints.agrees_with(&Signature { elements: 5, ..ints }));
    }
}
