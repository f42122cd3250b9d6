//! Small programs, compiled and folded.
#![allow(dead_code, reason = "each test file uses its part")]

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_fold::{
    Environment, FoldedRanks, Image, Libraries, Linked, Options, OwnLibraries, Refusal, Stop, c_library,
    current_rank, pass_turn,
};

static ONE_CREW: Mutex<()> = Mutex::new(());

/// There is one ranks per process, and tests are threads of one.
pub fn alone() -> MutexGuard<'static, ()> {
    ONE_CREW.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compiles a program to be folded.
pub fn compile_with(name: &str, compiler: &str, extension: &str, source: &str, flags: &[&str]) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = directory.join(format!("{name}.{extension}"));
    let program = directory.join(name);
    std::fs::write(&file, source).expect("the source can be written");
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g"]).args(flags).arg(&file).arg("-o").arg(&program).arg("-lm");
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{compiler}: {error}; `tests/prepare.py` installs it"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

pub const FOLDABLE: [&str; 3] = ["-fPIC", "-shared", "-Wl,-Bsymbolic"];

pub fn compile(name: &str, source: &str) -> PathBuf {
    compile_with(name, "gcc", "c", source, &FOLDABLE)
}

pub fn compile_cpp(name: &str, source: &str) -> PathBuf {
    compile_with(name, "g++", "cc", source, &FOLDABLE)
}

/// Standard output and error, and the exit code, of the same source as a process of its own.
pub fn native(name: &str, source: &str, arguments: &[&str]) -> (String, String, i32) {
    let alone = format!("int rank(void) {{ return 0; }} void turn(void) {{}}\n{source}");
    let program = compile_with(&format!("{name}-native"), "gcc", "c", &alone, &[]);
    let mut command = Command::new(program);
    command.env_clear().env("COLOUR", "red").env("LIST", "a:b:c").args(arguments);
    let output = std::os::unix::process::CommandExt::arg0(&mut command, "program").output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap_or(-1))
}

extern "C" fn test_turn() {
    pass_turn();
}

extern "C" fn test_rank() -> i32 {
    current_rank().map_or(-1, |rank| rank as i32)
}

/// Links a program with its libraries and the tests' own functions `turn()` and `rank()`.
pub fn link(program: &Path) -> Result<Linked, Refusal> {
    let mut image = Image::open(program)?;
    image.include(OwnLibraries::of(&image)?);
    // Ordinary executables have them from a library, so that they can be linked.
    image.share(&|name| ["turn", "rank"].contains(&name));
    let libraries = Libraries::load(&image, &|_| false)?;
    image.link(&mut |name, version| match name {
        "turn" => Some(test_turn as *const () as usize),
        "rank" => Some(test_rank as *const () as usize),
        _ => c_library(name).or_else(|| libraries.find(name, version)),
    })
}

/// Ranks of one program.
pub struct Run {
    pub ranks: FoldedRanks,
    pub ends: Vec<Option<Stop>>,
    pub outputs: Vec<String>,
    /// The standard error of all of them.
    pub errors: String,
    _alone: MutexGuard<'static, ()>,
}

pub fn options(ranks: usize) -> Options {
    Options { ranks, stack: None, mapped: None }
}

pub fn load(program: &Path, arguments: &[&str], options: Options) -> Run {
    let alone = alone();
    let linked = link(program).expect("it can be folded");
    let mut ranks = FoldedRanks::new(options).expect("there is room");
    let all: Vec<CString> =
        ["program"].iter().chain(arguments).map(|text| CString::new(*text).expect("no zero")).collect();
    let environment = Environment::new(vec![c"COLOUR=red".into(), c"LIST=a:b:c".into()]);
    for rank in 0..options.ranks {
        assert_eq!(ranks.add(&linked, &all, &environment).expect("there is room"), rank);
    }
    Run {
        ranks,
        ends: vec![None; options.ranks],
        outputs: vec![String::new(); options.ranks],
        errors: String::new(),
        _alone: alone,
    }
}

impl Run {
    /// Resumes all ranks in turn until all have ended.
    pub fn until_the_end(mut self) -> Self {
        let errors = Errors::capture();
        while self.round() {}
        self.errors = errors.end();
        self
    }

    /// Resumes each rank that has not ended once. Is there one left?
    pub fn round(&mut self) -> bool {
        let mut left = false;
        for rank in 0..self.ends.len() {
            if self.ends[rank].is_none() {
                let stop = self.ranks.resume(rank);
                self.outputs[rank] += &String::from_utf8_lossy(&self.ranks.take_output(rank));
                if stop == Stop::Yielded {
                    left = true;
                } else {
                    self.ends[rank] = Some(stop);
                }
            }
        }
        left
    }

    pub fn codes(&self) -> Vec<i32> {
        let code = |end: &Option<Stop>| match end {
            Some(Stop::Exited(code)) => *code,
            other => panic!("did not exit: {other:?}"),
        };
        self.ends.iter().map(code).collect()
    }
}

pub fn run(program: &Path, ranks: usize, arguments: &[&str]) -> Run {
    load(program, arguments, options(ranks)).until_the_end()
}

/// Standard error of this process, caught in a memory file. Only who is `alone` may do that.
struct Errors {
    before: OwnedFd,
    caught: File,
}

impl Errors {
    fn capture() -> Self {
        // SAFETY: system calls on descriptors of ours; each new one has one owner.
        unsafe {
            let before = OwnedFd::from_raw_fd(libc::dup(2));
            let caught = File::from_raw_fd(libc::memfd_create(c"errors".as_ptr(), 0));
            assert_eq!(libc::dup2(caught.as_raw_fd(), 2), 2);
            Self { before, caught }
        }
    }

    fn end(mut self) -> String {
        // SAFETY: what was standard error before.
        assert_eq!(unsafe { libc::dup2(self.before.as_raw_fd(), 2) }, 2);
        let mut text = String::new();
        self.caught.rewind().expect("a memory file");
        self.caught.read_to_string(&mut text).expect("text");
        text
    }
}
