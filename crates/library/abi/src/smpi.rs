//! The functions that `smpi/smpi.h` declares: sampled blocks, declared work, shared memory.

use core::ffi::{c_char, c_int, c_void};
use std::ffi::CStr;

use mpirage_call::{Call, Rule, Tally, Work};

use crate::frame::misuse;
use crate::rank;
use crate::timing::sampling::Site;

/// A sampled block, as the header's macros describe it.
#[repr(C)]
pub struct Sample {
    /// Where it is.
    file: *const c_char,
    tag: *const c_char,
    line: c_int,
    /// Do the executions of all ranks count together?
    global: c_int,
    /// Executions without which no mean is trusted, and those that are enough.
    least: i64,
    most: i64,
    /// The relative error that is small enough.
    error: f64,
    /// Is that half a confidence interval?
    interval: c_int,
    /// Is it being executed?
    open: c_int,
}

/// Is the block to be executed?
///
/// # Safety
/// `sample` points to a sample whose strings are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_sample_begin(sample: *mut Sample) -> c_int {
    // SAFETY: by the contract above.
    let sample = unsafe { &mut *sample };
    // SAFETY: as above.
    let (file, tag) = unsafe { (CStr::from_ptr(sample.file), CStr::from_ptr(sample.tag)) };
    let site = Site { file, line: sample.line, tag, global: sample.global != 0 };
    let rule = Rule {
        least: sample.least.max(0) as u64,
        most: sample.most.max(0) as u64,
        error: sample.error,
        interval: sample.interval != 0,
    };
    let rank = rank::this();
    sample.open = c_int::from(rank.sampling.begin(rank.connection(), &site, rule));
    sample.open
}

/// The block is over, if it was executed.
///
/// # Safety
/// `sample` points to a sample.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_sample_end(sample: *mut Sample) {
    // SAFETY: by the contract above.
    if core::mem::take(unsafe { &mut (*sample).open }) != 0 {
        post(&Call::SampleEnd);
    }
}

/// A block that work stands for: is it to be executed all the same? Only where there is no simulated time.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_delay(flops: f64) -> c_int {
    smpi_execute_flops(flops);
    c_int::from(!rank::this().connection().is_simulated())
}

/// A block begins whose work is given: its own time does not count.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_work_begin(flops: f64) -> c_int {
    smpi_execute_flops(flops);
    rank::this().connection().mute(true);
    1
}

/// Ends the block that [`mpirage_work_begin`] began.
///
/// # Safety
/// `open` points to the result of [`mpirage_work_begin`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_work_end(open: *mut c_int) {
    // SAFETY: by the contract above.
    if core::mem::take(unsafe { &mut *open }) != 0 {
        rank::this().connection().mute(false);
    }
}

/// Computes so many floating-point operations on the simulated host.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute_flops(flops: f64) {
    declare(Work::Flops(sensible("smpi_execute_flops", flops)));
}

/// Computes so many floating-point operations on the simulated host, with so many bytes of its memory.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_execute(flops: f64, bytes: f64) {
    let [flops, bytes] = [flops, bytes].map(|amount| sensible("mpirage_execute", amount));
    declare(Work::Roofline { flops, bytes });
}

/// Computes for what takes so many seconds on this machine.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute(seconds: f64) {
    let seconds = sensible("smpi_execute", seconds);
    declare(Work::Nanos((seconds * 1e9).round() as u64));
}

/// The same as [`smpi_execute_flops`]: what was computed before is never lost here.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute_flops_benched(flops: f64) {
    smpi_execute_flops(flops);
}

/// The same as [`smpi_execute`].
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute_benched(seconds: f64) {
    smpi_execute(seconds);
}

