//! A place to compile C programs against the library under test, and to run them.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

/// A directory of its own for one test, with the library under its soname; gone afterwards.
pub struct Workshop {
    dir: PathBuf,
}

/// A compiled program, ready to run.
pub struct Program<'a> {
    workshop: &'a Workshop,
    path: PathBuf,
    preloaded: Option<PathBuf>,
}

/// How a program ended.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The shared library that cargo built beside this test.
pub fn library() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    test.parent().expect("a test is in a directory").join("libmpi_abi.so")
}

impl Workshop {
    pub fn new(name: &str) -> Workshop {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
        fs::create_dir_all(&dir).expect("the target directory is writable");
        std::os::unix::fs::symlink(library(), dir.join("libmpi_abi.so.1")).expect("a fresh directory");
        Workshop { dir }
    }

    /// Compiles a C program and links it with the library.
    pub fn program(&self, name: &str, source: &str) -> Program<'_> {
        Program { workshop: self, path: self.compile(name, source, &[]), preloaded: None }
    }

    /// Compiles a shared library of C that a program can be run with.
    pub fn shared_library(&self, name: &str, source: &str) -> PathBuf {
        self.compile(name, source, &["-shared", "-fPIC"])
    }

    fn compile(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let (input, output) = (self.dir.join(name).with_extension("c"), self.dir.join(name));
        fs::write(&input, source).expect("the workshop is writable");
        let compiled = Command::new("cc")
            .args(["-Wall", "-Werror", "-I", concat!(env!("CARGO_MANIFEST_DIR"), "/include")])
            .args(flags)
            .args([&input, &self.dir.join("libmpi_abi.so.1")])
            .arg("-o")
            .arg(&output)
            .output()
            .expect("a C compiler is installed");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        output
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // A directory left behind in the target directory does no harm.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Program<'_> {
    pub fn with_preloaded(mut self, library: PathBuf) -> Self {
        self.preloaded = Some(library);
        self
    }

    /// How it is started.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.env("LD_LIBRARY_PATH", &self.workshop.dir);
        if let Some(library) = &self.preloaded {
            command.env("LD_PRELOAD", library);
        }
        command
    }

    pub fn run(&self) -> Outcome {
        let output = self.command().output().expect("a compiled program runs");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
