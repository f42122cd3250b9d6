//! The numbers of TCP, with Linux's defaults.

use mpirage_units::Duration;

/// How the congestion window grows and shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CongestionAlgorithm {
    /// RFC 5681: one segment per round trip, half the window after a loss.
    Reno,
    /// RFC 9438, with the hybrid slow start.
    #[default]
    Cubic,
}

/// The numbers of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicSettings {
    /// The constant C of the window's growth, in segments per cubic second. Linux: 410/1024.
    pub scale: f64,
    /// The part of the window that remains after a loss, in 1024ths. Linux: 717, which is 0.7.
    pub beta: u32,
    /// Is the remembered maximum lowered further when the window did not reach it (to make room for others)?
    pub fast_convergence: bool,
    /// Does the window grow at least as fast as a window of Reno with the same losses would?
    pub friendly: bool,
    /// Does slow start end before losses, when acknowledgements come late or in a long train (HyStart)?
    pub hystart: bool,
    /// HyStart does nothing below this window, in segments.
    pub hystart_low_window: u32,
    /// Acknowledgements that follow each other this closely are a train.
    pub hystart_train_gap: Duration,
    /// Round trips that HyStart takes the least of before it compares.
    pub hystart_samples: u32,
    /// The least and the most increase of the round trip that ends slow start; between them it is an eighth of the round
    /// trip.
    pub hystart_delay: (Duration, Duration),
}

impl Default for CubicSettings {
    fn default() -> Self {
        CubicSettings {
            scale: 410.0 / 1024.0,
            beta: 717,
            fast_convergence: true,
            friendly: true,
            hystart: true,
            hystart_low_window: 16,
            hystart_train_gap: millis(2),
            hystart_samples: 8,
            hystart_delay: (millis(4), millis(16)),
        }
    }
}

/// The settings shared by all TCP connections of a network. The defaults are those of Linux 5 and 6 on Ethernet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpSettings {
    /// The largest IP packet of the link, in bytes (MTU).
    pub mtu: u32,
    /// Bytes of the link's header that count on the wire: Ethernet's, without preamble, check sequence and gap.
    pub link_header: u32,
    /// Bytes of the IP header: 20 for IPv4, 40 for IPv6.
    pub ip_header: u32,
    /// Do segments carry timestamps (12 bytes of options)?
    pub timestamps: bool,
    /// Are connections open from the start, without a handshake?
    pub preopened: bool,

    /// How the congestion window changes.
    pub algorithm: CongestionAlgorithm,
    /// The numbers of CUBIC.
    pub cubic: CubicSettings,
    /// The first congestion window, and the one after an idle time, in segments.
    pub initial_window: u32,
    /// The slow start threshold of a new connection, in segments; practically infinite unless routes know better.
    pub initial_ssthresh: u32,
    /// The largest congestion window, in segments.
    pub largest_window: u32,
    /// Does the window shrink while the application does not use it (tcp_slow_start_after_idle)?
    pub slow_start_after_idle: bool,

    /// The retransmission timeout before a round trip was measured.
    pub initial_rto: Duration,
    /// The least that is added to the smoothed round trip (TCP_RTO_MIN).
    pub minimum_rto: Duration,
    /// The largest timeout.
    pub maximum_rto: Duration,
    /// The margin added to the timers of tail loss probes and of the reordering window (TCP_TIMEOUT_MIN).
    pub timer_margin: Duration,
    /// The clock tick of the kernel (1/HZ), in which CUBIC sees the time.
    pub tick: Duration,
    /// The number of retransmissions of one segment after which the connection fails (tcp_retries2).
    pub retries: u32,
    /// The number of retransmissions of SYN or SYN-ACK after which the connection fails (tcp_syn_retries).
    pub syn_retries: u32,
    /// The number of segments that must overtake one before it counts as lost (tcp_reordering).
    pub reordering: u32,
    /// Is the last segment sent again after two round trips without an answer (tcp_early_retrans)?
    pub tail_loss_probe: bool,
    /// Are timeouts recognised that were too early (F-RTO, tcp_frto, and Eifel by timestamps)?
    pub undo: bool,

    /// Is congestion marked instead of dropping frames (tcp_ecn)?
    pub ecn: bool,
    /// Does a small segment wait while another small one is unacknowledged (no TCP_NODELAY)?
    pub nagle: bool,

    /// The least delay of an acknowledgement (TCP_DELACK_MIN and TCP_ATO_MIN).
    pub delayed_ack: Duration,
    /// The most (TCP_DELACK_MAX).
    pub delayed_ack_maximum: Duration,
    /// The number of immediate acknowledgements at the start and after a pause (TCP_MAX_QUICKACKS).
    pub quick_acks: u32,
    /// The number of answers within the delay after which a connection counts as interactive and stops to acknowledge at
    /// once (tcp_pingpong_thresh; 3 from Linux 5.1 to 5.18).
    pub pingpong_threshold: u32,
    /// The longest time for which selective acknowledgements are gathered (tcp_comp_sack_delay_ns); it is at most a
    /// twentieth of the round trip. Zero: each is sent at once.
    pub sack_delay: Duration,
    /// The most selective acknowledgements that are gathered (tcp_comp_sack_nr).
    pub sack_delay_count: u32,
    /// Answers to segments outside of the window have at least this distance (tcp_invalid_ratelimit).
    pub invalid_distance: Duration,

    /// The receive buffer of a new connection (the second number of tcp_rmem), in bytes.
    pub receive_buffer: u64,
    /// The largest receive buffer (the third number of tcp_rmem).
    pub receive_buffer_maximum: u64,
    /// Does the receive buffer grow with the rate (tcp_moderate_rcvbuf)?
    pub receive_autotuning: bool,
    /// The part of the receive buffer that payload can use; the rest is for the kernel's records (tcp_adv_win_scale).
    pub receive_payload_share: f64,
    /// Bytes per second at which the application reads; infinite: at once.
    pub reading_rate: f64,

    /// Bytes of payload that the send buffer takes at the initial window; it grows in proportion to the window.
    pub send_buffer: u64,
    /// The most that the send buffer takes (the third number of tcp_wmem).
    pub send_buffer_maximum: u64,
}

