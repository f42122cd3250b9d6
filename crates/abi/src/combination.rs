//! Contributions that the receiver combines.
//!
//! Reductions within one group are computed by the simulator. Across an inter-communicator every rank that wants the result
//! receives the contributions of the other side and combines them itself, in the order of their ranks.

use mpirage_call::{Operator, Reduction};
use mpirage_data::{Basic, Op, apply};

use crate::error::Result;
use crate::exceptions::HeldException;
use crate::objects::reduction::{Reductions, UserReduction};
use crate::region::Region;

/// How contributions become a result.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    /// Where the result goes.
    pub result: Region,
    /// Packed bytes of the combined vector before the part that is wanted.
    skipped: usize,
    reduction: Reduction,
    user: Option<UserReduction>,
}

impl Combination {
    pub(crate) fn new(
        reductions: &Reductions,
        reduction: Reduction,
        result: Region,
        skipped: usize,
    ) -> Combination {
        let user = match reduction.operator {
            Operator::User { op, .. } => reductions.get(op).cloned(),
            Operator::Predefined { .. } => None,
        };
        Combination { result, skipped, reduction, user }
    }

    /// `c0 op c1 op … op cn`, from the left, of packed vectors one after the other; then the part that is wanted.
    pub(crate) fn apply(&self, contributions: &[u8], held: &HeldException) -> Result<Vec<u8>> {
        let vector = self.reduction.elements as usize * self.reduction.element as usize;
        let mut vectors = contributions.chunks_exact(vector.max(1));
        let mut combined = vectors.next().unwrap_or_default().to_vec();
        for next in vectors {
            let mut own = next.to_vec();
            self.combine(&combined, &mut own, held)?;
            combined = own;
        }
        combined.drain(..self.skipped.min(combined.len()));
        combined.truncate(self.result.bytes());
        Ok(combined)
    }

    /// `right = left op right`.
    fn combine(&self, left: &[u8], right: &mut [u8], held: &HeldException) -> Result<()> {
        match (self.reduction.operator, &self.user) {
            (Operator::Predefined { op, basic }, _) => {
                // Pairs of operator and type that do not go together were refused before.
                if let (Some(op), Some(basic)) = (Op::from_code(op), Basic::from_code(basic)) {
                    let _ = apply(op, basic, right, left);
                }
                Ok(())
            }
            (Operator::User { .. }, Some(user)) => user.combine(self.reduction.elements, left, right, held),
            (Operator::User { .. }, None) => Ok(()),
        }
    }
}
