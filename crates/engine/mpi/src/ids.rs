//! Identifiers of what the engine keeps in tables, and tables indexed by them.

use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

use mpirage_prefetch::fetch;

/// How many insertions ahead an entry is fetched: it was released long ago, as a rule.
const AHEAD: usize = 3;

/// An identifier that is the number of an entry.
pub(crate) trait Id: Copy {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
    /// The identifier that [`Id::raw`] gave as a number.
    fn from_raw(raw: u32) -> Option<Self>;
    /// A number that is not zero.
    fn raw(self) -> u32;
}

macro_rules! identifier {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(NonZeroU32);

        impl Id for $name {
            #[inline(always)]
            fn new(index: usize) -> $name {
                $name(NonZeroU32::MIN.saturating_add(index as u32))
            }

            #[inline(always)]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            #[inline(always)]
            fn from_raw(raw: u32) -> Option<$name> {
                NonZeroU32::new(raw).map($name)
            }

            #[inline(always)]
            fn raw(self) -> u32 {
                self.0.get()
            }
        }
    )*};
}

identifier! {
    /// A message on its way.
    MessageId
    /// A receive that waits for its message.
    ReceiveId
    /// One rank's part of a collective: a schedule under way.
    RunId
    /// A collective operation.
    InstanceId
    /// A schedule.
    PlanId
    /// A computation beside a rank.
    WorkId
    /// A send whose completion is reported later.
    DelayedId
    /// Something of a window that is under way.
    ActivityId
    /// An access to a file that is under way.
    IoId
    /// A part of such an access, or a message for one.
    FileActivityId
    /// A collective access to a file.
    GatheringId
    /// A buffer of the engine.
    BufferId
}

/// Values by identifier; entries are used again.
///
/// Unlike a slab it does not move a value out when its entry is released: the caller has taken what it needs, and marks the
/// value as over if others may still look at it.
#[derive(Debug)]
pub(crate) struct Arena<I, T> {
    items: Vec<T>,
    vacant: Vec<I>,
}

impl<I: Id, T> Arena<I, T> {
    pub(crate) fn new() -> Arena<I, T> {
        Arena { items: Vec::new(), vacant: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, value: T) -> I {
        match self.vacant.pop() {
            Some(id) => {
                if let Some(later) = self.vacant.len().checked_sub(AHEAD).and_then(|at| self.vacant.get(at)) {
                    fetch(&self.items[later.index()]);
                }
                self.items[id.index()] = value;
                id
            }
            None => {
                self.items.push(value);
                I::new(self.items.len() - 1)
            }
        }
    }

    /// The entry may be used again.
    #[inline]
    pub(crate) fn release(&mut self, id: I) {
        self.vacant.push(id);
    }

    /// All values, released ones included.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A slab whose keys are identifiers.
#[derive(Debug)]
pub(crate) struct Table<I, T> {
    entries: slab::Slab<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> Table<I, T> {
    pub(crate) fn new() -> Table<I, T> {
        Table { entries: slab::Slab::new(), ids: PhantomData }
    }

    pub(crate) fn insert(&mut self, value: T) -> I {
        I::new(self.entries.insert(value))
    }

    pub(crate) fn remove(&mut self, id: I) -> T {
        self.entries.remove(id.index())
    }

    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|(_, value)| value)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|(_, value)| value)
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}
