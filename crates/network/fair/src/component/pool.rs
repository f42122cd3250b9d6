//! A resource, as components see it.

use crate::list::{Linked, NONE};
use crate::resource::SharingPolicy;

/// One cache line: what a solve of a component needs of a resource.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Pool {
    pub capacity: f64,
    kind: SharingPolicy,
    /// The component whose flows use it, and the next resource of that component.
    pub component: u32,
    next: u32,
    /// How many flows that are shared incrementally use it. Then no component does.
    pub incremental_users: u32,
    /// Capacity used by flows whose level is fixed.
    pub fixed: f64,
    /// Shares of the other flows: their sum, or their maximum for a fat pipe.
    open_share: f64,
    /// The level at which it is full, as last computed.
    pub full_at: f64,
}

impl Pool {
    pub fn new(capacity: f64, kind: SharingPolicy) -> Pool {
        let (component, next) = (NONE, NONE);
        Pool {
            capacity,
            kind,
            component,
            next,
            incremental_users: 0,
            fixed: 0.0,
            open_share: 0.0,
            full_at: 0.0,
        }
    }

    /// Nothing uses it.
    #[inline]
    pub fn clear(&mut self) {
        (self.fixed, self.open_share) = (0.0, 0.0);
    }

    /// Does an open flow use it?
    pub fn is_open(&self) -> bool {
        self.open_share > 0.0
    }

    /// No open flow uses it.
    pub fn close(&mut self) {
        self.open_share = 0.0;
    }

    /// An open flow of so many messages uses it.
    #[inline(always)]
    pub fn open(&mut self, share: f64, count: f64) {
        let fat = self.kind == SharingPolicy::FatPipe;
        self.open_share = if fat { self.open_share.max(share) } else { self.open_share + share * count };
    }

    /// The level at which it is full, noted.
    pub fn fill(&mut self) -> f64 {
        self.full_at = self.filled_at();
        self.full_at
    }

    /// The level at which it is full.
    #[inline]
    pub fn filled_at(&self) -> f64 {
        let free =
            if self.kind == SharingPolicy::FatPipe { self.capacity } else { self.capacity - self.fixed };
        match self.open_share > 0.0 {
            true if free > 0.0 => free / self.open_share,
            true => 0.0,
            false => f64::INFINITY,
        }
    }

    /// The resource after it in its component.
    pub fn following(&self) -> u32 {
        self.next
    }
}

impl Linked for Pool {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }
}
