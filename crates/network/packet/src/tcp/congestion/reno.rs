//! Reno (RFC 5681): slow start, then one segment per window of acknowledged segments; half the window after a loss.

use super::Window;

/// Segments were acknowledged.
pub(super) fn grow(window: &mut Window, segments: u32) {
    let left = if window.in_slow_start() { window.slow_start(segments) } else { segments };
    if left > 0 {
        window.grow_slowly(window.segments, left);
    }
}

/// The threshold after a loss.
pub(super) fn after_loss(window: u32) -> u32 {
    window >> 1
}
