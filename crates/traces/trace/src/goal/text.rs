//! GOAL as text: one line per operation or dependency, one rank after the other.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! a: calc 1000
//! b: send 8b to 1 tag 7
//! b requires a
//! }
//! rank 1 {
//! recv 8b from 0 tag 7
//! }
//! ```

use std::collections::HashMap;
use std::ops::Range;

use mpirage_units::counted;

use super::graph::{ANY, Dependency, Op, OpKind, RankSchedule};
use crate::source::{Source, Window};
use crate::{TraceError, TracePlace};

/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// Reads the schedules of ranks, one rank at a time.
pub(crate) struct TextReader {
    source: Source,
    window: Window,
    /// The line in the window.
    line: Range<usize>,
    /// Where in the line the next token begins.
    at: usize,
    in_comment: bool,
    ranks: Option<u32>,
    /// The next rank that is to come.
    next: u32,
    labels: HashMap<Box<[u8]>, u32>,
    /// Dependencies on labels that had not been seen.
    open: Vec<Open>,
    /// The line of each operation of the last rank.
    lines: Vec<u32>,
}

struct Open {
    later: Box<[u8]>,
    earlier: Box<[u8]>,
    start: bool,
    line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// Letters, digits and underscores: where they are in the line.
    Word(usize, usize),
    Number(u64),
    /// `-1`
    Any,
    Colon,
    Opening,
    Closing,
}

impl TextReader {
    /// Reads up to the number of ranks.
    pub fn new(source: Source) -> Result<TextReader, TraceError> {
        let mut reader = TextReader {
            source,
            window: Window::default(),
            line: 0..0,
            at: 0,
            in_comment: false,
            ranks: None,
            next: 0,
            labels: HashMap::new(),
            open: Vec::new(),
            lines: Vec::new(),
        };
        match reader.item()? {
            Some(token) if reader.is(token, "num_ranks") => {
                let ranks = reader.count("the number of ranks", u32::MAX - 1)?;
                reader.ranks = Some(ranks);
                if ranks == 0 {
                    return Err(reader.bad("there is no rank"));
                }
                Ok(reader)
            }
            _ => Err(reader.bad("a schedule begins with `num_ranks` and their number")),
        }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks.unwrap_or(0)
    }

    /// The lines of the operations of the rank that was read last.
    pub fn lines(&self) -> &[u32] {
        &self.lines
    }

    /// Says what is wrong with an operation of the rank that was read last.
    pub fn bad_op(&self, op: u32, problem: impl Into<String>) -> TraceError {
        let line = self.lines.get(op as usize).copied().unwrap_or(0);
        TraceError::bad(self.source.name(), TracePlace::Line(line.into()), problem)
    }

    /// Reads the next rank; none after the last.
    pub fn next_rank(&mut self) -> Result<Option<RankSchedule>, TraceError> {
        let Some(token) = self.item()? else {
            return if self.next == self.ranks() {
                Ok(None)
            } else {
                let (ranks, next) = (self.ranks(), self.next);
                Err(self.bad(format!(
                    "the schedule is of {}, but there is no rank {next}",
                    counted(ranks, "rank")
                )))
            };
        };
        if !self.is(token, "rank") {
            return Err(self.bad("`rank` and its number are missing here"));
        }
        let rank = self.count("a rank", u32::MAX)?;
        if rank >= self.ranks() {
            return Err(self.bad(format!("there is no rank {rank} among {}", self.ranks())));
        }
        if rank != self.next {
            return Err(self.bad(format!("rank {rank} comes where rank {} should", self.next)));
        }
        self.next += 1;
        match self.token()? {
            Some(Token::Opening) => self.rank().map(Some),
            _ => Err(self.bad("`{` is missing after the rank")),
        }
    }

    fn rank(&mut self) -> Result<RankSchedule, TraceError> {
        self.labels.clear();
        self.lines.clear();
        let mut schedule = RankSchedule::default();
        loop {
            match self.item()? {
                Some(Token::Closing) => break,
                Some(Token::Word(from, to)) => self.statement(from, to, &mut schedule)?,
                Some(_) => return Err(self.bad("an operation, a label or `}` is missing here")),
                None => return Err(self.bad("the file ends within a rank; `}` is missing")),
            }
        }
        for open in std::mem::take(&mut self.open) {
            let (later, earlier) =
                (self.label(&open.later, open.line)?, self.label(&open.earlier, open.line)?);
            schedule.dependencies.push(Dependency { later, earlier, start: open.start });
        }
        Ok(schedule)
    }

