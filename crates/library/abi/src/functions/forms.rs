//! The forms in which one operation exists: blocking, immediate and persistent, each with `int` and with large counts.
//!
//! A collective is written once, as a function that checks its arguments and returns an [`Operation`], and then named:
//!
//! ```text
//! collectives! {
//!     bcast(buffer: Buffer, count: Count, datatype: MPI_Datatype, root: c_int; comm) { … }:
//!         MPI_Bcast MPI_Ibcast MPI_Bcast_init MPI_Bcast_c MPI_Ibcast_c MPI_Bcast_init_c;
//! }
//! ```
//!
//! `sends!` does the same for sends in one mode, and `both_forms!` for functions that exist only with `int` and with large counts. `build.rs` finds the names in lines that contain nothing else.
//!
//! [`Operation`]: crate::operations::operation::Operation

/// The type of an argument: in the form for `int` counts, in the form for large counts, and in the function behind both.
macro_rules! argument {
    (int Count) => { c_int };
    (large Count) => { MPI_Count };
    (any Count) => { impl Number };
    (int Counts) => { *const c_int };
    (large Counts) => { *const MPI_Count };
    (any Counts) => { *const impl Number };
    (int Displs) => { *const c_int };
    (large Displs) => { *const MPI_Aint };
    (any Displs) => { *const impl Number };
    (int CountPlace) => { *mut c_int };
    (large CountPlace) => { *mut MPI_Count };
    (any CountPlace) => { *mut impl Number };
    (int Aint) => { MPI_Aint };
    (large Aint) => { MPI_Count };
    (int Aints) => { *const MPI_Aint };
    (large Aints) => { *const MPI_Count };
    (int AintPlace) => { *mut MPI_Aint };
    (large AintPlace) => { *mut MPI_Count };
    (int Unit) => { c_int };
    (large Unit) => { MPI_Aint };
    (int UnitPlace) => { *mut c_int };
    (large UnitPlace) => { *mut MPI_Aint };
    ($form:ident SizePlace) => { *mut MPI_Aint };
    ($form:ident WinPlace) => { *mut MPI_Win };
    ($form:ident Addresses) => { *const MPI_Aint };
    ($form:ident Ints) => { *const c_int };
    ($form:ident Text) => { *const c_char };
    ($form:ident Types) => { *const MPI_Datatype };
    ($form:ident TypePlace) => { *mut MPI_Datatype };
    ($form:ident Buffer) => { *mut c_void };
    ($form:ident ConstBuffer) => { *const c_void };
    ($form:ident StatusPlace) => { *mut MPI_Status };
    ($form:ident ConstStatus) => { *const MPI_Status };
    ($form:ident RequestPlace) => { *mut MPI_Request };
    ($form:ident MessagePlace) => { *mut MPI_Message };
    ($form:ident $other:ident) => { $other };
}

/// The functions that run, begin and keep what `$body` returns.
macro_rules! collective {
    ($form:ident $body:ident($($name:ident: $type:ident),*; $comm:ident) $run:ident $begin:ident $keep:ident) => {
        pub(crate) unsafe extern "C-unwind" fn $run($($name: argument!($form $type),)* $comm: MPI_Comm) -> c_int {
            frame::outcome($comm, || {
                // SAFETY: the program hands over what the standard says.
                perform::run(unsafe { $body($($name,)* $comm) }?).map(drop)
            })
        }

        pub(crate) unsafe extern "C-unwind" fn $begin(
            $($name: argument!($form $type),)* $comm: MPI_Comm, request: *mut MPI_Request
        ) -> c_int {
            frame::outcome($comm, || {
                // SAFETY: the program hands over what the standard says.
                unsafe { put("request", request, perform::begin($body($($name,)* $comm)?)) }
            })
        }

        pub(crate) unsafe extern "C-unwind" fn $keep(
            $($name: argument!($form $type),)* $comm: MPI_Comm, _info: MPI_Info, request: *mut MPI_Request
        ) -> c_int {
            frame::outcome($comm, || {
                // SAFETY: the program hands over what the standard says.
                unsafe { put("request", request, perform::keep($body($($name,)* $comm)?)) }
            })
        }
    };
}

