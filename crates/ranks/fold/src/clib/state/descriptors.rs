//! The table of a rank's open files.

use std::ffi::c_int;

/// The file behind a rank's file descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    /// The simulator's standard input for rank 0; nothing for the others.
    Input,
    /// The rank's standard output.
    Output,
    /// The simulator's standard error.
    Error,
    /// A descriptor of this process that this number owns.
    Own(c_int),
    /// A descriptor of this process that belongs to a stream or a directory of the rank, which will close it.
    Lent(c_int),
}

impl File {
    /// The standard file of this number.
    pub(crate) fn standard(number: c_int) -> Option<Self> {
        *STANDARD.get(usize::try_from(number).ok()?)?
    }

    /// Closes it, if its number owns it.
    pub(crate) fn close(self) -> c_int {
        match self {
            // SAFETY: this number was its only owner.
            Self::Own(descriptor) => unsafe { libc::close(descriptor) },
            Self::Lent(_) | Self::Input | Self::Output | Self::Error => 0,
        }
    }
}

/// The standard files, by number.
const STANDARD: [Option<File>; 3] = [Some(File::Input), Some(File::Output), Some(File::Error)];

/// The open files of a rank.
pub(crate) struct Descriptors {
    table: Vec<Option<File>>,
}

impl Default for Descriptors {
    fn default() -> Self {
        Self { table: STANDARD.to_vec() }
    }
}

impl Descriptors {
    pub(crate) fn get(&self, number: c_int) -> Option<File> {
        *self.table.get(usize::try_from(number).ok()?)?
    }

    /// Gives a file the lowest free number from `least` on.
    pub(crate) fn insert(&mut self, file: File, least: usize) -> c_int {
        let taken = |entry: &Option<File>| entry.is_some();
        let free = (least..self.table.len()).find(|&at| !taken(&self.table[at]));
        let at = free.unwrap_or_else(|| least.max(self.table.len()));
        self.put(file, at)
    }

    /// Gives a file this number.
    pub(crate) fn put(&mut self, file: File, at: usize) -> c_int {
        if at >= self.table.len() {
            self.table.resize(at + 1, None);
        }
        self.table[at] = Some(file);
        at as c_int
    }

    pub(crate) fn remove(&mut self, number: c_int) -> Option<File> {
        self.table.get_mut(usize::try_from(number).ok()?)?.take()
    }

    /// The number under which a stream or directory with this descriptor is known.
    pub(crate) fn lent(&self, descriptor: c_int) -> Option<usize> {
        self.table.iter().position(|&entry| entry == Some(File::Lent(descriptor)))
    }

    /// One more than the largest number that may be in use.
    pub(crate) fn end(&self) -> usize {
        self.table.len()
    }
}

impl Drop for Descriptors {
    fn drop(&mut self) {
        for file in self.table.drain(..).flatten() {
            // The result does not matter: the rank is gone.
            let _ = file.close();
        }
    }
}