/// Memory that all ranks share which allocate at this place of the program.
///
/// # Safety
/// `file` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_malloc(size: usize, file: *const c_char, line: c_int) -> *mut c_void {
    // SAFETY: by the contract above.
    let file = unsafe { CStr::from_ptr(file) }.to_string_lossy();
    let rank = rank::this();
    let memory = rank.sharing.of_site(rank.connection(), size, &format!("{file}:{line}"));
    memory.unwrap_or_else(|_| out_of_addresses("SMPI_SHARED_MALLOC", size))
}

/// Memory of which parts are shared: from `offsets[2 * i]` up to `offsets[2 * i + 1]`.
///
/// # Safety
/// `offsets` points to `2 * parts` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_malloc_partial(
    size: usize,
    offsets: *const usize,
    parts: c_int,
) -> *mut c_void {
    let count = 2 * usize::try_from(parts).unwrap_or(0);
    // SAFETY: by the contract above.
    let offsets = if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(offsets, count) } };
    let mut end = 0;
    for part in offsets.chunks_exact(2) {
        if part[0] < end || part[1] < part[0] || part[1] > size {
            misuse(&format!(
                "SMPI_PARTIAL_SHARED_MALLOC: from {} up to {} is no part of {size} bytes behind the one before",
                part[0], part[1]
            ));
        }
        end = part[1];
    }
    let rank = rank::this();
    let memory = rank.sharing.in_parts(rank.connection(), size, offsets);
    memory.unwrap_or_else(|_| out_of_addresses("SMPI_PARTIAL_SHARED_MALLOC", size))
}

/// Gives back memory, shared or not.
///
/// # Safety
/// `data` was allocated and is not used any more; or it is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_free(data: *mut c_void) {
    // SAFETY: by the contract above.
    unsafe { rank::this().sharing.free(data) }
}

/// Has this rank made this call before?
///
/// # Safety
/// Both are strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_known_call(function: *const c_char, input: *const c_char) -> c_int {
    // SAFETY: by the contract above.
    c_int::from(rank::this().sharing.known_call(unsafe { key_of(function, input) }).is_some())
}

/// The result of an earlier call.
///
/// # Safety
/// Both are strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_get_call(function: *const c_char, input: *const c_char) -> *mut c_void {
    // SAFETY: by the contract above.
    rank::this().sharing.known_call(unsafe { key_of(function, input) }).unwrap_or(0) as *mut c_void
}

/// Keeps the result of a call.
///
/// # Safety
/// Both are strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_set_call(
    function: *const c_char,
    input: *const c_char,
    data: *mut c_void,
) -> *mut c_void {
    // SAFETY: by the contract above.
    rank::this().sharing.keep_call(unsafe { key_of(function, input) }, data.addr());
    data
}

/// Tells the simulator what this rank has counted, if it has counted anything.
pub(crate) fn tell_counts() {
    let rank = rank::this();
    let unfreed = rank::with(|objects| objects.count_unfreed());
    let tally = Tally { shared: rank.sharing.peak(), unfreed, ..rank.sampling.tally() };
    if tally != Tally::default() {
        post(&Call::Tally(tally));
    }
}

/// The program computes this much here, in simulated time.
fn declare(work: Work) {
    post(&Call::Compute { work, request: None });
}

/// Leaves a call for the simulator, if there is one.
fn post(call: &Call<'_>) {
    let connection = rank::this().connection();
    if connection.is_simulated() {
        connection.post(call);
    }
}

fn out_of_addresses(function: &str, size: usize) -> ! {
    misuse(&format!("{function}: there is no room for {size} bytes among this process' addresses"))
}

/// # Safety
/// Both are strings.
unsafe fn key_of(function: *const c_char, input: *const c_char) -> (Vec<u8>, Vec<u8>) {
    // SAFETY: by the contract above.
    let bytes = |text| unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
    (bytes(function), bytes(input))
}

fn sensible(function: &str, amount: f64) -> f64 {
    if !(amount.is_finite() && amount >= 0.0) {
        misuse(&format!("{function}: {amount} is no amount of work"));
    }
    amount
}
