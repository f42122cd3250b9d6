//! Classes of mistakes that a checked run names.

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; a correct program may have it.
    Note,
    /// The program works, but breaks a rule of the standard or leaves something behind.
    Warning,
    /// The program is wrong.
    Error,
}

impl Severity {
    /// The word in reports. SARIF has the same words.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! classes {
    ($($variant:ident $name:literal $severity:ident $text:literal;)*) => {
        /// A class of mistakes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum FindingClass {
            $(#[doc = $text] $variant,)*
        }

        impl FindingClass {
            /// All classes, in the order of reports.
            pub const ALL: &[FindingClass] = &[$(FindingClass::$variant,)*];

            /// Its name in reports: `datatype-mismatch`.
            pub fn name(self) -> &'static str {
                match self { $(FindingClass::$variant => $name,)* }
            }

            /// How much its findings weigh.
            pub fn severity(self) -> Severity {
                match self { $(FindingClass::$variant => Severity::$severity,)* }
            }

            /// Its meaning, in one sentence.
            pub fn description(self) -> &'static str {
                match self { $(FindingClass::$variant => $text,)* }
            }
        }
    };
}

classes! {
    Deadlock "deadlock" Error "Ranks wait for each other, or for a rank that has ended.";
    UnsafeSend "unsafe-send" Error "The program deadlocks if standard sends are not buffered.";
    WildcardFailure "wildcard-failure" Error "The program fails if a wildcard receive gets another message.";
    DatatypeMismatch "datatype-mismatch" Error "The type signatures of sender and receiver differ.";
    Truncation "truncation" Error "A message is longer than its receive.";
    CollectiveMismatch "collective-mismatch" Error "Ranks call different collectives, or one with different roots, operators or forms.";
    CountMismatch "count-mismatch" Error "Ranks give different amounts of data to one collective.";
    MissingCollective "missing-collective" Error "A rank finalized without a collective that others called.";
    BufferChanged "buffer-changed" Error "The program changed a buffer that an operation under way uses.";
    BufferOverlap "buffer-overlap" Error "Buffers of operations under way overlap, and one of them is written.";
    RmaSync "rma-sync" Error "An access to a window, or its synchronisation, is outside of an epoch.";
    RmaRange "rma-range" Error "An access reaches beyond the memory of a window.";
    RmaConflict "rma-conflict" Error "Accesses of one epoch conflict at the same place of a window.";
    ThreadLevel "thread-level" Error "A thread calls MPI that must not at the granted thread level.";
    InvalidArgument "invalid-argument" Error "An argument has a value that is not allowed.";
    InvalidHandle "invalid-handle" Error "A handle is null, freed, of another kind or not committed.";
    Lifecycle "lifecycle" Error "MPI is used before MPI_Init or after MPI_Finalize, or not finalized.";
    Misuse "misuse" Error "Another error of the MPI standard.";
    Crash "crash" Error "A rank ended by a signal.";
    Failure "failure" Error "The program ended with an exit code that is not zero, or with MPI_Abort.";
    RequestLeak "request-leak" Warning "A request was neither completed nor freed.";
    LostMessage "lost-message" Warning "A message was sent but never received.";
    DatatypeLeak "datatype-leak" Warning "A datatype was not freed.";
    CommunicatorLeak "communicator-leak" Warning "A communicator was not freed.";
    WindowLeak "window-leak" Warning "A window was not freed.";
    FileLeak "file-leak" Warning "A file was not closed.";
    HandleLeak "handle-leak" Warning "A group, operator, info object, error handler or key was not freed.";
    WildcardRace "wildcard-race" Note "A wildcard receive could get one of several messages.";
}

impl FindingClass {
    /// The class with this code.
    pub fn from_code(code: u8) -> Option<FindingClass> {
        FindingClass::ALL.get(usize::from(code)).copied()
    }

    /// Its code, by which the MPI library names it.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The class with this name.
    pub fn named(name: &str) -> Option<FindingClass> {
        FindingClass::ALL.iter().copied().find(|class| class.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_lead_back() {
        for &class in FindingClass::ALL {
            assert_eq!(FindingClass::from_code(class.code()), Some(class));
            assert_eq!(FindingClass::named(class.name()), Some(class));
        }
        assert_eq!(FindingClass::from_code(FindingClass::ALL.len() as u8), None);
    }
}
