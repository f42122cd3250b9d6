//! The start of a rank: what it finds in its variables, and the way from its first instruction to the last.

use corosensei::Yielder;

use crate::call::{call, call_entry};
use crate::clib::variables::short_name;
use crate::clib::{environment, exit, streams};
use crate::current;
use crate::rank::{Leave, Rank};

/// Gives a new rank its values. A program that uses none of them does not pay for the page they are on.
///
/// # Safety
/// The rank is loaded and does not run yet.
pub(crate) unsafe fn fill_variables(rank: *mut Rank) {
    // SAFETY: as the caller vouches; there is always an argument or a zero in its place.
    unsafe {
        if !Rank::program(rank).has_variables {
            return;
        }
        let variables = Rank::place_of_variables(rank);
        (*variables).environ = environment::make_private(rank);
        (*variables).program = *(*rank).arguments;
        (*variables).program_short = short_name(*(*rank).arguments);
        Rank::publish_variables(rank);
    }
}

/// The first function on a rank's stack.
pub(crate) fn start(yielder: &Yielder<(), Leave>, (): ()) -> Leave {
    let rank = current::get();
    // SAFETY: the rank was made current before it was resumed; the program's functions are where its file says.
    unsafe {
        (*rank).yielder = yielder;
        let program = Rank::program(rank);
        let base = (*rank).base;
        for indirect in &program.indirect {
            let address = call(base + indirect.function, [0; 3]);
            ((base + indirect.offset) as *mut usize).write_unaligned(address);
        }
        for copy in &program.copies {
            let own = (base + copy.offset) as *mut u8;
            std::ptr::copy_nonoverlapping(copy.address as *const u8, own, copy.size);
        }
        for copy in &program.own_copies {
            let (own, from) = ((base + copy.offset) as *mut u8, (base + copy.from) as *const u8);
            std::ptr::copy_nonoverlapping(from, own, copy.size);
        }
        streams::construct(&program.streams, base);
        let arguments = main_arguments(rank);
        for starters in &program.starters {
            if let Some(first) = starters.single {
                call(base + first, arguments);
            }
            for index in 0..starters.count {
                call_entry(base + starters.array + 8 * index, arguments);
            }
        }
        let code = call(base + program.main, arguments);
        exit::finish(rank, code as i32)
    }
}

unsafe fn main_arguments(rank: *mut Rank) -> [usize; 3] {
    // SAFETY: the rank is alive.
    unsafe {
        let environment = environment::of(rank) as usize;
        [(*rank).argument_count as usize, (*rank).arguments as usize, environment]
    }
}
