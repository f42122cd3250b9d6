//! The transport protocols themselves on a path that loses some frames, captured at the end that opens the connection.

use std::cell::RefCell;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use mpirage_packet::{
    Capture, Direction, Ecn, Endpoint, FrameView, InterfaceId, Lane, Sctp, SctpHeader, SnapLength, Station,
    Tcp, TcpHeader, TcpOnWire, TcpScale, WireHeader,
};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use crate::output;
use crate::pair::{End, Fate, Pair, Passing};

/// 1 Gbit/s.
const RATE: u64 = 125_000_000;
const DELAY: Duration = Duration::from_nanos(5_000_000);
const ENDS: [Station; 2] =
    [Station { host: HostId(0), port: 40_000 }, Station { host: HostId(1), port: 1_024 }];
/// Of so many frames of the sender one is lost.
const LOSES_ONE_OF: u64 = 211;
const MESSAGES: u64 = 100;

/// A protocol in captures.
trait Protocol: Endpoint<Settings: Default> + 'static {
    type Wire: WireHeader;
    const FILE: &str;
    const LANES: u64;

    fn on_wire(header: &Self::Header) -> Self::Wire;
    fn retransmissions(&self) -> u64;
}

impl Protocol for Tcp {
    type Wire = TcpOnWire;
    const FILE: &str = "tcp.pcapng";
    const LANES: u64 = 1;

    fn on_wire(header: &TcpHeader) -> TcpOnWire {
        TcpOnWire { header: *header, scale: TcpScale { mss: 1_460, window_shift: 7, timestamps: true } }
    }

    fn retransmissions(&self) -> u64 {
        self.counters().retransmitted
    }
}

impl Protocol for Sctp {
    type Wire = SctpHeader;
    const FILE: &str = "sctp.pcapng";
    const LANES: u64 = 3;

    fn on_wire(header: &SctpHeader) -> SctpHeader {
        *header
    }

    fn retransmissions(&self) -> u64 {
        self.counters().retransmitted
    }
}

/// Writes a capture of each protocol.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    transfer::<Tcp>(folder)?;
    transfer::<Sctp>(folder)
}

/// A long message and many short ones, and some back.
fn transfer<P: Protocol>(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut capture = Capture::new(output(folder, P::FILE)?, SnapLength::WHOLE)?;
    let interface = capture.interface("host0")?;
    let capture = Rc::new(RefCell::new(capture));
    let mut pair = path::<P, _>(Rc::clone(&capture), interface);
    pair.write(End::Active, Lane(0), 2_000_000);
    for message in 0..MESSAGES {
        let lane = Lane((message % P::LANES) as u16);
        pair.write(End::Active, lane, 10 + 333 * message);
        pair.write(End::Passive, lane, 77);
    }
    pair.run(Time::MAX);
    let (sent, received) = (pair.sent(End::Active), pair.sent(End::Passive));
    let retransmissions = pair.end(End::Active).retransmissions();
    drop(pair);
    Rc::into_inner(capture).ok_or("the path is gone")?.into_inner().finish()?.flush()?;
    println!("{} frames={} retransmissions={retransmissions} lanes={}", P::FILE, sent + received, P::LANES);
    Ok(())
}

/// A path that loses frames of the active end. What this end sends and receives is captured.
fn path<P: Protocol, W: Write + 'static>(
    capture: Rc<RefCell<Capture<W>>>,
    interface: InterfaceId,
) -> Pair<P> {
    let fates = move |passing: Passing<'_, P::Header>| {
        let mut capture = capture.borrow_mut();
        capture.flush(passing.leaves);
        let frame = frame(&passing, P::on_wire(&passing.segment.header));
        match passing.from {
            End::Active => capture.report(passing.leaves, interface, Direction::Outbound, &frame),
            End::Passive => capture.report(passing.arrives, interface, Direction::Inbound, &frame),
        }
        let is_lost = passing.from == End::Active && passing.number % LOSES_ONE_OF == LOSES_ONE_OF - 1;
        if is_lost { Fate::IsLost } else { Fate::Arrives }
    };
    Pair::new(&P::Settings::default(), RATE, DELAY, Box::new(fates))
}

fn frame<H, W: WireHeader>(passing: &Passing<'_, H>, header: W) -> FrameView<W> {
    let [active, passive] = ENDS;
    let (source, target) = if passing.from == End::Active { (active, passive) } else { (passive, active) };
    let frame = FrameView {
        source,
        target,
        header,
        payload: passing.segment.payload,
        ecn: Ecn::NotCapable,
        hops_left: 64,
        identification: passing.number as u16,
    };
    assert_eq!(frame.bytes(), passing.segment.payload + passing.segment.header_bytes, "bytes on the wire");
    frame
}
