//! The forms in which one operation exists: blocking, immediate and persistent, each with `int` and with large counts.
//!
//! A collective is written once, as a function that checks its arguments and gives an [`Operation`], and then named:
//!
//! ```text
//! collectives! {
//!     bcast(buffer: Buffer, count: Count, datatype: MPI_Datatype, root: c_int; comm):
//!         MPI_Bcast MPI_Ibcast MPI_Bcast_init MPI_Bcast_c MPI_Ibcast_c MPI_Bcast_init_c;
//! }
//! ```
//!
//! `sends!` does the same for sends in one mode, and `counted!` for functions that exist with `int` and with large counts
//! only. `build.rs` knows the line of names by its being nothing else.
//!
//! [`Operation`]: crate::operation::Operation

/// The C type of an argument in the form for `int` counts or for large counts.
macro_rules! argument {
    (int Count) => { c_int };
    (large Count) => { MPI_Count };
    (int Counts) => { *const c_int };
    (large Counts) => { *const MPI_Count };
    (int Displs) => { *const c_int };
    (large Displs) => { *const MPI_Aint };
    ($form:ident Addresses) => { *const MPI_Aint };
    ($form:ident Types) => { *const MPI_Datatype };
    ($form:ident Buffer) => { *mut c_void };
    ($form:ident ConstBuffer) => { *const c_void };
    (int CountPlace) => { *mut c_int };
    (large CountPlace) => { *mut MPI_Count };
    ($form:ident StatusPlace) => { *mut MPI_Status };
    ($form:ident ConstStatus) => { *const MPI_Status };
    ($form:ident RequestPlace) => { *mut MPI_Request };
    ($form:ident MessagePlace) => { *mut MPI_Message };
    ($form:ident $other:ident) => { $other };
}

/// The functions that run, begin and keep what `$body` gives.
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
    ($($body:ident $arguments:tt:
        $run:ident $begin:ident $keep:ident $($run_c:ident $begin_c:ident $keep_c:ident)?;)*) => {$(
        collective!(int $body $arguments $run $begin $keep);
        $(collective!(large $body $arguments $run_c $begin_c $keep_c);)?
    )*};
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
                let run = |message: Outgoing| perform::send(&message);
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
                let begin = |message: Outgoing| perform::begin_send(message, comm);
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

/// Functions with two kinds of counts.
macro_rules! counted {
    ($($body:ident($($name:ident: $type:ident),*): $int:ident $large:ident;)*) => {$(
        pub(crate) unsafe extern "C-unwind" fn $int($($name: argument!(int $type)),*) -> c_int {
            // SAFETY: the program hands over what the standard says.
            unsafe { $body($($name),*) }
        }

        pub(crate) unsafe extern "C-unwind" fn $large($($name: argument!(large $type)),*) -> c_int {
            // SAFETY: the program hands over what the standard says.
            unsafe { $body($($name),*) }
        }
    )*};
}

pub(crate) use {argument, collective, collectives, counted, send, sends};
