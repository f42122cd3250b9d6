//! Signals while ranks run: a crash ends the rank and not the process.
//!
//! A fault outside of ranks is passed on to the handler that was installed before.

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use crate::clib::signals;
use crate::rank::{Fault, Leave, Rank};
use crate::{copy, current, unwind};

/// The signals that a program's mistakes raise.
const FAULTS: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP];
const SIGNALS: usize = 65;
/// The processor traps after each instruction.
const TRAP_FLAG: i64 = 0x100;
const DIRECTION_FLAG: i64 = 0x400;
/// The instruction `syscall`.
const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// System calls that may wait for something outside of this process.
const WAITING: [i64; 26] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_flock,
    libc::SYS_fcntl,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_pause,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_futex,
    libc::SYS_accept,
    libc::SYS_connect,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
];
const ALTERNATE: usize = 64 << 10;

/// The previous handler of each signal (a boxed `sigaction`, never freed while handlers may run).
static BEFORE: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(0) }; SIGNALS];
/// The thread that runs ranks.
static THREAD: AtomicUsize = AtomicUsize::new(0);
/// A rank is to stop with this signal as soon as it is in its own code.
static PENDING: AtomicI32 = AtomicI32::new(0);
/// In place of a signal: the rank passes its turn only because it was asked to ([`yield_on`]).
const YIELDS: i32 = -1;
/// The function that makes a call for a rank which was asked to yield.
static YIELD: AtomicUsize = AtomicUsize::new(0);
/// The function that keeps a sample of the stack of a rank.
static SAMPLE: AtomicUsize = AtomicUsize::new(0);

type Action = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Makes a running rank stop with this signal. To be called from a signal handler with what that was given; the rank
/// stops when the handler has returned. False if no rank was running.
///
/// In the middle of a library, where locks may be held, the rank goes on until it is back in its own code or
/// passes its turn. A system call in which it waits fails with `EINTR`, and so do those that would wait from then on.
///
/// # Safety
/// `context` is the third argument of a handler that was installed with `SA_SIGINFO`.
pub unsafe fn interrupt_rank(number: c_int, context: *mut c_void) -> bool {
    let thread = THREAD.load(Ordering::Relaxed);
    // SAFETY: asks for, and signals, a thread that lives as long as there are folded ranks.
    unsafe {
        if thread != 0 && libc::pthread_self() as usize != thread {
            return libc::pthread_kill(thread as libc::pthread_t, number) == 0;
        }
    }
    let rank = current::get();
    if rank.is_null() {
        return false;
    }
    // SAFETY: the context is the interrupted code's, which is the rank's or what it has called.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let code = registers[libc::REG_RIP as usize] as usize;
        if (*rank).has(code) {
            stop(rank, Fault { number, code, interrupted: true, ..Fault::default() }, registers);
        } else {
            PENDING.store(number, Ordering::Relaxed);
            registers[libc::REG_EFL as usize] |= TRAP_FLAG;
            skip_wait(code, registers);
        }
    }
    true
}

/// Installs a handler that [interrupts](interrupt_rank) the rank that runs, and then does what was done before on this
/// signal if that was a handler.
pub fn interrupt_on(number: c_int) -> io::Result<()> {
    // The system call in which a rank waits does not begin anew.
    install(number, on_interrupt, 0)
}

/// Installs a handler that [interrupts](interrupt_rank) the rank that runs, and does nothing if none runs.
pub fn interrupt_only_on(number: c_int) -> io::Result<()> {
    install(number, on_interrupt_only, 0)
}

/// Installs a handler that asks the rank that runs to pass its turn, if it is in its own code: `pass` gets the place and calls
/// [`pass_turn`](crate::pass_turn). The handler runs on the stack of the rank, where the kernel keeps its registers meanwhile.
pub fn yield_on(number: c_int, pass: extern "C" fn(usize)) -> io::Result<()> {
    YIELD.store(pass as *const () as usize, Ordering::Relaxed);
    install_on(number, on_yield, libc::SA_NODEFER | libc::SA_RESTART)
}

/// Installs a handler that calls `keep` on the stack of the rank that runs, if one does.
pub fn sample_on(number: c_int, keep: extern "C" fn()) -> io::Result<()> {
    SAMPLE.store(keep as *const () as usize, Ordering::Relaxed);
    install_on(number, on_sample, libc::SA_RESTART)
}

extern "C" fn on_sample(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    if current::get().is_null() {
        return;
    }
    // SAFETY: this thread's errno, which the interrupted code may be about to read; `sample_on` has stored the function.
    unsafe {
        let errno = *libc::__errno_location();
        std::mem::transmute::<usize, extern "C" fn()>(SAMPLE.load(Ordering::Relaxed))();
        *libc::__errno_location() = errno;
    }
}

/// Asks the rank that runs to pass its turn, by the signal of [`yield_on`]. Any thread may call it.
pub fn ask_to_yield(number: c_int) {
    let thread = THREAD.load(Ordering::Relaxed);
    if thread != 0 {
        // SAFETY: the thread lives as long as there are folded ranks.
        unsafe { libc::pthread_kill(thread as libc::pthread_t, number) };
    }
}

