//! Tells calls that concern windows, and calls that concern files.

use crate::Call;

impl Call<'_> {
    /// Does it concern a window?
    pub fn is_one_sided(&self) -> bool {
        matches!(
            self,
            Call::Expose { .. }
                | Call::Withdraw { .. }
                | Call::Access(_)
                | Call::LocateAccess { .. }
                | Call::AwaitAccesses { .. }
                | Call::Lock { .. }
                | Call::Unlock { .. }
        )
    }

    /// Does it concern a file?
    pub fn is_about_files(&self) -> bool {
        matches!(
            self,
            Call::FileOpen { .. }
                | Call::FileAccess(_)
                | Call::FileMetadata { .. }
                | Call::FilePointer { .. }
                | Call::FileDelete { .. }
        )
    }
}
