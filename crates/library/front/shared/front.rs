//! The modules that both fronts have, and what the generated code needs besides them.

pub(crate) mod conversions {
    //! Constants of the MPI 5 ABI and of this interface, made by `build.rs`.

    #![allow(dead_code)] // both directions of all, though some go only one way

    use core::ffi::c_int;
    use mpirage_front::numbers::{UNKNOWN_BIT, error_between, mark_unknown, unmark_unknown};

    include!(concat!(env!("OUT_DIR"), "/conversions.rs"));

    pub(crate) fn error_to_abi(code: c_int) -> c_int {
        error_between(code, LAST_CODE, abi::MPI_ERR_LASTCODE, class_to_abi)
    }

    pub(crate) fn error_from_abi(code: c_int) -> c_int {
        error_between(code, abi::MPI_ERR_LASTCODE, LAST_CODE, class_from_abi)
    }
}

#[path = "attributes.rs"]
mod attributes;
#[path = "by_hand.rs"]
#[allow(non_snake_case)]
pub(crate) mod by_hand;
#[path = "contents.rs"]
mod contents;

#[allow(dead_code)] // functions that are not exported
#[allow(non_snake_case, unused_variables, clippy::all, clippy::undocumented_unsafe_blocks)]
pub(crate) mod translations {
    //! One function per MPI function, made by `build.rs`.

    use core::ffi::{c_char, c_int, c_void};

    use mpirage_front::places::*;
    use mpirage_front::{Handle as _, MPI_Status, body, is_root, neighbours, peers};

    use super::attributes::attribute_from_abi;
    use super::contents::contents_from_abi;
    use super::conversions::*;
    use crate::dialect::*;

    include!(concat!(env!("OUT_DIR"), "/translations.rs"));
}

#[allow(non_snake_case)]
mod entry_points {
    //! The exported functions, made by `build.rs`.

    #[allow(unused_imports)] // an interface may have no such function
    use mpirage_front::{entry_point, returning, unknown};

    include!(concat!(env!("OUT_DIR"), "/entry_points.rs"));
}

use mpirage_front::callbacks::{Dialect, callbacks};

struct Interface;

impl Dialect for Interface {
    type Comm = crate::dialect::Comm;
    type Datatype = crate::dialect::Datatype;
    type Win = crate::dialect::Win;
    type File = crate::dialect::File;
    type Session = crate::dialect::Session;
    type Status = crate::dialect::Status;

    const BSEND_OVERHEAD: usize = conversions::BSEND_OVERHEAD;

    fn error_to_abi(code: core::ffi::c_int) -> core::ffi::c_int {
        conversions::error_to_abi(code)
    }

    fn error_from_abi(code: core::ffi::c_int) -> core::ffi::c_int {
        conversions::error_from_abi(code)
    }

    fn keyval_from_abi(key: core::ffi::c_int) -> core::ffi::c_int {
        conversions::keyval_from_abi(key)
    }
}

static CALLBACKS: mpirage_front::Callbacks = callbacks::<Interface>();

extern "C" fn connect() {
    mpirage_front::library::connect(&CALLBACKS);
}

/// Run by the dynamic linker when the front is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static CONNECT: extern "C" fn() = connect;
