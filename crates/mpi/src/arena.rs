//! Things with a number: stored in one array, places used again.
//!
//! Unlike a slab it does not move a value out when its place is given back; who releases a value has taken from it what
//! is of worth, and marks it as gone if somebody may look.

use std::ops::{Index, IndexMut};

use mpirage_prefetch::fetch;

/// How many insertions ahead a place is fetched: it was given back long ago, as a rule.
const AHEAD: usize = 3;

/// Values by number.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    items: Vec<T>,
    vacant: Vec<u32>,
}

impl<T> Arena<T> {
    pub(crate) fn new() -> Arena<T> {
        Arena { items: Vec::new(), vacant: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        match self.vacant.pop() {
            Some(id) => {
                if let Some(later) = self.vacant.len().checked_sub(AHEAD).and_then(|at| self.vacant.get(at)) {
                    fetch(&self.items[*later as usize]);
                }
                // Nothing is looked at in the place: what was of worth there has been taken.
                std::mem::forget(std::mem::replace(&mut self.items[id as usize], value));
                id
            }
            None => {
                self.items.push(value);
                self.items.len() as u32 - 1
            }
        }
    }

    /// The place may be used again.
    #[inline]
    pub(crate) fn release(&mut self, id: u32) {
        self.vacant.push(id);
    }

    /// The value of this number, if there ever was one.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<&T> {
        self.items.get(id as usize)
    }

    /// All values, those released included.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.items)
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;
    fn index(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.items[id as usize]
    }
}
