//! Functions of the program, called with handles, statuses and codes of its own interface.

use core::ffi::{c_int, c_void};
use core::mem::transmute;

use mpirage_bodies::{Callbacks, CopiedAttribute, MPI_Status, Owner};

use crate::{Handle, Status};

/// The types and codes of an interface, as far as functions of programs see them.
pub trait Dialect {
    /// A communicator.
    type Comm: Handle;
    /// A datatype.
    type Datatype: Handle;
    /// A window.
    type Win: Handle;
    /// A file.
    type File: Handle;
    /// A session.
    type Session: Handle;
    /// A status.
    type Status: Status;

    /// `MPI_BSEND_OVERHEAD`.
    const BSEND_OVERHEAD: usize;

    /// An error code of this interface in the MPI 5 ABI.
    fn error_to_abi(code: c_int) -> c_int;
    /// An error code of the MPI 5 ABI in this interface.
    fn error_from_abi(code: c_int) -> c_int;
    /// A key of the MPI 5 ABI in this interface.
    fn keyval_from_abi(key: c_int) -> c_int;
}

/// How functions of the program are called in an interface.
pub const fn callbacks<D: Dialect>() -> Callbacks {
    Callbacks {
        user_function: user_function::<D>,
        user_function_c: user_function_c::<D>,
        copy_attribute: copy_attribute::<D>,
        delete_attribute: delete_attribute::<D>,
        handle_error: handle_error::<D>,
        query_request: query_request::<D>,
        free_request: free_request::<D>,
        cancel_request: cancel_request::<D>,
        convert: convert::<D>,
        datarep_extent: datarep_extent::<D>,
        bsend_overhead: D::BSEND_OVERHEAD,
    }
}