    /// An operation, an operation with a label, or a dependency.
    fn statement(&mut self, from: usize, to: usize, schedule: &mut RankSchedule) -> Result<(), TraceError> {
        if let Some(kind) = kind_of(&self.line()[from..to]) {
            return self.op(kind, schedule);
        }
        match self.token()? {
            Some(Token::Colon) => {
                let number = schedule.ops.len() as u32;
                let label: Box<[u8]> = self.line()[from..to].into();
                if self.labels.insert(label, number).is_some() {
                    let label = String::from_utf8_lossy(&self.line()[from..to]).into_owned();
                    return Err(self.bad(format!("the label `{label}` is used twice in this rank")));
                }
                let kind = match self.token()? {
                    Some(Token::Word(from, to)) => kind_of(&self.line()[from..to]),
                    _ => None,
                };
                match kind {
                    Some(kind) => self.op(kind, schedule),
                    None => Err(self.bad("`calc`, `send` or `recv` is missing after the label")),
                }
            }
            Some(token) if self.is(token, "requires") => self.dependency(from, to, false, schedule),
            Some(token) if self.is(token, "irequires") => self.dependency(from, to, true, schedule),
            _ => Err(self.bad("`:`, `requires` or `irequires` is missing after the label")),
        }
    }

    fn dependency(
        &mut self,
        from: usize,
        to: usize,
        start: bool,
        schedule: &mut RankSchedule,
    ) -> Result<(), TraceError> {
        let Some(Token::Word(other_from, other_to)) = self.token()? else {
            return Err(self.bad("the label of another operation is missing"));
        };
        let (later, earlier) = (&self.line()[from..to], &self.line()[other_from..other_to]);
        match (self.labels.get(later), self.labels.get(earlier)) {
            (Some(&later), Some(&earlier)) => {
                schedule.dependencies.push(Dependency { later, earlier, start })
            }
            _ => self.open.push(Open {
                later: later.into(),
                earlier: earlier.into(),
                start,
                line: self.number(),
            }),
        }
        self.end_of_line()?;
        self.not_too_many(schedule.dependencies.len() + self.open.len())
    }

    fn not_too_many(&self, count: usize) -> Result<(), TraceError> {
        if count > i32::MAX as usize {
            return Err(self.bad("a rank has too many operations or dependencies"));
        }
        Ok(())
    }

    fn op(&mut self, kind: OpKind, schedule: &mut RankSchedule) -> Result<(), TraceError> {
        let mut op = Op { kind, size: self.size()?, peer: 0, tag: 0, cpu: 0, nic: 0 };
        if kind != OpKind::Calc {
            self.keyword("b")?;
            self.keyword(if kind == OpKind::Send { "to" } else { "from" })?;
            op.peer = self.number_or_any("a rank", kind == OpKind::Recv)?;
            if op.peer != ANY && op.peer >= self.ranks() {
                return Err(self.bad(format!("there is no rank {} among {}", op.peer, self.ranks())));
            }
        }
        self.options(&mut op)?;
        schedule.ops.push(op);
        self.lines.push(u32::try_from(self.number()).unwrap_or(u32::MAX));
        self.not_too_many(schedule.ops.len())
    }

    fn options(&mut self, op: &mut Op) -> Result<(), TraceError> {
        let message = op.kind != OpKind::Calc;
        while let Some(token) = self.token()? {
            if token == Token::Closing {
                self.at -= 1;
                return Ok(());
            } else if message && self.is(token, "tag") {
                op.tag = self.number_or_any("a tag", op.kind == OpKind::Recv)?;
                if op.tag != ANY && op.tag > i32::MAX as u32 {
                    return Err(self.bad(format!("the tag {} is larger than {}", op.tag, i32::MAX)));
                }
            } else if self.is(token, "cpu") {
                op.cpu = self.count("a processor", 255)? as u8;
            } else if message && self.is(token, "nic") {
                op.nic = self.count("a network interface", 255)? as u8;
            } else {
                let known = if message { "`tag`, `cpu`, `nic`" } else { "`cpu`" };
                return Err(self.bad(format!("{known} or the end of the line is missing here")));
            }
        }
        Ok(())
    }

