//! Finds instructions with which code enters the kernel without the C library, where folded ranks cannot be told apart.
//!
//! The bytes of such an instruction also stand inside of others, about once per MiB of code. So the code around them is
//! walked instruction by instruction.

use crate::Image;

/// `syscall`, `int 0x80`, `sysenter`.
const ENTRIES: [[u8; 2]; 3] = [[0x0f, 0x05], [0xcd, 0x80], [0x0f, 0x34]];

/// The address of the first instruction of an image that enters the kernel.
pub(super) fn first(image: &Image) -> Option<usize> {
    let executable = image.segments().iter().filter(|segment| segment.executable);
    executable.into_iter().find_map(|segment| {
        let code = image.contents().get(segment.address..)?;
        let code = &code[..segment.memory_size.min(code.len())];
        first_in(code).map(|at| segment.address + at)
    })
}

fn first_in(code: &[u8]) -> Option<usize> {
    code.windows(2).any(enters).then(|| walk(code).find(|&at| enters(&code[at..]))).flatten()
}

fn enters(code: &[u8]) -> bool {
    ENTRIES.iter().any(|entry| code.starts_with(entry))
}

/// Where instructions begin. A byte that begins none is passed over: code falls into step again after a few instructions.
fn walk(code: &[u8]) -> impl Iterator<Item = usize> {
    let next = |&at: &usize| Some(at + length(&code[at..]).max(1));
    std::iter::successors(Some(0), next).take_while(|&at| at < code.len())
}

/// Bytes of the first instruction; zero if it is none.
fn length(code: &[u8]) -> usize {
    match code {
        // `movabs` with 64 bits, for which the crate knows 32.
        [0x48..=0x4f, 0xb8..=0xbf, ..] => 10,
        _ => lde::X64.ld(code) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::first_in;

    #[test]
    fn finds_instructions_and_not_their_parts() {
        // mov eax, 0x050f; mov eax, 95; syscall; ret
        let code = [0xb8, 0x0f, 0x05, 0x00, 0x00, 0xb8, 95, 0, 0, 0, 0x0f, 0x05, 0xc3];
        assert_eq!(first_in(&code), Some(10));
        assert_eq!(first_in(&code[..10]), None);
        assert_eq!(first_in(&[0x90, 0xcd, 0x80]), Some(1));
        assert_eq!(first_in(&[]), None);
        // movabs rcx, 0x050f0000000fc0c7, with which libgcc's unwinder recognises a signal frame
        assert_eq!(first_in(&[0x48, 0xb9, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05, 0xc3]), None);
    }
}
