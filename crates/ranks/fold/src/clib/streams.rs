//! `std::cout` and its kin, one of each per rank: precision and flags that one rank sets are not another's.
//!
//! They share the library's buffers, which hold nothing: standard output stays in step with the C library's.

use std::ffi::{c_int, c_void};

use super::{Function, functions};
use crate::call::call;
use crate::image::{Image, Resolve};

/// At least the size of `std::istream` (280) and `std::ostream` (272).
const SIZE: usize = 288;
const OUTPUT: &str = "_ZNSoC1EPSt15basic_streambufIcSt11char_traitsIcEE";
const INPUT: &str = "_ZNSiC1EPSt15basic_streambufIcSt11char_traitsIcEE";
const BUFFER: &str = "_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv";
const INIT: &str = "_ZNSt8ios_base4InitC1Ev";
const LIBRARY: Option<&str> = Some("GLIBCXX_3.4");

/// A stream of which each rank has its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream {
    pub name: &'static str,
    constructor: usize,
    buffer: usize,
}

/// Those that the program uses, with their places from `end` on.
pub(crate) fn imported(image: &Image, end: &mut usize, resolve: &mut Resolve) -> Vec<(usize, Stream)> {
    let mut streams = Vec::new();
    for (name, constructor) in
        [("_ZSt4cout", OUTPUT), ("_ZSt4cerr", OUTPUT), ("_ZSt4clog", OUTPUT), ("_ZSt3cin", INPUT)]
    {
        if !image.imports().any(|import| import.name == name) {
            continue;
        }
        if let Some(stream) = find(name, constructor, resolve) {
            streams.push((*end, stream));
            *end += SIZE;
        }
    }
    streams
}

/// Makes a rank's streams, before anything of the program runs.
///
/// # Safety
/// The instance at `base` has room for them at these places.
pub(crate) unsafe fn construct(streams: &[(usize, Stream)], base: usize) {
    for (offset, stream) in streams {
        // SAFETY: a constructor of the C++ library, called with the object's place and a buffer.
        unsafe { call(stream.constructor, [base + offset, stream.buffer, 0]) };
    }
}

pub(super) fn functions() -> Vec<Function> {
    functions! { _ZNSt8ios_base15sync_with_stdioEb => sync_with_stdio }
}

/// Streams with buffers of their own would mix the output of ranks, so they stay in step.
extern "C" fn sync_with_stdio(_sync: c_int) -> c_int {
    1
}

/// The library's stream shows which buffer the rank's stream has to use.
fn find(name: &'static str, constructor: &str, resolve: &mut Resolve) -> Option<Stream> {
    let constructor = resolve(constructor, LIBRARY)?;
    let get_buffer = resolve(BUFFER, LIBRARY)?;
    initialize(resolve(INIT, LIBRARY)?);
    let original = resolve(name, LIBRARY)?;
    // SAFETY: the stream is initialized; by the C++ ABI the offset of its virtual base stands before its virtual table.
    let buffer = unsafe {
        let table = *(original as *const *const isize);
        let ios = original.wrapping_add_signed(*table.sub(3));
        std::mem::transmute::<usize, extern "C" fn(usize) -> usize>(get_buffer)(ios)
    };
    Some(Stream { name, constructor, buffer })
}

/// Makes the library set up its streams. The library counts such calls, so one more does no harm; it is never undone.
fn initialize(constructor: usize) {
    static OBJECT: u64 = 0;
    let object = (&raw const OBJECT).cast::<c_void>();
    // SAFETY: the constructor of `std::ios_base::Init`, an empty class.
    unsafe { std::mem::transmute::<usize, extern "C" fn(*const c_void)>(constructor)(object) };
}
