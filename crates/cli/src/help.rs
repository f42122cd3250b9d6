//! Help in three lengths: `-h` leaves out what is seldom used, `--help` only rare groups, `--help-all` nothing.

use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, Command};

use crate::arguments::{COMPATIBILITY, MIGRATION, PACKETS, PLACEMENT};
use crate::exit::{Failure, USAGE};
use crate::output;

/// Commands by what a user wants to do. Each command that is not hidden is in one group.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Run", &["demo", "run", "replay", "jobs", "emulate", "check", "gdb"]),
    ("Look", &["report", "trace", "compare"]),
    ("Study", &["sweep", "tune", "balance"]),
    ("Machine", &["platform", "calibrate", "info"]),
    ("Build", &["cc", "cxx", "fc", "env", "completions"]),
];

/// Headings of options that only `--help-all` lists.
const RARE: [&str; 4] = [PLACEMENT, PACKETS, MIGRATION, COMPATIBILITY];

/// Options that `-h` leaves out.
#[rustfmt::skip]
const SELDOM: [&str; 40] = [
    "breakpoints", "call_paths", "calls", "clock", "cores", "criterion", "decision", "decompose", "eager_limit", "env", "exhaustive", "export",
    "grid", "hold_out", "host_speed", "io", "lost_after", "memory", "mpi", "mpi_abi", "mpicc", "mpirun", "no_alone", "node", "radices",
    "rank_timeout", "repeat", "report_ideal", "save", "seed", "segments", "share_malloc", "slurm_option", "state", "tag_output", "topology",
    "trace_collectives", "universe_size", "wdir", "workers",
];

/// Where commands that have no `-n` get their number of ranks from.
const RANKS_OF: [(&str, &str); 2] = [
    ("replay", "a trace has its own number of ranks; of a pattern write gen:ring,ranks=16"),
    ("report", "a run has its own number of ranks; of a pattern write gen:ring,ranks=16"),
];

/// How much help lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Short,
    Usual,
    All,
}

impl Length {
    /// The length that the first such word asks for. Words after the program are its own, and come later.
    fn of(typed: &[OsString]) -> Length {
        let lengths = typed.iter().filter_map(|word| match word.to_str()? {
            "-h" => Some(Length::Short),
            "--help" | "help" => Some(Length::Usual),
            "--help-all" => Some(Length::All),
            _ => None,
        });
        lengths.into_iter().next().unwrap_or(Length::Usual)
    }

    fn leaves_out(self, argument: &Arg) -> bool {
        let is_rare = argument.get_help_heading().is_some_and(|heading| RARE.contains(&heading));
        match self {
            Length::Short => is_rare || SELDOM.contains(&argument.get_id().as_str()),
            Length::Usual => is_rare,
            Length::All => false,
        }
    }

    /// How to see what is left out.
    fn more(self) -> &'static str {
        match self {
            Length::Short => "--help lists more options, --help-all lists all.",
            Length::Usual => "--help-all lists all options.",
            Length::All => "",
        }
    }
}

/// Do the typed words ask for help with a command whose arguments clap does not parse? The help of `mpicc` is the compiler's.
pub fn is_asked_of_command(typed: &[OsString]) -> bool {
    let words: Vec<&str> = typed.iter().filter_map(|word| word.to_str()).collect();
    match words[..] {
        ["gdb", help, ..] | ["cc" | "cxx" | "fc", help] => ["-h", "--help", "--help-all"].contains(&help),
        _ => false,
    }
}

/// Adds `--help-all` to a command and those inside it. Commands whose options clap parses to the end need it for completions only:
/// [`answer`] knows the unknown option.
pub fn with_all(command: Command) -> Command {
    let all = Arg::new("help_all").long("help-all").global(true).hide(true);
    command.arg(all.action(ArgAction::Help).help("Print help with all options"))
}

/// Answers what clap cannot parse. Help and version succeed; everything else is an error in the command line.
pub fn answer(error: &clap::Error, definition: Command, typed: &[OsString]) -> Result<u8, Failure> {
    let wants_all = error.get(ContextKind::InvalidArg).is_some_and(|word| word.to_string() == "--help-all");
    if error.kind() == ErrorKind::DisplayHelp || wants_all {
        return print(definition, typed);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::styled_error(&chosen(definition, typed).render_help());
        return Ok(USAGE);
    }
    let printed = in_other_words(error, typed).as_ref().unwrap_or(error).print();
    if error.use_stderr() {
        // The exit code says enough if standard error is gone.
        return Ok(USAGE);
    }
    output::written(printed).map(|()| 0)
}

/// The error with a remedy, where clap has none: it says "invalid digit found in string", and that `-n` may be a value.
fn in_other_words(error: &clap::Error, typed: &[OsString]) -> Option<clap::Error> {
    let said = not_a_number(error).or_else(|| ranks_elsewhere(error, typed))?;
    Some(clap::Error::raw(error.kind(), format!("{said}\n\nFor more information, try '--help'.\n")))
}

