//! Commands and arguments of processes that a rank starts. No library is loaded: a null address stands for `MPI_ARGV_NULL`.

#![allow(unsafe_code)]

#[path = "../src/commands.rs"]
mod commands;
#[path = "../src/text.rs"]
#[allow(dead_code)] // other texts
mod text;

mod sentinels {
    use core::ffi::c_char;

    pub(crate) fn is_argv_null(arguments: *const c_char) -> bool {
        arguments.is_null()
    }

    pub(crate) fn is_argvs_null(arguments: *const c_char) -> bool {
        arguments.is_null()
    }
}

use core::ffi::{CStr, c_char};

use commands::{argument_table, arguments, texts};

/// The strings that a pointer leads to.
fn seen(pointer: *mut *mut c_char) -> Vec<String> {
    // SAFETY: strings with a null pointer behind them.
    let words = (0..).map(|i| unsafe { *pointer.add(i) }).take_while(|word| !word.is_null());
    // SAFETY: as above.
    words.map(|word| unsafe { CStr::from_ptr(word) }.to_string_lossy().into_owned()).collect()
}

#[test]
fn arguments_end_with_a_blank_text() {
    let memory = b" a b  c       x ";
    // SAFETY: texts of four characters; the third is blank.
    let list = unsafe { arguments(true, memory.as_ptr().cast(), 4) };
    assert_eq!(seen(list.pointer()), ["a b", "c"]);
    // SAFETY: nothing is read.
    assert!(unsafe { arguments(false, core::ptr::null(), 4) }.pointer().is_null());
}

#[test]
fn a_table_is_stored_by_columns() {
    let memory = b"a1b1a2    b3  ";
    // SAFETY: two lines of texts of two characters, each with a blank one.
    let table = unsafe { argument_table(true, memory.as_ptr().cast(), 2, 2) };
    // SAFETY: two pointers.
    let lines = [0, 1].map(|line| seen(unsafe { *table.pointer().add(line) }));
    assert_eq!(lines, [vec!["a1", "a2"], vec!["b1"]]);
}

#[test]
fn commands_are_counted() {
    // SAFETY: two texts of three characters.
    let list = unsafe { texts(true, b"ls rm   ".as_ptr().cast(), 3, 2) };
    assert_eq!(seen(list.pointer()), ["ls", "rm"]);
}

#[test]
fn arguments_may_be_absent() {
    // SAFETY: nothing is read.
    unsafe {
        assert!(arguments(true, core::ptr::null(), 1).pointer().is_null());
        assert!(argument_table(true, core::ptr::null(), 1, 2).pointer().is_null());
        assert!(texts(false, core::ptr::null(), 1, 2).pointer().is_null());
    }
}
