//! The arguments of `mpirage env`.

use clap::{Args, ValueEnum};

/// `mpirage env`.
#[derive(Clone, Debug, Args)]
pub struct EnvArguments {
    /// The shell that evaluates the output [default: from SHELL]
    #[arg(long, value_enum)]
    pub shell: Option<ShellSyntax>,
    /// Print a file for Environment Modules (tcl, which Lmod reads too) or for Lmod (lua) instead
    #[arg(long, value_enum, value_name = "LANGUAGE", num_args = 0..=1, default_missing_value = "tcl", conflicts_with = "shell")]
    pub module: Option<ModuleLanguage>,
}

/// Shells whose syntax `mpirage env` can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShellSyntax {
    /// bash, and all others that follow POSIX
    #[value(aliases = ["sh", "dash", "ksh"])]
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
    /// csh and tcsh
    #[value(alias = "tcsh")]
    Csh,
}

/// Languages of module files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModuleLanguage {
    /// Tcl, for Environment Modules and Lmod
    Tcl,
    /// Lua, for Lmod
    Lua,
}