    fn size(&mut self) -> Result<u64, TraceError> {
        match self.token()? {
            Some(Token::Number(size)) => Ok(size),
            _ => Err(self.bad("a size is missing: bytes of a message, nanoseconds of computation")),
        }
    }

    fn number_or_any(&mut self, what: &str, may_be_any: bool) -> Result<u32, TraceError> {
        match self.token()? {
            Some(Token::Number(number)) if number < u64::from(ANY) => Ok(number as u32),
            Some(Token::Any) if may_be_any => Ok(ANY),
            Some(Token::Any) => Err(self.bad(format!("{what} of a send cannot be any"))),
            Some(Token::Number(number)) => Err(self.bad(format!("{number} is too large for {what}"))),
            _ => Err(self.bad(format!("{what} is missing"))),
        }
    }

    fn count(&mut self, what: &str, most: u32) -> Result<u32, TraceError> {
        match self.token()? {
            Some(Token::Number(number)) if number <= most.into() => Ok(number as u32),
            Some(Token::Number(number)) => Err(self.bad(format!("{number} is too large for {what}"))),
            _ => Err(self.bad(format!("{what} is missing"))),
        }
    }

    fn keyword(&mut self, word: &str) -> Result<(), TraceError> {
        match self.token()? {
            Some(token) if self.is(token, word) => Ok(()),
            _ => Err(self.bad(format!("`{word}` is missing here"))),
        }
    }

    fn end_of_line(&mut self) -> Result<(), TraceError> {
        match self.token()? {
            None => Ok(()),
            Some(Token::Closing) => {
                self.at -= 1;
                Ok(())
            }
            Some(_) => Err(self.bad("the line should end here")),
        }
    }

    fn label(&self, label: &[u8], line: u64) -> Result<u32, TraceError> {
        self.labels.get(label).copied().ok_or_else(|| {
            let label = String::from_utf8_lossy(label);
            let problem = format!("no operation of this rank has the label `{label}`");
            TraceError::bad(self.source.name(), TracePlace::Line(line), problem)
        })
    }

    fn is(&self, token: Token, word: &str) -> bool {
        matches!(token, Token::Word(from, to) if &self.line()[from..to] == word.as_bytes())
    }

    fn line(&self) -> &[u8] {
        self.window.text(self.line.clone())
    }

    /// The number of the line.
    fn number(&self) -> u64 {
        self.window.lines()
    }

    fn bad(&self, problem: impl Into<String>) -> TraceError {
        TraceError::bad(self.source.name(), TracePlace::Line(self.number()), problem)
    }

    /// The next token, in this line or in one that follows.
    fn item(&mut self) -> Result<Option<Token>, TraceError> {
        loop {
            if let Some(token) = self.token()? {
                return Ok(Some(token));
            }
            (self.line, self.at) = (0..0, 0);
            let Some(line) = self.window.line(|at, into| self.source.append(at, CHUNK, into))? else {
                return Ok(None);
            };
            self.line = line;
        }
    }

    /// The next token of this line.
    fn token(&mut self) -> Result<Option<Token>, TraceError> {
        self.skip();
        let from = self.at;
        let Some(&first) = self.line().get(from) else { return Ok(None) };
        self.at += 1;
        Ok(Some(match first {
            b':' => Token::Colon,
            b'{' => Token::Opening,
            b'}' => Token::Closing,
            b'-' if self.line().get(self.at) == Some(&b'1') => {
                self.at += 1;
                Token::Any
            }
            b'0'..=b'9' => {
                self.at = self.end_of(from, |byte| byte.is_ascii_digit());
                let digits = std::str::from_utf8(&self.line()[from..self.at]).unwrap_or_default();
                Token::Number(digits.parse().map_err(|_| self.bad(format!("{digits} is too large")))?)
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                self.at = self.end_of(from, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
                Token::Word(from, self.at)
            }
            other => {
                let other = char::from(other).escape_default();
                return Err(self.bad(format!("`{other}` means nothing here")));
            }
        }))
    }

    fn end_of(&self, from: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let rest = self.line()[from..].iter().position(|&byte| !belongs(byte));
        rest.map_or(self.line().len(), |length| from + length)
    }

    /// Skips blanks and comments, up to the end of the line.
    fn skip(&mut self) {
        loop {
            let rest = &self.line()[self.at..];
            if self.in_comment {
                match rest.windows(2).position(|two| two == b"*/") {
                    Some(end) => (self.at, self.in_comment) = (self.at + end + 2, false),
                    None => return self.at = self.line().len(),
                }
            } else if rest.starts_with(b"//") {
                return self.at = self.line().len();
            } else if rest.starts_with(b"/*") {
                (self.at, self.in_comment) = (self.at + 2, true);
            } else if rest.first().is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            } else {
                return;
            }
        }
    }
}

