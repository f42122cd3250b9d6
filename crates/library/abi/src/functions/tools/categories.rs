//! Categories of tool variables. They never change, and none is part of another.

use core::ffi::{c_char, c_int};

use super::{entry, outcome, store, store_index, store_indices, store_text};
use crate::objects::tools::CATEGORIES;

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_num(num_cat: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(|_| unsafe {
        store(num_cat, CATEGORIES.len() as c_int);
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_info(
    cat_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    num_cvars: *mut c_int,
    num_pvars: *mut c_int,
    num_categories: *mut c_int,
) -> c_int {
    outcome(|_| {
        let category = entry(&CATEGORIES, cat_index)?;
        // SAFETY: the program hands over places for these, or null.
        unsafe {
            store_text(name, name_len, category.name);
            store_text(desc, desc_len, category.text);
            store(num_cvars, category.controls.len() as c_int);
            store(num_pvars, category.measured.len() as c_int);
            store(num_categories, 0);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_num_events(
    cat_index: c_int,
    num_events: *mut c_int,
) -> c_int {
    outcome(|_| {
        entry(&CATEGORIES, cat_index)?;
        // SAFETY: the program hands over a place for an int.
        unsafe { store(num_events, 0) };
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_index(
    name: *const c_char,
    cat_index: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over a string and a place for an int.
    outcome(|_| unsafe { store_index(CATEGORIES.iter().map(|category| category.name), name, cat_index) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_cvars(
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over an array of that length.
    outcome(|_| unsafe { store_indices(indices, len, entry(&CATEGORIES, cat_index)?.controls) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_pvars(
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> c_int {
    // SAFETY: the program hands over an array of that length.
    outcome(|_| unsafe { store_indices(indices, len, entry(&CATEGORIES, cat_index)?.measured) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_events(
    cat_index: c_int,
    _len: c_int,
    _indices: *mut c_int,
) -> c_int {
    outcome(|_| entry(&CATEGORIES, cat_index).map(drop))
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_get_categories(
    cat_index: c_int,
    _len: c_int,
    _indices: *mut c_int,
) -> c_int {
    outcome(|_| entry(&CATEGORIES, cat_index).map(drop))
}

pub(crate) unsafe extern "C-unwind" fn MPI_T_category_changed(update_number: *mut c_int) -> c_int {
    // SAFETY: the program hands over a place for an int.
    outcome(|_| unsafe {
        store(update_number, 0);
        Ok(())
    })
}
