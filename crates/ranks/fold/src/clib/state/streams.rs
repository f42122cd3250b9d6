//! The streams that a rank has open.

unsafe extern "C" {
    fn __fpurge(stream: *mut libc::FILE);
}

/// The streams that a rank has open, besides the standard ones.
#[derive(Default)]
pub(crate) struct Streams(Vec<*mut libc::FILE>);

impl Streams {
    pub(crate) fn add(&mut self, stream: *mut libc::FILE) {
        self.0.push(stream);
    }

    pub(crate) fn remove(&mut self, stream: *mut libc::FILE) {
        self.0.retain(|&other| other != stream);
    }

    /// The last one, which is the caller's to close.
    pub(crate) fn pop(&mut self) -> Option<*mut libc::FILE> {
        self.0.pop()
    }

    /// Closes all; what they still hold is lost, as with a process that ends abruptly.
    pub(crate) fn abandon(&mut self) {
        for stream in self.0.drain(..) {
            // SAFETY: open, since `fclose` takes streams off the list.
            unsafe {
                __fpurge(stream);
                libc::fclose(stream);
            }
        }
    }
}
