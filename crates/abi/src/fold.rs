//! Contributions that are combined where they arrive.
//!
//! Reductions within one group are computed by the simulator. Across an inter-communicator every rank that wants the result
//! gets the contributions of the other side and combines them itself, in the order of their ranks.

use mpirage_call::{Operator, Reduction};
use mpirage_data::{Basic, Op, apply};

use crate::error::Result;
use crate::library::Library;
use crate::objects::reduction::UserReduction;
use crate::region::Region;

/// How contributions become a result.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    /// Where the result goes.
    pub result: Region,
    /// Packed bytes of the combined vector before the part that is wanted.
    skipped: usize,
    reduction: Reduction,
    user: Option<UserReduction>,
}

impl Fold {
    pub(crate) fn new(library: &Library, reduction: Reduction, result: Region, skipped: usize) -> Fold {
        let user = match reduction.operator {
            Operator::User { op, .. } => library.reductions.get(op).cloned(),
            Operator::Predefined { .. } => None,
        };
        Fold { result, skipped, reduction, user }
    }

    /// `c0 op c1 op … op cn`, from the left, of packed vectors one after the other; then the part that is wanted.
    pub(crate) fn apply(&self, contributions: &[u8]) -> Result<Vec<u8>> {
        let vector = self.reduction.elements as usize * self.reduction.element as usize;
        let mut vectors = contributions.chunks_exact(vector.max(1));
        let mut folded = vectors.next().unwrap_or_default().to_vec();
        for next in vectors {
            let mut own = next.to_vec();
            self.combine(&folded, &mut own)?;
            folded = own;
        }
        folded.drain(..self.skipped.min(folded.len()));
        folded.truncate(self.result.bytes());
        Ok(folded)
    }

    /// `right = left op right`.
    fn combine(&self, left: &[u8], right: &mut [u8]) -> Result<()> {
        match (self.reduction.operator, &self.user) {
            (Operator::Predefined { op, basic }, _) => {
                // Only pairs of operator and type come so far that go together.
                if let (Some(op), Some(basic)) = (Op::from_code(op), Basic::from_code(basic)) {
                    let _ = apply(op, basic, right, left);
                }
                Ok(())
            }
            (Operator::User { .. }, Some(user)) => user.combine(self.reduction.elements, left, right),
            (Operator::User { .. }, None) => Ok(()),
        }
    }
}
