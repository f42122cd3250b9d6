//! Packets of RoCEv2 that follow a script.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use mpirage_packet::{
    Capture, Direction, Ecn, FrameView, InterfaceId, RdmaKind, RoceOnWire, SnapLength, Station,
};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use crate::output;

const MTU: u32 = 4_096;
const SPACING: Duration = Duration::from_nanos(340);
const SENDER: Station = Station { host: HostId(0), port: 1 };
const RECEIVER: Station = Station { host: HostId(1), port: 2 };

/// Writes of these lengths; each is acknowledged. One packet is missing the first time.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let lengths = [0, 1, 2, 3, 4, 4_095, 4_096, 4_097, 40_000];
    let mut script = Script::new(Capture::new(output(folder, "roce.pcapng")?, SnapLength::WHOLE)?)?;
    lengths.into_iter().for_each(|bytes| script.write(bytes));
    let missing = script.number;
    script.answer(RdmaKind::SequenceError, missing);
    script.write(10_000);
    script.answer(RdmaKind::Congestion, 0);
    script.capture.finish()?.flush()?;
    println!("roce.pcapng frames={} writes={} errors=1 notifications=1", script.sent, lengths.len() + 1);
    Ok(())
}

struct Script<W> {
    capture: Capture<W>,
    interface: InterfaceId,
    now: Time,
    number: u64,
    sent: u64,
}

impl<W: Write> Script<W> {
    fn new(mut capture: Capture<W>) -> Result<Script<W>, Box<dyn Error>> {
        let interface = capture.interface("host0")?;
        Ok(Script { capture, interface, now: Time::ZERO, number: 0, sent: 0 })
    }

    /// An RDMA write and its acknowledgement.
    fn write(&mut self, bytes: u32) {
        let packets = bytes.div_ceil(MTU).max(1);
        for packet in 0..packets {
            let payload = MTU.min(bytes - packet * MTU);
            let kind = RdmaKind::Data { first: packet == 0, last: packet + 1 == packets };
            self.packet(SENDER, RECEIVER, RoceOnWire { packet: kind, number: self.number, payload });
            self.number += 1;
        }
        self.answer(RdmaKind::Acknowledgement, self.number);
    }

    fn answer(&mut self, packet: RdmaKind, number: u64) {
        self.packet(RECEIVER, SENDER, RoceOnWire { packet, number, payload: 0 });
    }

    fn packet(&mut self, source: Station, target: Station, header: RoceOnWire) {
        let frame = FrameView {
            source,
            target,
            header,
            payload: header.payload,
            ecn: Ecn::Capable,
            hops_left: 64,
            identification: self.sent as u16,
        };
        let direction = if source == SENDER { Direction::Outbound } else { Direction::Inbound };
        self.capture.report(self.now, self.interface, direction, &frame);
        self.now += SPACING;
        self.sent += 1;
    }
}
