//! What the kernel's tokens mean to the engine: a kind in the upper bits, a number in the lower.

use mpirage_kernel::Token;

pub(crate) enum Meaning {
    Rank(u32),
    Transfer(u32),
    Run(u32),
    Beside(u32),
    Complete(u32),
    Collective(u32),
    Processor(u32),
}

pub(crate) fn rank(rank: u32) -> Token {
    Token(u64::from(rank))
}

pub(crate) fn transfer(message: u32) -> Token {
    Token(1 << 32 | u64::from(message))
}

pub(crate) fn run(run: u32) -> Token {
    Token(2 << 32 | u64::from(run))
}

pub(crate) fn beside(work: u32) -> Token {
    Token(3 << 32 | u64::from(work))
}

/// Somebody is to be told that a send is complete.
pub(crate) fn complete(later: u32) -> Token {
    Token(4 << 32 | u64::from(later))
}

/// A collective that takes as long as a formula says is over.
pub(crate) fn collective(instance: u32) -> Token {
    Token(5 << 32 | u64::from(instance))
}

/// It is time to look at what waits for the processor of a rank.
pub(crate) fn processor(rank: u32) -> Token {
    Token(6 << 32 | u64::from(rank))
}

pub(crate) fn read(token: Token) -> Meaning {
    let number = token.0 as u32;
    match token.0 >> 32 {
        0 => Meaning::Rank(number),
        1 => Meaning::Transfer(number),
        2 => Meaning::Run(number),
        3 => Meaning::Beside(number),
        4 => Meaning::Complete(number),
        5 => Meaning::Collective(number),
        _ => Meaning::Processor(number),
    }
}
