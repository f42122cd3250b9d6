//! The send buffer: how much the application can write.
//!
//! Linux lets the buffer grow with the congestion window and never takes it back. A writer that has found it full is woken
//! when a third of it is free.

use super::settings::TcpSettings;

/// The send buffer.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    /// Bytes written and not acknowledged.
    held: u64,
    limit: u64,
    /// The writer has found it full and sleeps.
    full: bool,
    /// The limit at the initial window, that window, and the largest limit.
    initial: u64,
    window: u64,
    largest: u64,
    /// The largest congestion window so far.
    grown_to: u32,
}

impl SendBuffer {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        let initial = settings.send_buffer.min(settings.send_buffer_maximum).max(1);
        SendBuffer {
            held: 0,
            limit: initial,
            full: false,
            initial,
            window: u64::from(settings.initial_window.max(1)),
            largest: settings.send_buffer_maximum,
            grown_to: settings.initial_window,
        }
    }

    /// Bytes that can be written now.
    pub(super) fn room(&self) -> u64 {
        if self.full { 0 } else { self.limit.saturating_sub(self.held) }
    }

    pub(super) fn write(&mut self, bytes: u64) {
        self.held += bytes;
        self.full = self.held >= self.limit;
    }

    /// `bytes` have been acknowledged, and the congestion window has so many segments.
    pub(super) fn release(&mut self, bytes: u64, window: u32) {
        self.held -= bytes;
        if window > self.grown_to {
            self.grown_to = window;
            let grown = self.initial * u64::from(window) / self.window;
            self.limit = self.limit.max(grown.min(self.largest));
        }
        if 3 * self.held <= 2 * self.limit {
            self.full = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_found_it_full_waits_until_a_third_is_free() {
        let mut buffer = SendBuffer::new(&TcpSettings::default());
        assert_eq!(buffer.room(), 33_000);
        buffer.write(33_000);
        buffer.release(10_999, 10);
        assert_eq!(buffer.room(), 0);
        buffer.release(1, 10);
        assert_eq!(buffer.room(), 11_000);
    }

    #[test]
    fn the_limit_grows_with_the_window_up_to_its_maximum_and_stays() {
        let mut buffer = SendBuffer::new(&TcpSettings::default());
        buffer.release(0, 25);
        assert_eq!(buffer.room(), 82_500);
        buffer.release(0, 10);
        assert_eq!(buffer.room(), 82_500);
        buffer.release(0, 100_000);
        assert_eq!(buffer.room(), 4_194_304);
    }
}
