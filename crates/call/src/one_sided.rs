//! Which calls concern windows.

use crate::Call;

impl Call<'_> {
    /// Does it concern a window?
    pub fn is_one_sided(&self) -> bool {
        matches!(
            self,
            Call::Expose { .. }
                | Call::Withdraw { .. }
                | Call::Access(_)
                | Call::AwaitAccesses { .. }
                | Call::Lock { .. }
                | Call::Unlock { .. }
        )
    }
}
