//! Resources of the solver, by the number of a link or a host.
//!
//! The table begins as zeros. The system provides zero pages when they are first used, so links and hosts that no message or computation
//! uses cost neither time nor memory, however many a platform has.

use mpirage_fair::ResourceId;

/// The resources that have been made.
pub(crate) struct Resources {
    /// 0 for none, otherwise the resource's number plus one.
    by_number: Vec<u32>,
}

impl Resources {
    /// Room for so many, none of them made.
    pub(crate) fn new(count: u32) -> Resources {
        Resources { by_number: vec![0; count as usize] }
    }

    /// The resource with a number, made if need be.
    #[inline]
    pub(crate) fn get_or_add(&mut self, number: u32, add: impl FnOnce() -> ResourceId) -> ResourceId {
        let entry = &mut self.by_number[number as usize];
        match entry.checked_sub(1) {
            Some(number) => ResourceId::from_number(number),
            None => {
                let resource = add();
                *entry = resource.number() + 1;
                resource
            }
        }
    }
}