fn kind_of(word: &[u8]) -> Option<OpKind> {
    match word {
        b"send" => Some(OpKind::Send),
        b"recv" => Some(OpKind::Recv),
        b"calc" => Some(OpKind::Calc),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(text: &str) -> Result<Vec<RankSchedule>, TraceError> {
        let mut reader = TextReader::new(Source::memory(Path::new("x.goal"), text.into()))?;
        let mut ranks = Vec::new();
        while let Some(rank) = reader.next_rank()? {
            ranks.push(rank);
        }
        Ok(ranks)
    }

    fn problem(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn operations_options_and_comments_are_read() {
        let text = "// head\nnum_ranks 2 /* two\nlines */\nrank 0 { l1: calc 5 cpu 3 // trailing\n\
                    send 10 b to 1 tag 4 cpu 1 nic 2\nb: recv 7b from -1 tag -1\nb requires l1\r\nl1 irequires b }\n\nrank 1 {}\n";
        let ranks = read(text).unwrap();
        let op = |kind, size, peer, tag, cpu, nic| Op { kind, size, peer, tag, cpu, nic };
        assert_eq!(
            ranks[0].ops,
            [
                op(OpKind::Calc, 5, 0, 0, 3, 0),
                op(OpKind::Send, 10, 1, 4, 1, 2),
                op(OpKind::Recv, 7, ANY, ANY, 0, 0)
            ]
        );
        let edge = |later, earlier, start| Dependency { later, earlier, start };
        assert_eq!(ranks[0].dependencies, [edge(2, 0, false), edge(0, 2, true)]);
        assert_eq!(ranks[1], RankSchedule::default());
    }

    #[test]
    fn a_label_may_be_used_before_it_is_given() {
        let ranks = read("num_ranks 1\nrank 0 {\na requires b\na: calc 1\nb: calc 2\n}").unwrap();
        assert_eq!(ranks[0].dependencies, [Dependency { later: 0, earlier: 1, start: false }]);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let rank = |lines: &str| problem(&format!("num_ranks 2\nrank 0 {{\n{lines}\n}}\nrank 1 {{\n}}"));
        let starts = |text: String, with: &str| assert!(text.starts_with(with), "{text}");
        starts(rank("calc 1\nsend 5b to 2"), "x.goal:4: there is no rank 2 among 2");
        starts(rank("a: calc 1\na: calc 2"), "x.goal:4: the label `a` is used twice");
        starts(rank("a: calc 1\na requires c\n"), "x.goal:4: no operation of this rank has the label `c`");
        starts(rank("send 5 to 1"), "x.goal:3: `b` is missing");
        starts(rank("send 5b from 1"), "x.goal:3: `to` is missing");
        starts(rank("send 5b to -1"), "x.goal:3: a rank of a send cannot be any");
        starts(rank("recv 5b from 1 tag 3000000000"), "x.goal:3: the tag 3000000000");
        starts(rank("calc 1 nic 3"), "x.goal:3: `cpu` or the end");
        starts(rank("calc 1 cpu 256"), "x.goal:3: 256 is too large for a processor");
        starts(rank("calc 99999999999999999999"), "x.goal:3: 99999999999999999999 is too large");
        starts(rank("?"), "x.goal:3: `?` means nothing");
        starts(
            problem("num_ranks 2\nrank 0 {\n}\n"),
            "x.goal:3: the schedule is of 2 ranks, but there is no rank 1",
        );
        starts(problem("num_ranks 2\nrank 1 {\n}\n"), "x.goal:2: rank 1 comes where rank 0 should");
        starts(problem("num_ranks 1\nrank 0 {\n}\nrank 1 {\n}"), "x.goal:4: there is no rank 1 among 1");
        starts(problem("num_ranks 1\nrank 0 {\ncalc 1\n"), "x.goal:3: the file ends within a rank");
        starts(problem("rank 0 {\n}"), "x.goal:1: a schedule begins with `num_ranks`");
        starts(problem("num_ranks 0"), "x.goal:1: there is no rank");
    }
}