/// All forms of collectives; see the module's page.
macro_rules! collectives {
    ($($body:ident $arguments:tt $block:block:
        $run:ident $begin:ident $keep:ident $($run_c:ident $begin_c:ident $keep_c:ident)?;)*) => {$(
        operation!($body $arguments $block);
        collective!(int $body $arguments $run $begin $keep);
        $(collective!(large $body $arguments $run_c $begin_c $keep_c);)?
    )*};
}

/// The function behind all forms of a collective.
macro_rules! operation {
    ($body:ident($($name:ident: $type:ident),*; $comm:ident) $block:block) => {
        /// # Safety
        /// The arguments are what the standard says.
        unsafe fn $body($($name: argument!(any $type),)* $comm: MPI_Comm) -> Result<Operation> $block
    };
}

/// The forms of a send in one mode and with one kind of count.
macro_rules! send {
    ($form:ident $mode:ident $run:ident $begin:ident $keep:ident) => {
        pub(crate) unsafe extern "C-unwind" fn $run(
            buf: *const c_void,
    count: argument!($form Count),
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
        ) -> c_int {
            frame::outcome(comm, || {
                let run = |message| start(message, comm, |message| perform::send(&message));
                with_message(SendMode::$mode, buf, count, datatype, dest, tag, comm, run).map(drop)
            })
        }

        pub(crate) unsafe extern "C-unwind" fn $begin(
            buf: *const c_void,
    count: argument!($form Count),
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
            request: *mut MPI_Request,
        ) -> c_int {
            frame::outcome(comm, || {
                let begin = |message| start(message, comm, |message| perform::begin_send(message, comm));
                let nothing = || perform::begin(Operation::one(comm, Step::Nothing(Completion::empty(0))));
                let begun = with_message(SendMode::$mode, buf, count, datatype, dest, tag, comm, begin)?;
                let begun = begun.unwrap_or_else(nothing);
                // SAFETY: the program hands over a place for a request.
                unsafe { put("request", request, begun) }
            })
        }

        pub(crate) unsafe extern "C-unwind" fn $keep(
            buf: *const c_void,
    count: argument!($form Count),
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
            request: *mut MPI_Request,
        ) -> c_int {
            frame::outcome(comm, || {
                let kept = send(SendMode::$mode, buf, count, datatype, dest, tag, comm)?;
                // SAFETY: the program hands over a place for a request.
                unsafe { put("request", request, perform::keep(kept)) }
            })
        }
    };
}

/// All forms of sends.
macro_rules! sends {
    ($($mode:ident: $run:ident $begin:ident $keep:ident $run_c:ident $begin_c:ident $keep_c:ident;)*) => {$(
        send!(int $mode $run $begin $keep);
        send!(large $mode $run_c $begin_c $keep_c);
    )*};
}

/// Functions with two kinds of counts, whose body is written once and compiled for both. Some large forms have a second name.
/// `INTERFACE` says which form it is.
macro_rules! both_forms {
    ($($arguments:tt $block:block: $int:ident $large:ident $($also:ident)?;)*) => {$(
        form!(int Classic $int $arguments $block);
        form!(large Large $large $arguments $block);
        $(form!(large Large $also $arguments $block);)?
    )*};
}

/// One form of a function.
macro_rules! form {
    ($form:ident $interface:ident $function:ident($($name:ident: $type:ident),*) $block:block) => {
        pub(crate) unsafe extern "C-unwind" fn $function($($name: argument!($form $type)),*) -> c_int {
            #[allow(dead_code, reason = "few bodies use it")]
            const INTERFACE: mpirage_data::Interface = mpirage_data::Interface::$interface;
            // SAFETY: the program hands over what the standard says.
            #[allow(unused_unsafe, reason = "not every body needs it")]
            unsafe { $block }
        }
    };
}

pub(crate) use {argument, both_forms, collective, collectives, form, operation, send, sends};
