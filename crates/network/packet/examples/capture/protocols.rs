//! The transport protocols themselves on a path that loses some frames, captured at the end that opens the connection.

use std::cell::RefCell;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use mpirage_packet::{
    Capture, Direction, Ecn, Endpoint, FrameView, InterfaceId, Lane, Sctp, SnapLength, Station, Tcp,
    WireHeader,
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

/// Is the frame with this number lost?
type IsLost = fn(u64) -> bool;

/// Writes a capture of each protocol.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let one_of_many = |number| number % LOSES_ONE_OF == LOSES_ONE_OF - 1;
    transfer::<Tcp>(folder, "tcp.pcapng", 1, one_of_many)?;
    transfer::<Tcp>(folder, "syn.pcapng", 1, |number| number < 2)?;
    transfer::<Sctp>(folder, "sctp.pcapng", 3, one_of_many)
}

/// A long message and many short ones, and some back.
fn transfer<E>(folder: &Path, name: &str, lanes: u64, is_lost: IsLost) -> Result<(), Box<dyn Error>>
where
    E: Endpoint<Settings: Default> + 'static,
{
    let mut capture = Capture::new(output(folder, name)?, SnapLength::WHOLE)?;
    let interface = capture.interface("host0")?;
    let capture = Rc::new(RefCell::new(capture));
    let mut pair = path::<E, _>(Rc::clone(&capture), interface, is_lost);
    pair.write(End::Active, Lane(0), 2_000_000);
    for message in 0..MESSAGES {
        let lane = Lane((message % lanes) as u16);
        pair.write(End::Active, lane, 10 + 333 * message);
        pair.write(End::Passive, lane, 77);
    }
    pair.run(Time::MAX);
    let (sent, received) = (pair.sent(End::Active), pair.sent(End::Passive));
    let retransmissions = pair.end(End::Active).counts().retransmissions;
    drop(pair);
    Rc::into_inner(capture).ok_or("the path is gone")?.into_inner().finish()?.flush()?;
    println!("{name} frames={} retransmissions={retransmissions} lanes={lanes}", sent + received);
    Ok(())
}

/// A path that loses frames of the active end. What this end sends and receives is captured.
fn path<E, W: Write + 'static>(
    capture: Rc<RefCell<Capture<W>>>,
    interface: InterfaceId,
    is_lost: IsLost,
) -> Pair<E>
where
    E: Endpoint<Settings: Default> + 'static,
{
    let fates = move |passing: Passing<'_, E::Header>| {
        let mut capture = capture.borrow_mut();
        capture.flush(passing.leaves);
        let frame = frame(&passing, E::on_wire(&E::Settings::default(), passing.segment));
        match passing.from {
            End::Active => capture.report(passing.leaves, interface, Direction::Outbound, &frame),
            End::Passive => capture.report(passing.arrives, interface, Direction::Inbound, &frame),
        }
        if passing.from == End::Active && is_lost(passing.number) { Fate::IsLost } else { Fate::Arrives }
    };
    Pair::new(&E::Settings::default(), RATE, DELAY, Box::new(fates))
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