impl Default for TcpSettings {
    fn default() -> Self {
        TcpSettings {
            mtu: 1500,
            link_header: 14,
            ip_header: 20,
            timestamps: true,
            preopened: false,
            algorithm: CongestionAlgorithm::Cubic,
            cubic: CubicSettings::default(),
            initial_window: 10,
            initial_ssthresh: 0x7fff_ffff,
            largest_window: u32::MAX,
            slow_start_after_idle: true,
            initial_rto: millis(1000),
            minimum_rto: millis(200),
            maximum_rto: millis(120_000),
            timer_margin: millis(2),
            tick: millis(4),
            retries: 15,
            syn_retries: 6,
            reordering: 3,
            tail_loss_probe: true,
            undo: true,
            ecn: false,
            nagle: false,
            delayed_ack: millis(40),
            delayed_ack_maximum: millis(200),
            quick_acks: 16,
            pingpong_threshold: 1,
            sack_delay: millis(1),
            sack_delay_count: 44,
            invalid_distance: millis(500),
            receive_buffer: 131_072,
            receive_buffer_maximum: 6_291_456,
            receive_autotuning: true,
            receive_payload_share: 0.5,
            reading_rate: f64::INFINITY,
            send_buffer: 33_000,
            send_buffer_maximum: 4_194_304,
        }
    }
}

/// Bytes of a TCP header without options.
const TCP_HEADER: u32 = 20;
/// Bytes of the timestamps option, with padding.
const TIMESTAMPS: u32 = 12;
/// Bytes of the options that only SYN carries, with padding: segment size, selective acknowledgements permitted, window scale.
const SYN_OPTIONS: u32 = 8;
/// Linux computes with this segment size before it has seen another (TCP_MSS_DEFAULT).
const SMALL_SEGMENT: u32 = 536;
/// The largest number in the header's field for the window.
const WINDOW_FIELD: u64 = 65_535;

impl TcpSettings {
    /// The most payload of a segment without further options, in bytes.
    pub fn segment_size(&self) -> u32 {
        self.mtu.saturating_sub(self.ip_header + TCP_HEADER + self.options()).max(1)
    }

    /// The segment size that SYN says: options are not counted.
    pub(super) fn announced_segment_size(&self) -> u16 {
        self.mtu.saturating_sub(self.ip_header + TCP_HEADER).min(u32::from(u16::MAX)) as u16
    }

    /// Bytes on the wire of a segment's headers, without selective acknowledgements.
    pub fn header_bytes(&self) -> u32 {
        self.link_header + self.ip_header + TCP_HEADER + self.options()
    }

    /// Bytes on the wire of the headers of SYN. "Selective acknowledgements permitted" takes the padding of timestamps.
    pub(super) fn syn_header_bytes(&self) -> u32 {
        self.link_header + self.ip_header + TCP_HEADER + SYN_OPTIONS + TIMESTAMPS
    }

    /// The number of bits by which the window in headers is shifted.
    pub(super) fn window_scale(&self) -> u32 {
        self.receive_buffer_maximum.max(self.receive_buffer).max(1).ilog2().saturating_sub(15).min(14)
    }

    /// The largest window that a header can say.
    pub(super) fn largest_receive_window(&self) -> u64 {
        WINDOW_FIELD << self.window_scale()
    }

    /// The window that SYN says: it is not shifted.
    pub(super) fn first_receive_window(&self) -> u64 {
        let segment = u64::from(self.segment_size() + self.options());
        let space = self.payload_space(self.receive_buffer).min(WINDOW_FIELD);
        if space > segment { space - space % segment } else { space }
    }

    /// The payload that a receive buffer has room for.
    pub(super) fn payload_space(&self, buffer: u64) -> u64 {
        (buffer as f64 * self.receive_payload_share) as u64
    }

    /// The segment size that a receiver expects before the first segment.
    pub(super) fn expected_segment(&self) -> u32 {
        SMALL_SEGMENT.min(self.segment_size())
    }

    fn options(&self) -> u32 {
        if self.timestamps { TIMESTAMPS } else { 0 }
    }
}

/// Bytes of the option that reports `blocks` blocks, with padding.
pub(super) fn sack_option(blocks: u32) -> u32 {
    if blocks == 0 { 0 } else { 4 + 8 * blocks }
}

const fn millis(milliseconds: u64) -> Duration {
    Duration::from_picos(milliseconds * 1_000_000_000)
}
