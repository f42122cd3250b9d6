//! Type signatures as ranks declare them.

/// The signature of a block of data: how many basic elements, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    elements: u64,
    hash: u64,
    untyped: bool,
}

/// How two signatures differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// The elements are different.
    Types,
    /// There are more of one than of the other.
    Counts,
}

impl Signature {
    /// From the two words of [`mpirage_call::Call::signature_words`].
    fn of(words: &[u64]) -> Signature {
        Signature { elements: words[0] >> 1, hash: words[1], untyped: words[0] & 1 == 1 }
    }

    /// All signatures of a declaration.
    pub(crate) fn list(words: &[u64]) -> Vec<Signature> {
        words.chunks_exact(2).map(Signature::of).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.elements == 0
    }

    /// May data of this signature be received as `other`?
    pub(crate) fn agrees_with(&self, other: &Signature) -> bool {
        self.untyped || other.untyped || (self.elements == other.elements && self.hash == other.hash)
    }

    /// How it differs from another one that should be the same, in a collective.
    pub(crate) fn difference(&self, other: &Signature) -> Option<Difference> {
        if self.agrees_with(other) {
            return None;
        }
        Some(if self.elements == other.elements { Difference::Types } else { Difference::Counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::Call;

    #[test]
    fn bytes_agree_with_everything() {
        let words = [Call::signature_words(4, 11, false), Call::signature_words(16, 12, true)].concat();
        let [ints, bytes] = Signature::list(&words)[..] else { unreachable!() };
        assert_eq!(ints.difference(&bytes), None);
        let floats = Signature { hash: 13, ..ints };
        assert_eq!(ints.difference(&floats), Some(Difference::Types));
        assert_eq!(ints.difference(&Signature { elements: 5, ..ints }), Some(Difference::Counts));
    }
}