type UserFunction<H, N> = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut N, *mut H);
type Copying<H> =
    unsafe extern "C-unwind" fn(H, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
type Deleting<H> = unsafe extern "C-unwind" fn(H, c_int, *mut c_void, *mut c_void) -> c_int;
type Handling<H> = unsafe extern "C-unwind" fn(*mut H, *mut c_int, ...);

unsafe extern "C-unwind" fn user_function<D: Dialect>(
    function: usize,
    input: *mut c_void,
    inout: *mut c_void,
    count: *mut c_int,
    datatype: usize,
) {
    let mut datatype = D::Datatype::from_abi(datatype);
    // SAFETY: the program registered the function for this.
    unsafe {
        transmute::<usize, UserFunction<D::Datatype, c_int>>(function)(input, inout, count, &mut datatype)
    }
}

unsafe extern "C-unwind" fn user_function_c<D: Dialect>(
    function: usize,
    input: *mut c_void,
    inout: *mut c_void,
    count: *mut i64,
    datatype: usize,
) {
    let mut datatype = D::Datatype::from_abi(datatype);
    // SAFETY: the program registered the function for this.
    unsafe {
        transmute::<usize, UserFunction<D::Datatype, i64>>(function)(input, inout, count, &mut datatype)
    }
}

unsafe extern "C-unwind" fn copy_attribute<D: Dialect>(
    function: usize,
    of: &CopiedAttribute,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the program registered the function for attributes of such objects.
    let code = unsafe {
        match of.owner {
            Owner::Datatype => copy_with::<D, D::Datatype>(function, of, flag),
            Owner::Win => copy_with::<D, D::Win>(function, of, flag),
            _ => copy_with::<D, D::Comm>(function, of, flag),
        }
    };
    D::error_to_abi(code)
}

unsafe fn copy_with<D: Dialect, H: Handle>(function: usize, of: &CopiedAttribute, flag: *mut c_int) -> c_int {
    let key = D::keyval_from_abi(of.key);
    // SAFETY: the caller vouches for the function's type.
    unsafe {
        let copy = transmute::<usize, Copying<H>>(function);
        copy(H::from_abi(of.object), key, of.extra_state, of.value, of.copied, flag)
    }
}

unsafe extern "C-unwind" fn delete_attribute<D: Dialect>(
    function: usize,
    owner: Owner,
    object: usize,
    key: c_int,
    value: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    let key = D::keyval_from_abi(key);
    // SAFETY: the program registered the function for attributes of such objects.
    let code = unsafe {
        match owner {
            Owner::Datatype => delete_with::<D::Datatype>(function, object, key, value, extra_state),
            Owner::Win => delete_with::<D::Win>(function, object, key, value, extra_state),
            _ => delete_with::<D::Comm>(function, object, key, value, extra_state),
        }
    };
    D::error_to_abi(code)
}

unsafe fn delete_with<H: Handle>(
    function: usize,
    object: usize,
    key: c_int,
    value: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    // SAFETY: the caller vouches for the function's type.
    unsafe { transmute::<usize, Deleting<H>>(function)(H::from_abi(object), key, value, extra_state) }
}

unsafe extern "C-unwind" fn handle_error<D: Dialect>(
    function: usize,
    owner: Owner,
    object: usize,
    code: c_int,
) -> c_int {
    let code = D::error_from_abi(code);
    // SAFETY: the program registered the function for errors of such objects.
    let left = unsafe {
        match owner {
            Owner::Win => handle_with::<D::Win>(function, object, code),
            Owner::File => handle_with::<D::File>(function, object, code),
            Owner::Session => handle_with::<D::Session>(function, object, code),
            _ => handle_with::<D::Comm>(function, object, code),
        }
    };
    D::error_to_abi(left)
}

unsafe fn handle_with<H: Handle>(function: usize, object: usize, mut code: c_int) -> c_int {
    let mut object = H::from_abi(object);
    // SAFETY: the caller vouches for the function's type.
    unsafe { transmute::<usize, Handling<H>>(function)(&mut object, &mut code) };
    code
}

unsafe extern "C-unwind" fn query_request<D: Dialect>(
    function: usize,
    extra_state: *mut c_void,
    status: &mut MPI_Status,
) -> c_int {
    let mut theirs = D::Status::from_abi(status);
    // SAFETY: the program registered the function for this.
    let code = unsafe {
        let query =
            transmute::<usize, unsafe extern "C-unwind" fn(*mut c_void, *mut D::Status) -> c_int>(function);
        query(extra_state, &mut theirs)
    };
    *status = theirs.to_abi();
    D::error_to_abi(code)
}

unsafe extern "C-unwind" fn free_request<D: Dialect>(function: usize, extra_state: *mut c_void) -> c_int {
    // SAFETY: the program registered the function for this.
    let free = unsafe { transmute::<usize, unsafe extern "C-unwind" fn(*mut c_void) -> c_int>(function) };
    // SAFETY: as above.
    D::error_to_abi(unsafe { free(extra_state) })
}

unsafe extern "C-unwind" fn cancel_request<D: Dialect>(
    function: usize,
    extra_state: *mut c_void,
    complete: c_int,
) -> c_int {
    // SAFETY: the program registered the function for this.
    let cancel =
        unsafe { transmute::<usize, unsafe extern "C-unwind" fn(*mut c_void, c_int) -> c_int>(function) };
    // SAFETY: as above.
    D::error_to_abi(unsafe { cancel(extra_state, complete) })
}

type Converting<H, N> =
    unsafe extern "C-unwind" fn(*mut c_void, H, N, *mut c_void, i64, *mut c_void) -> c_int;

unsafe extern "C-unwind" fn convert<D: Dialect>(
    function: usize,
    large: bool,
    memory: *mut c_void,
    datatype: usize,
    count: i64,
    file: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    let datatype = D::Datatype::from_abi(datatype);
    // SAFETY: the program registered the function for this, with this kind of counts.
    let code = unsafe {
        match large {
            true => transmute::<usize, Converting<D::Datatype, i64>>(function)(
                memory,
                datatype,
                count,
                file,
                0,
                extra_state,
            ),
            false => transmute::<usize, Converting<D::Datatype, c_int>>(function)(
                memory,
                datatype,
                count as c_int,
                file,
                0,
                extra_state,
            ),
        }
    };
    D::error_to_abi(code)
}

unsafe extern "C-unwind" fn datarep_extent<D: Dialect>(
    function: usize,
    datatype: usize,
    extent: *mut isize,
    extra_state: *mut c_void,
) -> c_int {
    type Extent<H> = unsafe extern "C-unwind" fn(H, *mut isize, *mut c_void) -> c_int;
    // SAFETY: the program registered the function for this.
    let code = unsafe {
        let give = transmute::<usize, Extent<D::Datatype>>(function);
        give(D::Datatype::from_abi(datatype), extent, extra_state)
    };
    D::error_to_abi(code)
}
