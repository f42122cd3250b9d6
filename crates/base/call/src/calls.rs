//! The table of calls. [`crate::table`] explains the rows.
//!
//! A new call is a new row, with the next free code. The codes of entries (`stored`) are part of the file format of traces
//! and never change; the codes of calls in a mailbox may.

use crate::checks::FieldChecks;
use crate::stored::TraceRole::{self, LeftOut, NeedsRun, Operation, Time};
use crate::stored::{Entry, Outcome, OutcomeKind, StoredField, StoredFlags};
use crate::table::{Row, calls, if_stored, stored_or};
use crate::wire::{FieldReader, FieldWriter, Full, STAMP_WORDS, Sink, Size, WireError, WireField};
use crate::{
    AccessCall, CollectiveCall, CommRequest, Completing, ContextId, FileAccessCall, FileHints, Payload,
    Reply, RequestId, Rule, SendMode, Stamp, Tally, Work,
};
use mpirage_units::Duration;

calls! {
    /// Ranks begin, end and start others.
    Run(RunCall) {
        /// `MPI_Init`, `MPI_Init_thread`, and the first `MPI_Session_init` of a rank without them.
        0: Init
            answered: true, trace: Operation, stored: [0], checks: [];

        /// `MPI_Finalize`, or the last `MPI_Session_finalize`.
        1: Finalize
            answered: true, trace: Operation, stored: [1], checks: [];

        /// `MPI_Abort`.
        2: Abort {
            /// The exit code that the program asks for.
            code: i32,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// The MPI library found a mistake of the program, and no error handler of the program wants it: the run ends.
        3: Misuse {
            /// One sentence that describes the mistake.
            text: &'a str,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// A session begins or ends. The run needs it only to name sessions that are left; it is answered, since a rank that ends next
        /// hands over no further call.
        46: Session {
            /// The number of the session in its rank.
            number: u64,
            /// True if it begins.
            opened: bool,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// `MPI_Publish_name`, `MPI_Unpublish_name`: a service can be found from now on, or no longer.
        39: Publish {
            /// Its name.
            service: &'a str,
            /// The name of its port; empty if the service is taken back.
            port: &'a str,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// `MPI_Lookup_name`: asks for the port of a service. The answer has its length as a number and its bytes as members
        /// ([`pack_text`](crate::pack_text)).
        40: LookUp {
            /// The name of the service.
            service: &'a str,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// `MPI_Comm_spawn`: processes start. The answer is the first of their ranks in the run, none if there is no room.
        41: Spawn {
            /// How many.
            ranks: u32,
            /// The number of the caller's port at which they meet the caller.
            port: u32,
            /// The command they execute, as the driver of ranks reads it.
            order: &'a str,
        }
            answered: true, trace: NeedsRun, stored: [], checks: [];
    }

    /// Messages and requests.
    PointToPoint(PointToPointCall) {
        /// A send of any kind. A blocking one needs an answer if `answer` is set.
        6: Send {
            /// When it is complete.
            mode: SendMode,
            /// The communicator.
            context: ContextId,
            /// The receiver, as a rank of the communicator.
            to: u32,
            /// The tag.
            tag: i32,
            /// The number of packed bytes.
            bytes: u64,
            /// Where the bytes are.
            payload: Payload<'a> = Payload::Absent,
            /// The request that completes with the send; none if the send is blocking.
            request: Option<RequestId>,
            /// Does a blocking send wait for its answer? Not if it is eager and its bytes are inline.
            answer: bool,
        }
            answered: request.is_none() && answer,
            trace: Operation,
            stored: [2],
            // The engine looks up the receiver anyway, and objects if there is none.
            checks: [tag(Some(tag)), size(bytes), opens(request)];

        /// A receive of any kind. Needs an answer if it is blocking.
        7: Recv {
            /// The communicator.
            context: ContextId,
            /// The sender, as a rank of the communicator; none for `MPI_ANY_SOURCE`.
            from: Option<u32>,
            /// The tag; none for `MPI_ANY_TAG`.
            tag: Option<i32>,
            /// Room for so many packed bytes.
            bytes: u64,
            /// Where the bytes go; zero if they are not stored.
            address: u64 = 0,
            /// The request that completes with the receive; none if the receive is blocking.
            request: Option<RequestId>,
            /// The message that a matched probe took, to be received instead of matching anew.
            matched: Option<u32>,
        }
            answered: request.is_none(),
            trace: Operation,
            stored: [3],
            checks: [peer(context, from), tag(tag), opens(request)];

        /// `MPI_Wait*` and `MPI_Test*`.
        8: Wait {
            /// The requests that have to be complete.
            how: Completing,
            /// A test instead of a wait: answered at once. Traces store its outcome instead.
            poll: bool = false,
            /// The requests in the order of the program's array, without inactive ones.
            requests: &'a [RequestId],
        }
            answered: true, trace: Operation, stored: [4], checks: [waits(requests)];

        /// `MPI_Probe`, `MPI_Iprobe`, `MPI_Mprobe`, `MPI_Improbe`.
        9: Probe {
            /// The communicator.
            context: ContextId,
            /// The sender, as a rank of the communicator; none for `MPI_ANY_SOURCE`.
            from: Option<u32>,
            /// The tag; none for `MPI_ANY_TAG`.
            tag: Option<i32>,
            /// Answered at once, message or not. Traces store its outcome instead.
            poll: bool = false,
            /// A matched probe: takes the message out of the queue.
            take: bool,
        }
            answered: true,
            trace: Operation,
            stored: [5],
            outcome: if take { OutcomeKind::Message } else { OutcomeKind::None },
            checks: [peer(context, from), tag(tag)];

        /// `MPI_Cancel`: cancels a receive that has not matched.
        10: Cancel {
            /// The request of the receive.
            request: RequestId,
        }
            answered: false, trace: Operation, stored: [6], checks: [uses(request)];

        /// `MPI_Request_free`: the rank will not wait for the request.
        11: Free {
            /// The request.
            request: RequestId,
        }
            answered: false, trace: Operation, stored: [7], checks: [uses(request)];

        /// Of a replay: a test or a probe that found nothing in the traced run. It takes as long as it took there.
        44: FailedPoll {
            /// How long.
            span: Duration,
        }
            answered: true, trace: Operation, stored: [24], checks: [];

        /// A test or a probe that the rank has answered itself: it failed before, and nothing can have come since
        /// ([`Quiet`](crate::Quiet)).
        47: RepeatedPoll
            answered: false, trace: LeftOut, stored: [], checks: [];
    }

    /// Communicators, and what their ranks do together.
    Comm(CommCall) {
        /// A collective. Needs an answer if it is blocking.
        12: Collective(call: CollectiveCall<'a>)
            answered: call.request.is_none(),
            trace: Operation,
            stored: [8],
            checks: [peer(call.context, call.known_root()), opens(call.request), collective(call)];

        /// Makes a communicator.
        13: MakeComm {
            /// The communicator whose ranks make it.
            parent: ContextId,
            /// The members of the new communicator.
            how: CommRequest<'a>,
        }
            answered: true,
            trace: Operation,
            stored: [9],
            outcome: OutcomeKind::Context,
            checks: [peer(parent, None), makes(parent, &how), opens(how.request())];

        /// `MPI_Comm_free`.
        14: FreeComm {
            /// The communicator.
            context: ContextId,
        }
            answered: false,
            trace: Operation,
            stored: [10],
            checks: [frees(context), peer(context, None)];
    }

    /// One-sided communication.
    Window(WindowCall) {
        /// Memory of the rank becomes part of a window. Traces have no addresses, so a replay does not need it.
        25: Expose {
            /// The window: the communicator that was made for it.
            window: ContextId,
            /// The address that displacement zero stands for.
            origin: u64,
            /// The bytes of one unit of displacement.
            unit: u64,
            /// The first address of the memory.
            base: u64,
            /// Its bytes.
            bytes: u64,
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// `MPI_Win_detach`: memory is part of the window no longer.
        26: Withdraw {
            /// The window.
            window: ContextId,
            /// The first address of the memory.
            base: u64 = 0,
        }
            answered: false, trace: Operation, stored: [19], checks: [peer(window, None)];

        /// An access to the window of another rank, or of the rank itself.
        27: Access(call: AccessCall<'a>)
            answered: false,
            trace: Operation,
            stored: [20],
            checks: [peer(call.window, Some(call.target)), size(call.bytes), opens(call.request)];

        /// Asks whether an access would reach beyond the memory of its target. The answer says in words what lies outside, if anything
        /// does ([`pack_text`](crate::pack_text)). Only a program that handles errors of the window asks; for others the access itself
        /// ends the run.
        45: LocateAccess {
            /// The window.
            window: ContextId,
            /// The target, as a rank of the window.
            target: u32,
            /// The displacement in units of the target: the bits of a number that may be negative.
            displacement: u64,
            /// The parts of the target's memory, as in [`AccessCall::layout`].
            layout: Payload<'a>,
            /// The number of these parts.
            parts: u32,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// Waits until the rank's accesses are complete at their target.
        28: AwaitAccesses {
            /// The window.
            window: ContextId,
            /// The target, as a rank of the window; none for all.
            target: Option<u32>,
        }
            answered: true, trace: Operation, stored: [21], checks: [peer(window, target)];

        /// `MPI_Win_lock`, `MPI_Win_lock_all`.
        29: Lock {
            /// The window.
            window: ContextId,
            /// The target, as a rank of the window; none for all.
            target: Option<u32>,
            /// Is no other rank to hold a lock meanwhile?
            exclusive: bool,
        }
            answered: true, trace: Operation, stored: [22], checks: [peer(window, target)];

        /// `MPI_Win_unlock`, `MPI_Win_unlock_all`: the rank's accesses are complete.
        30: Unlock {
            /// The window.
            window: ContextId,
            /// The target, as a rank of the window; none for all.
            target: Option<u32>,
        }
            answered: false, trace: Operation, stored: [23], checks: [peer(window, target)];
    }

    /// Files, with MPI and without.
    File(FileCall) {
        /// `MPI_File_open`: the rank opens a file. The hints of the first rank that does count for all.
        34: FileOpen {
            /// The file: the communicator that was made for it.
            file: ContextId,
            /// Its absolute path.
            path: &'a str,
            /// The program's hints for the library and the file system.
            hints: FileHints,
        }
            answered: true, trace: Operation, stored: [25], checks: [peer(file, None)];

        /// Bytes are read or written. Only time passes: the rank moves the bytes itself when it is answered.
        35: FileAccess(call: FileAccessCall)
            answered: call.request.is_none(),
            trace: Operation,
            stored: [26],
            checks: [peer(call.file, None), file_access(call), opens(call.request)];

        /// Operations on a file other than reads and writes, such as a change of its size.
        36: FileMetadata {
            /// The file.
            file: ContextId,
            /// How many.
            operations: u32,
        }
            answered: true, trace: Operation, stored: [27], checks: [peer(file, None)];

        /// The shared file pointer moves. The answer is where it was before. Traces have the offsets of accesses, so in a replay it
        /// need not move.
        37: FilePointer {
            /// The file.
            file: ContextId,
            /// The bits of the number by which it moves; of the place that it moves to if `set`.
            by: u64 = 0,
            /// Does it move to a place?
            set: bool = false,
        }
            answered: true, trace: Operation, stored: [28], checks: [peer(file, None)];

        /// `MPI_File_delete`: a directory is changed.
        38: FileDelete {
            /// The absolute path of the file.
            path: &'a str,
        }
            answered: true, trace: Operation, stored: [29], checks: [];

        /// The bytes that the program has read and written without MPI, since the last such call.
        42: PosixIo {
            /// The working folder of the rank, which says where the files are.
            folder: &'a str,
            /// Bytes that were read.
            read: u64,
            /// In how many accesses.
            reads: u32,
            /// Bytes that were written.
            written: u64,
            /// In how many accesses.
            writes: u32,
        }
            answered: true, trace: NeedsRun, stored: [], checks: [];
    }

    /// Time passes, as computation or by itself.
    Compute(ComputeCall) {
        /// Asks for the simulated time (`MPI_Wtime`, `clock_gettime`).
        4: Now
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// Asks when the rank's last call returned, if the reply came before that was known. The driver that gave the reply
        /// answers; the engine does not see this call.
        22: When
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// Lets simulated time pass (`sleep`, `nanosleep`).
        5: Sleep {
            /// How much time.
            span: Duration,
        }
            answered: true, trace: Time, stored: [11], checks: [];

        /// A sampled block begins. The answer says to execute it, or how many picoseconds it counts for without being executed.
        17: SampleBegin {
            /// The place of the block in the source, the same text in all ranks.
            site: &'a str,
            /// Do the executions of all ranks count together?
            global: bool,
            /// When enough executions have been measured.
            rule: Rule,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// A sampled block has been executed.
        18: SampleEnd
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// The program declares computation.
        19: Compute {
            /// How much.
            work: Work,
            /// The request that completes with it, if it runs beside the rank: on an accelerator or another core.
            request: Option<RequestId> = None,
        }
            answered: false,
            trace: if request.is_none() { Time } else { NeedsRun },
            stored: [12, 13, 15, 16],
            checks: [work(work), opens(request)];

        /// Takes the requests that are complete, by number, and frees them. Answered as soon as there is one.
        23: TakeCompleted
            answered: true, trace: NeedsRun, stored: [], checks: [];

        /// Where and when the next send, receive or computation runs, of a rank that is a graph.
        24: ExecutionUnit {
            /// One of the rank's processors.
            cpu: u8,
            /// One of the rank's network interfaces.
            nic: u8,
            /// Time since the date of the last reply.
            after: Duration,
            /// The next `TakeCompleted` also gives the start of the operation ([`STARTED`](crate::STARTED)).
            tell: bool,
        }
            answered: false, trace: NeedsRun, stored: [], checks: [];

        /// `AMPI_Migrate`: a point at which the rank may move to another core.
        31: Migrate {
            /// Bytes to send if it moves: what it has allocated.
            state_bytes: u64,
        }
            answered: true, trace: Operation, stored: [17], checks: [size(state_bytes)];
    }

    /// The library and tools: output, marks, counts, shared memory.
    Tool(ToolCall) {
        /// The program wrote to its standard output before this call.
        15: Output
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// The mailbox is full: the simulator takes what is there. In a trace, time passes before it.
        16: Flush
            answered: true, trace: Time, stored: [14], checks: [];

        /// From now on calls of the rank with this site were made along this path. Only if the user asks for paths.
        43: CallPath {
            /// The number that identifies the path.
            site: u64,
            /// Return addresses, the innermost first.
            frames: &'a [u64],
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// A timer found the program on this path so many times while it computed since its last call.
        66: Samples {
            /// The number that identifies the path, as in `CallPath`.
            site: u64,
            /// How many times.
            count: u32,
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// `MPI_Pcontrol`: a mark in timelines. It begins or ends a region.
        33: Control {
            /// The program's level.
            level: i32,
            /// The name of the region that begins here; empty if it has none.
            name: &'a str,
        }
            answered: false, trace: Operation, stored: [18], checks: [];

        /// Asks for a number that the simulator keeps of the rank. It counts from the first such call on.
        32: ReadFigure {
            /// The code of a [`Figure`](crate::Figure).
            figure: u32,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];

        /// The rank's own counts.
        21: Tally(tally: Tally)
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// Asks for the number of the shared memory with this name.
        20: Share {
            /// The name, the same in all ranks.
            site: &'a str,
        }
            answered: true, trace: LeftOut, stored: [], checks: [];
    }

    /// Of a checked run, for the recorder that checks it.
    Check(CheckCall) {
        /// Of a checked run: the types of the data of the rank's next call.
        60: Declare {
            /// Numbers the declarations of a rank.
            ticket: u64,
            /// The signatures of what it sends: one for all peers, or one for each, as words of a [`Signature`](crate::Signature).
            send: &'a [u64],
            /// The signatures of what it receives. Of a message, [`Call::Observe`] has it when the message has arrived.
            recv: &'a [u64],
            /// Both in words, in two lines.
            text: &'a str,
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// Of a checked run: the type of the data that a declared receive got.
        61: Observe {
            /// The number of the declaration.
            ticket: u64,
            /// The signature of as much as has arrived.
            signature: &'a [u64],
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// Of a checked run: the MPI library found a mistake of the program, and goes on.
        62: Finding {
            /// The code of its class.
            class: u8,
            /// The index of the MPI function that it concerns.
            function: u32,
            /// Where that function was called.
            site: u64,
            /// One sentence that describes the mistake.
            text: &'a str,
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// Of a checked run: the memory of the rank in a window.
        63: DeclareWindow {
            /// The window: the communicator that was made for it.
            window: ContextId,
            /// The bytes of one unit of displacement.
            unit: u64,
            /// The address of the memory. Of a dynamic window, displacements are addresses: 0, and the most `bytes` that there are.
            base: u64,
            /// Its length.
            bytes: u64,
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// Of a checked run: memory of a rank with windows that its next call reads or writes.
        64: Touch {
            /// Is it written?
            written: bool,
            /// Is the next call an access to a window, which uses it until it is complete? Otherwise the call waits.
            pending: bool,
            /// Addresses and lengths.
            stretches: &'a [u64],
        }
            answered: false, trace: LeftOut, stored: [], checks: [];

        /// Of a checked run: memory of the rank in windows that the program itself has read or written since the last call.
        65: LoadStore {
            /// Is it written?
            written: bool,
            /// True if the next call may order these accesses, and all earlier ones of the rank, before accesses of other ranks.
            released: bool,
            /// Where the program has done so first; 0 if that is not known.
            site: u64,
            /// Addresses and lengths; none if the call only tells what is released.
            stretches: &'a [u64],
        }
            answered: false, trace: LeftOut, stored: [], checks: [];
    }
}