extern "C" fn on_yield(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let rank = current::get();
    if rank.is_null() {
        return;
    }
    // SAFETY: the kernel passes the state of the interrupted code; the rank that runs on this thread is alive.
    unsafe {
        let code = (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize;
        if (*rank).has(code) && PENDING.load(Ordering::Relaxed) == 0 {
            (*rank).fault = Fault { code, ..Fault::default() };
            PENDING.store(YIELDS, Ordering::Relaxed);
            let pass = std::mem::transmute::<usize, extern "C" fn(usize)>(YIELD.load(Ordering::Relaxed));
            pass(code);
            // If it has not passed the turn, nothing is pending any more either.
            let _ = PENDING.compare_exchange(YIELDS, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// An event that is handled when the rank passes its turn.
pub(crate) enum Pending {
    /// It ends.
    Interrupt(Fault),
    /// It was asked to yield.
    Yield,
}

/// The interrupt that is waiting for the rank to be interruptible.
#[inline]
pub(crate) fn take_pending() -> Option<Pending> {
    if PENDING.load(Ordering::Relaxed) == 0 {
        return None;
    }
    Some(match PENDING.swap(0, Ordering::Relaxed) {
        YIELDS => Pending::Yield,
        number => Pending::Interrupt(Fault { number, interrupted: true, ..Fault::default() }),
    })
}

/// The handlers, as long as there are folded ranks.
pub(crate) struct Handlers {
    before: libc::stack_t,
    _stack: Box<[MaybeUninit<u8>]>,
}

impl Handlers {
    pub(crate) fn install() -> io::Result<Self> {
        let mut stack = Box::new_uninit_slice(ALTERNATE);
        let ours = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: ALTERNATE };
        let mut before = ours;
        // SAFETY: the stack lives as long as the handlers; both structs are local.
        if unsafe { libc::sigaltstack(&raw const ours, &raw mut before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: no arguments.
        THREAD.store(unsafe { libc::pthread_self() } as usize, Ordering::Relaxed);
        let handlers = Self { before, _stack: stack };
        for number in FAULTS {
            install(number, on_fault, libc::SA_RESTART)?;
        }
        Ok(handlers)
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        for number in FAULTS {
            restore(number);
        }
        THREAD.store(0, Ordering::Relaxed);
        PENDING.store(0, Ordering::Relaxed);
        // SAFETY: what this thread had before.
        unsafe { libc::sigaltstack(&raw const self.before, ptr::null_mut()) };
    }
}

/// Installs a handler that has a stack of its own.
fn install(number: c_int, action: Action, flags: c_int) -> io::Result<()> {
    install_on(number, action, libc::SA_ONSTACK | flags)
}

fn install_on(number: c_int, action: Action, flags: c_int) -> io::Result<()> {
    // SAFETY: an empty set of signals and no flags are valid; the fields that matter follow.
    let mut new: libc::sigaction = unsafe { std::mem::zeroed() };
    new.sa_sigaction = action as *const () as usize;
    new.sa_flags = libc::SA_SIGINFO | flags;
    // SAFETY: as above.
    let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: both structs are local, the handler does only what a handler may.
    if unsafe { libc::sigaction(number, &raw const new, &raw mut old) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if old.sa_sigaction != new.sa_sigaction {
        BEFORE[number as usize].store(Box::into_raw(Box::new(old)) as usize, Ordering::Release);
    }
    Ok(())
}

fn restore(number: c_int) {
    let before = BEFORE[number as usize].swap(0, Ordering::AcqRel) as *mut libc::sigaction;
    if !before.is_null() {
        // SAFETY: the pointer came from a box; after the system call no handler looks for it.
        unsafe {
            libc::sigaction(number, before, ptr::null_mut());
            drop(Box::from_raw(before));
        }
    }
}

extern "C" fn on_fault(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the state of the interrupted code.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let code = registers[libc::REG_RIP as usize] as usize;
    if let Some(recovery) = copy::recovery(code) {
        registers[libc::REG_RIP as usize] = recovery as i64;
        return;
    }
    if number == libc::SIGTRAP && registers[libc::REG_EFL as usize] & TRAP_FLAG != 0 {
        return on_step(code, registers);
    }
    let rank = current::get();
    if rank.is_null() {
        return pass_on(number, info, context);
    }
    // SAFETY: the rank that runs on this thread is alive, and it is its code that was interrupted.
    unsafe {
        let has_address = number == libc::SIGSEGV || number == libc::SIGBUS;
        let address = if has_address { (*info).si_addr() as usize } else { 0 };
        let pointer = registers[libc::REG_RSP as usize] as usize;
        let stack_overflow = has_address && (*rank).stack.overflown(address, pointer);
        // A crash in a library is explained by the call in the program. Without a stack there are no frames to look at.
        let code =
            if stack_overflow { code } else { unwind::innermost(code, pointer, &|frame| (*rank).has(frame)) };
        let fault = Fault { number, address, code, stack_overflow, interrupted: false };
        if !stack_overflow && signals::handles(number) {
            handle(rank, fault, registers);
        } else {
            stop(rank, fault, registers);
        }
    }
}

/// Changes the interrupted registers so that the rank runs its own handler, on its own stack, when this handler returns.
///
/// # Safety
/// The registers are those of code on the rank's stack, and the rank handles the signal.
unsafe fn handle(rank: *mut Rank, fault: Fault, registers: &mut [i64; 23]) {
    /// Bytes that functions may use below their stack pointer.
    const RED_ZONE: i64 = 128;
    // SAFETY: the rank that runs.
    unsafe { (*rank).fault = fault };
    let stack = (registers[libc::REG_RSP as usize] - RED_ZONE) & !15;
    // As if called: the place of a return address makes the rest of the stack aligned.
    registers[libc::REG_RSP as usize] = stack - 8;
    registers[libc::REG_RIP as usize] = run_handler as *const () as i64;
    registers[libc::REG_EFL as usize] &= !(TRAP_FLAG | DIRECTION_FLAG);
}

/// Runs the handler for the fault of the rank. A handler that comes back has not mended anything, and the rank ends.
extern "C" fn run_handler() -> ! {
    let rank = current::get();
    // SAFETY: the rank that runs, which has had a fault that it handles.
    unsafe {
        let Fault { number, address, .. } = (*rank).fault;
        signals::handle(number, address);
        current::leave(rank, Leave::Fault)
    }
}

/// After one instruction of a rank that is to be interrupted.
fn on_step(code: usize, registers: &mut [i64; 23]) {
    let rank = current::get();
    let pending = PENDING.load(Ordering::Relaxed);
    if rank.is_null() || pending == 0 {
        registers[libc::REG_EFL as usize] &= !TRAP_FLAG;
        return;
    }
    // SAFETY: as in `on_fault`.
    unsafe {
        if (*rank).has(code) {
            PENDING.store(0, Ordering::Relaxed);
            stop(rank, Fault { number: pending, code, interrupted: true, ..Fault::default() }, registers);
        } else {
            skip_wait(code, registers);
        }
    }
}

/// If the next instruction is a system call that may wait, it fails with `EINTR` instead.
fn skip_wait(code: usize, registers: &mut [i64; 23]) {
    // SAFETY: the processor is about to execute these bytes; code can be read.
    let next = unsafe { (code as *const [u8; 2]).read_unaligned() };
    if next == SYSCALL && WAITING.contains(&registers[libc::REG_RAX as usize]) {
        registers[libc::REG_RAX as usize] = -i64::from(libc::EINTR);
        registers[libc::REG_RIP as usize] += SYSCALL.len() as i64;
    }
}

/// Changes the interrupted registers so that the rank leaves when the handler returns.
///
/// # Safety
/// The registers are those of code on the rank's stack.
unsafe fn stop(rank: *mut Rank, fault: Fault, registers: &mut [i64; 23]) {
    // SAFETY: the rank's frames are abandoned; none of them owns anything that its end would have to free.
    let new = unsafe {
        (*rank).fault = fault;
        (*rank).trap.setup_trap_handler(|| Leave::Fault)
    };
    registers[libc::REG_RIP as usize] = new.rip as i64;
    registers[libc::REG_RSP as usize] = new.rsp as i64;
    registers[libc::REG_RBP as usize] = new.rbp as i64;
    registers[libc::REG_RDI as usize] = new.rdi as i64;
    registers[libc::REG_RSI as usize] = new.rsi as i64;
    registers[libc::REG_EFL as usize] &= !(TRAP_FLAG | DIRECTION_FLAG);
}

extern "C" fn on_interrupt(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the handler was installed with SA_SIGINFO.
    let interrupted = unsafe { interrupt_rank(number, context) };
    let before = BEFORE[number as usize].load(Ordering::Acquire) as *const libc::sigaction;
    // SAFETY: stored by `install` and kept.
    let handled = !before.is_null() && unsafe { (*before).sa_sigaction } > libc::SIG_IGN;
    if handled || !interrupted {
        pass_on(number, info, context);
    }
}

extern "C" fn on_interrupt_only(number: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the handler was installed with SA_SIGINFO.
    unsafe { interrupt_rank(number, context) };
}

/// Has the effect that the signal would have without this crate.
fn pass_on(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let before = BEFORE[number as usize].load(Ordering::Acquire) as *const libc::sigaction;
    // SAFETY: stored by `install`; a handler is called as it was installed, the default by raising the signal anew.
    unsafe {
        let action = if before.is_null() { libc::SIG_DFL } else { (*before).sa_sigaction };
        match action {
            libc::SIG_IGN => {}
            libc::SIG_DFL => {
                libc::signal(number, libc::SIG_DFL);
                libc::raise(number);
            }
            _ if (*before).sa_flags & libc::SA_SIGINFO != 0 => {
                std::mem::transmute::<usize, Action>(action)(number, info, context);
            }
            _ => std::mem::transmute::<usize, extern "C" fn(c_int)>(action)(number),
        }
    }
}
