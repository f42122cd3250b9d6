//! Passes the standard output of ranks on to ours.

use std::collections::BTreeMap;
use std::io::{self, Write, stdout};

/// Writes the output of ranks, optionally with the rank in front of each line.
#[derive(Debug, Default)]
pub struct ProgramOutput {
    tagged: bool,
    /// The last byte that was passed on.
    last: Option<u8>,
    /// With tags: the unfinished line of each rank.
    begun: BTreeMap<u32, Vec<u8>>,
}

impl ProgramOutput {
    /// `tagged`: each line starts with `[1,RANK]<stdout>:`, as with Open MPI's `--tag-output`, and lines of different ranks do not mix.
    pub fn new(tagged: bool) -> ProgramOutput {
        ProgramOutput { tagged, ..ProgramOutput::default() }
    }

    /// The output of one rank.
    pub fn of(&mut self, rank: u32) -> RankOutput<'_> {
        RankOutput { output: self, rank }
    }

    /// Writes unfinished lines.
    pub fn finish(&mut self) -> io::Result<()> {
        for (rank, line) in std::mem::take(&mut self.begun) {
            self.pass_on_line(rank, &line)?;
            self.pass_on(b"\n")?;
        }
        stdout().flush()
    }

    /// True if the output does not end with a newline.
    pub fn ends_within_line(&self) -> bool {
        self.last.is_some_and(|byte| byte != b'\n')
    }

    fn write(&mut self, rank: u32, bytes: &[u8]) -> io::Result<()> {
        if !self.tagged {
            return self.pass_on(bytes);
        }
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let mut line = self.begun.remove(&rank).unwrap_or_default();
            line.extend_from_slice(piece);
            if line.ends_with(b"\n") {
                self.pass_on_line(rank, &line)?;
            } else {
                self.begun.insert(rank, line);
            }
        }
        Ok(())
    }

    fn pass_on_line(&mut self, rank: u32, line: &[u8]) -> io::Result<()> {
        self.pass_on(format!("[1,{rank}]<stdout>:").as_bytes())?;
        self.pass_on(line)
    }

    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.last = bytes.last().copied().or(self.last);
        stdout().write_all(bytes)
    }
}

/// The standard output of one rank.
pub struct RankOutput<'a> {
    output: &'a mut ProgramOutput,
    rank: u32,
}

impl Write for RankOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(self.rank, bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        stdout().flush()
    }
}
