//! Passes the standard output of ranks on to ours.

use std::collections::BTreeMap;
use std::io::{self, Write, stderr, stdout};

/// The prefix of each line of a rank.
type Tag = Box<dyn Fn(u32) -> String>;

/// Writes the output of ranks, optionally with the rank in front of each line.
#[derive(Default)]
pub struct ProgramOutput {
    /// Standard output belongs to something else.
    elsewhere: bool,
    tag: Option<Tag>,
    /// The last byte that was passed on.
    last: Option<u8>,
    /// With tags: the unfinished line of each rank.
    begun: BTreeMap<u32, Vec<u8>>,
}

impl ProgramOutput {
    /// `tagged`: each line starts with `[1,RANK]<stdout>:`, as with Open MPI's `--tag-output`, and lines of different ranks do not mix.
    pub fn new(tagged: bool) -> ProgramOutput {
        let tag = tagged.then(|| Box::new(|rank| format!("[1,{rank}]<stdout>:")) as Tag);
        ProgramOutput { tag, ..ProgramOutput::default() }
    }

    /// Each line starts with what `tag` says of its rank.
    pub fn with_tags(tag: impl Fn(u32) -> String + 'static) -> ProgramOutput {
        ProgramOutput { tag: Some(Box::new(tag)), ..ProgramOutput::default() }
    }

    /// Writes to standard error if standard output belongs to something else.
    pub fn elsewhere(self, elsewhere: bool) -> ProgramOutput {
        ProgramOutput { elsewhere, ..self }
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

    /// True if standard output does not end with a newline.
    pub fn ends_within_line(&self) -> bool {
        !self.elsewhere && self.last.is_some_and(|byte| byte != b'\n')
    }

    fn write(&mut self, rank: u32, bytes: &[u8]) -> io::Result<()> {
        if self.tag.is_none() {
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
        let tag = self.tag.as_ref().map(|tag| tag(rank)).unwrap_or_default();
        self.pass_on(tag.as_bytes())?;
        self.pass_on(line)
    }

    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.last = bytes.last().copied().or(self.last);
        match self.elsewhere {
            true => stderr().write_all(bytes),
            false => stdout().write_all(bytes),
        }
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
