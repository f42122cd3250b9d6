//! All flows, by their numbers.
//!
//! In chunks: a million messages at once come when nobody expects them, and to make room for them nothing moves.

use std::ops::{Index, IndexMut};

use crate::flow::Flow;

const BITS: usize = 9;
const CHUNK: usize = 1 << BITS;

/// Flows in use, and those whose number may be used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    chunks: Vec<Box<[Flow; CHUNK]>>,
    length: usize,
}

impl Flows {
    pub fn len(&self) -> usize {
        self.length
    }

    /// Makes room for one more; gives its number.
    pub fn add(&mut self) -> u32 {
        if self.length == self.chunks.len() * CHUNK {
            let flows: Box<[Flow]> = (0..CHUNK).map(|_| Flow::vacant()).collect();
            self.chunks.extend(flows.try_into());
        }
        self.length += 1;
        self.length as u32 - 1
    }
}

impl Index<usize> for Flows {
    type Output = Flow;

    #[inline]
    fn index(&self, index: usize) -> &Flow {
        &self.chunks[index >> BITS][index & (CHUNK - 1)]
    }
}

impl IndexMut<usize> for Flows {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut Flow {
        &mut self.chunks[index >> BITS][index & (CHUNK - 1)]
    }
}
