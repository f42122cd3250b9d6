//! `main` of an ordinary executable, which does not export it.
//!
//! The code at the entry point, which the C library's `Scrt1.o` brings, passes the address of `main` as the first argument
//! to `__libc_start_main`:
//!
//! ```text
//! 48 8d 3d xx xx xx xx   lea  main(%rip), %rdi          or   48 8b 3d   mov  main@GOTPCREL(%rip), %rdi
//! ff 15 yy yy yy yy      call *__libc_start_main@GOTPCREL(%rip)
//! ```

use super::{Relocation, RelocationKind};

/// How many bytes of code may come before.
const LOOKED_AT: usize = 64;
const LOAD_ADDRESS: [u8; 3] = [0x48, 0x8d, 0x3d];
const LOAD_POINTER: [u8; 3] = [0x48, 0x8b, 0x3d];
/// Bytes of either instruction.
const LENGTH: usize = 7;
const CALL: [u8; 2] = [0xff, 0x15];

/// The address of `main`, if the code at `entry` is known.
pub(super) fn main(contents: &[u8], entry: usize, relocations: &[Relocation]) -> Option<usize> {
    let code = contents.get(entry..entry.checked_add(LOOKED_AT)?)?;
    let found = code.windows(LENGTH + CALL.len()).enumerate().find_map(|(at, bytes)| {
        let known = bytes.starts_with(&LOAD_ADDRESS) || bytes.starts_with(&LOAD_POINTER);
        (known && bytes[LENGTH..] == CALL).then_some((at, bytes))
    });
    let (at, bytes) = found?;
    let distance = i32::from_le_bytes(bytes[3..LENGTH].try_into().ok()?);
    let target = (entry + at + LENGTH).checked_add_signed(distance as isize)?;
    let main = match bytes.starts_with(&LOAD_ADDRESS) {
        true => target,
        false => pointed_to(target, relocations)?,
    };
    (main < contents.len()).then_some(main)
}

/// The address that the dynamic linker would store at `place`.
fn pointed_to(place: usize, relocations: &[Relocation]) -> Option<usize> {
    let stored = |relocation: &&Relocation| {
        relocation.offset == place && relocation.kind == RelocationKind::Base && relocation.addend > 0
    };
    relocations.iter().find(stored).map(|relocation| relocation.addend as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_what_the_entry_code_passes() {
        let mut contents = vec![0x90; 256];
        contents[16..23].copy_from_slice(&[0x48, 0x8d, 0x3d, 0x40, 0, 0, 0]);
        assert_eq!(main(&contents, 8, &[]), None, "nothing is called");
        contents[23..25].copy_from_slice(&CALL);
        assert_eq!(main(&contents, 8, &[]), Some(23 + 0x40));
        contents[17] = 0x8b;
        assert_eq!(main(&contents, 8, &[]), None, "nothing is stored there");
        let relocation = Relocation { offset: 23 + 0x40, kind: RelocationKind::Base, addend: 100 };
        assert_eq!(main(&contents, 8, &[relocation]), Some(100));
        assert_eq!(main(&contents, 250, &[]), None, "too near to the end");
    }
}
