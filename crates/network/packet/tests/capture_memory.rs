//! Once warm, a captured frame costs no memory.

mod counting;

use std::io;

use counting::allocations;
use mpirage_packet::{
    Capture, Direction, Ecn, FrameView, InterfaceId, SnapLength, Station, TcpHeader, TcpOnWire, TcpScale,
};
use mpirage_platform::HostId;
use mpirage_units::Time;

/// Reports frames whose stamps run a little ahead of the flushes.
fn report(capture: &mut Capture<io::Sink>, interface: InterfaceId, steps: std::ops::Range<u64>) {
    for step in steps {
        let header = TcpOnWire {
            header: TcpHeader::default(),
            scale: TcpScale { mss: 1_460, window_shift: 7, timestamps: true },
        };
        let frame = FrameView {
            source: Station { host: HostId(0), port: 1 },
            target: Station { host: HostId(1), port: 2 },
            header,
            payload: 1_448,
            ecn: Ecn::NotCapable,
            hops_left: 64,
            identification: step as u16,
        };
        let at = Time::from_picos(step * 1_000_000 + step * 7_919 % 50_000_000);
        capture.report(at, interface, Direction::Outbound, &frame);
        capture.flush(Time::from_picos(step * 1_000_000));
    }
}

#[test]
fn a_frame_costs_no_allocation() {
    for snap in [SnapLength::HEADERS, SnapLength::WHOLE] {
        let mut capture = Capture::new(io::sink(), snap).unwrap();
        let interface = capture.interface("host0").unwrap();
        report(&mut capture, interface, 0..10_000);
        let before = allocations();
        report(&mut capture, interface, 10_000..20_000);
        assert_eq!(allocations() - before, 0);
        assert_eq!(capture.frames(), 20_000);
    }
}
