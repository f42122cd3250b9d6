//! A caller compiled by the C compiler goes through an entry point of ours.

use crate::caller::{Caller, last_name, name_of};
use crate::constants::{MPI_COMM_SELF, MPI_DOUBLE, MPI_INT};
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Status};
use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;

const INDEX: u32 = 7;
const SENT: usize = 0x1111_2222_3333_4444;
const RECEIVED: usize = 0x5555_6666_7777_8888;
const STATUS: usize = usize::MAX;

mpirage_bodies::entry_point!(INDEX, mpirage_test_sendrecv, sendrecv);

/// A body that only looks at its arguments; on x86-64 half of them come on the stack.
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn sendrecv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    assert_eq!([sendbuf.addr(), recvbuf.addr(), status.addr()], [SENT, RECEIVED, STATUS]);
    assert_eq!([sendcount, dest, sendtag, recvcount, source, recvtag], [-2, -4, -5, -7, -9, -10]);
    assert_eq!((sendtype, recvtype, comm), (MPI_INT, MPI_DOUBLE, MPI_COMM_SELF));
    41
}

#[test]
fn arguments_result_and_call_site_pass_through() {
    let caller = c_function(&shared_library("calls_sendrecv"), c"call_sendrecv");
    // SAFETY: this is the type of the C function.
    let call: unsafe extern "C" fn(*const c_void, usize, usize, usize) -> c_int =
        unsafe { core::mem::transmute(caller) };
    // SAFETY: it calls the entry point, hence `sendrecv`, which follows none of the addresses.
    let code = unsafe { call(mpirage_test_sendrecv as *const c_void, SENT, RECEIVED, STATUS) };
    assert_eq!(code, 42);
    assert_eq!(last_name(), name_of(INDEX));
    assert_eq!(function_around(Caller::last().call_site), c"call_sendrecv");
}

fn shared_library(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Path::new(env!("OUT_DIR")).join(format!("{name}-{}.so", std::process::id()));
    let compiled = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-I"])
        .arg(root.join("include"))
        .arg(root.join(format!("tests/c/{name}.c")))
        .arg("-o")
        .arg(&output)
        .status();
    assert!(compiled.expect("a C compiler is installed").success());
    output
}

/// Loads the library for good and removes its file.
fn c_function(library: &Path, name: &CStr) -> *mut c_void {
    let path = CString::new(library.as_os_str().as_encoded_bytes()).expect("no NUL in a path");
    // SAFETY: a library without constructors; the names are C strings.
    let address = unsafe { dlsym(dlopen(path.as_ptr(), RTLD_NOW), name.as_ptr()) };
    std::fs::remove_file(library).expect("we made it");
    assert!(!address.is_null());
    address
}

fn function_around(address: usize) -> &'static CStr {
    let mut found = DlInfo { file: core::ptr::null(), base: 0, name: core::ptr::null(), address: 0 };
    // SAFETY: `found` has the layout of Dl_info; the name it points to stays as long as the library, which is for good.
    unsafe {
        assert_ne!(dladdr(address as *const c_void, &mut found), 0);
        CStr::from_ptr(found.name)
    }
}

const RTLD_NOW: c_int = 2;

#[repr(C)]
struct DlInfo {
    file: *const c_char,
    base: usize,
    name: *const c_char,
    address: usize,
}

unsafe extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dladdr(address: *const c_void, found: *mut DlInfo) -> c_int;
}