fn not_a_number(error: &clap::Error) -> Option<String> {
    let parser = std::error::Error::source(error)?.downcast_ref::<ParseIntError>()?;
    let is_too_large = matches!(parser.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow);
    let (value, option) = (error.get(ContextKind::InvalidValue)?, error.get(ContextKind::InvalidArg)?);
    let problem = if is_too_large { "the number is too large" } else { "expected a whole number" };
    Some(format!("invalid value '{value}' for '{option}': {problem}"))
}

fn ranks_elsewhere(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    let option = error.get(ContextKind::InvalidArg)?.to_string();
    let command = typed.first().filter(|_| option == "-n" || option == "--np")?;
    let (name, remedy) = RANKS_OF.iter().find(|(name, _)| command == name)?;
    Some(format!("`mpirage {name}` has no {option}: {remedy}"))
}

/// Lists the commands inside by group.
fn by_group(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let name = *command.get_styles().get_literal();
    let widest = command.get_subcommands().map(|each| each.get_name().len()).max().unwrap_or(0);
    let mut list = String::new();
    for (group, names) in GROUPS {
        list += &format!("{header}{group}:{header:#}\n");
        for each in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = each.get_about().map(StyledStr::to_string).unwrap_or_default();
            list += &format!("  {name}{:widest$}{name:#}  {about}\n", each.get_name());
        }
        list.push('\n');
    }
    command.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}{{after-help}}"))
}

/// Prints the help that the typed words ask for.
pub fn print(command: Command, typed: &[OsString]) -> Result<u8, Failure> {
    output::written(shortened(chosen(command, typed), Length::of(typed)).print_help()).map(|()| 0)
}

/// The command of the typed words: this one, or one inside it.
fn chosen(mut command: Command, typed: &[OsString]) -> Command {
    command.build();
    let mut chosen = &mut command;
    let mut depth = 0;
    for word in typed.iter().filter_map(|word| word.to_str()) {
        if chosen.find_subcommand(word).is_some_and(|found| found.get_name() != "help") {
            chosen = chosen.find_subcommand_mut(word).expect("it was just found");
            depth += 1;
        }
    }
    if depth == 0 && chosen.has_subcommands() { by_group(chosen.clone()) } else { chosen.clone() }
}

/// The command without the options that help of this length leaves out.
fn shortened(command: Command, length: Length) -> Command {
    let is_shorter = command.get_arguments().any(|each| !each.is_hide_set() && length.leaves_out(each));
    let command = command.mut_args(|each| match each.get_id().as_str() {
        // Without a hint at its other length.
        "help" => each.help("Print help"),
        _ if length.leaves_out(&each) => each.hide(true),
        _ => each,
    });
    if !is_shorter {
        return command;
    }
    let examples = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    command.after_help(format!("{examples}\n\n{}", length.more()).trim_start().to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::arguments::{Line, RunArguments};

    #[test]
    fn each_command_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let line = Line::command();
        let visible = line.get_subcommands().filter(|command| !command.is_hide_set());
        let listed: BTreeSet<&str> = visible.map(Command::get_name).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), listed);
        assert_eq!(grouped.len(), listed.len());
    }

    #[test]
    fn options_that_help_leaves_out_exist() {
        let (line, run) = (Line::command(), RunArguments::command());
        let all: BTreeSet<&str> = line
            .get_subcommands()
            .flat_map(Command::get_arguments)
            .map(|each| each.get_id().as_str())
            .collect();
        assert!(SELDOM.iter().all(|id| all.contains(id)));
        let headings: Vec<&str> = run.get_arguments().filter_map(Arg::get_help_heading).collect();
        assert!(RARE.iter().all(|heading| headings.contains(heading)));
    }

    #[test]
    fn help_fits_into_80_columns() {
        let list = by_group(Line::command()).term_width(80).render_help().to_string();
        assert!(list.lines().skip(3).all(|line| line.chars().count() <= 80), "{list}");
        let mut all = Line::command();
        all.build();
        let inner =
            all.get_subcommands().flat_map(|each| std::iter::once(each).chain(each.get_subcommands()));
        for examples in inner.filter_map(|each| each.get_after_help()).map(StyledStr::to_string) {
            assert!(examples.lines().all(|line| line.chars().count() <= 80), "{examples}");
        }
    }

    #[test]
    fn longer_help_lists_more() {
        let lines =
            |length| shortened(RunArguments::command(), length).render_help().to_string().lines().count();
        assert!(lines(Length::Short) * 3 < lines(Length::Usual) * 2);
        assert!(lines(Length::Usual) < lines(Length::All));
    }

    #[test]
    fn the_first_word_about_help_counts() {
        let length = |line: &str| Length::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(length("-n 2 --help-all ./prog -h"), Length::All);
        assert_eq!(length("mpirage help run"), Length::Usual);
        assert_eq!(length("mpirage tune -h"), Length::Short);
    }
}
