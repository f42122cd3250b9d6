//! Long options.

use std::ffi::{CStr, c_int};
use std::ptr;

use super::{LongOption, Scan, UNKNOWN};

/// The options that a name on the command line can mean.
enum Match {
    One(usize),
    Several(Vec<usize>),
    None,
}

impl Scan {
    /// An option by its name, which starts at `next`; `None` if it is to be read as short ones.
    ///
    /// # Safety
    /// As for [`super::parse`]; there are long options.
    pub(super) unsafe fn long(&mut self, long_only: bool, prefix: &CStr) -> Option<c_int> {
        // SAFETY: the program's table, which ends in an entry without a name.
        unsafe {
            let text = self.rest();
            let length = text.iter().position(|&byte| byte == b'=').unwrap_or(text.len());
            match self.matching(&text[..length], long_only) {
                Match::One(found) => Some(self.take(found, text.get(length + 1..), prefix)),
                Match::Several(candidates) => {
                    self.say_ambiguous(prefix, &candidates);
                    Some(self.refuse())
                }
                Match::None => {
                    let dashed = *self.argument((*self.variables).optind).add(1) as u8 == b'-';
                    let short = text.first().is_some_and(|first| self.options.contains(first));
                    if long_only && !dashed && short {
                        return None;
                    }
                    self.say_about(
                        c"%s: unrecognized option '%s%s'\n",
                        prefix,
                        (*self.state).next as *const _,
                    );
                    Some(self.refuse())
                }
            }
        }
    }

    unsafe fn refuse(&mut self) -> c_int {
        // SAFETY: the rank's state.
        unsafe {
            (*self.state).next = 0;
            (*self.variables).optind += 1;
            (*self.variables).optopt = 0;
        }
        UNKNOWN
    }

    /// An exact name, or the beginning of one; of several that mean the same, the first.
    unsafe fn matching(&self, name: &[u8], long_only: bool) -> Match {
        // SAFETY: as `long`.
        unsafe {
            let names = (0..).map_while(|at| self.name(at));
            if let Some(exact) = names.clone().position(|known| known.to_bytes() == name) {
                return Match::One(exact);
            }
            let begun = names.enumerate().filter(|(_, known)| known.to_bytes().starts_with(name));
            let begun: Vec<usize> = begun.map(|(at, _)| at).collect();
            let Some(&first) = begun.first() else { return Match::None };
            let same = |&at: &usize| self.entry(at).means_the_same(self.entry(first));
            if begun.len() == 1 || !long_only && begun.iter().all(same) {
                Match::One(first)
            } else {
                Match::Several(begun)
            }
        }
    }

    unsafe fn take(&mut self, found: usize, value: Option<&'static [u8]>, prefix: &CStr) -> c_int {
        // SAFETY: as `long`.
        unsafe {
            let option = &*self.long.add(found);
            (*self.variables).optind += 1;
            (*self.state).next = 0;
            match (value, option.argument) {
                (Some(_), 0) => {
                    let format = c"%s: option '%s%s' doesn't allow an argument\n";
                    self.say_about(format, prefix, option.name);
                    (*self.variables).optopt = option.value;
                    return UNKNOWN;
                }
                (Some(value), _) => (*self.variables).optarg = value.as_ptr().cast_mut().cast(),
                (None, 1) if (*self.variables).optind >= self.count => {
                    self.say_about(c"%s: option '%s%s' requires an argument\n", prefix, option.name);
                    (*self.variables).optopt = option.value;
                    return self.missing_code();
                }
                (None, 1) => {
                    (*self.variables).optarg = self.argument((*self.variables).optind);
                    (*self.variables).optind += 1;
                }
                (None, _) => {}
            }
            option.report(found, self.index)
        }
    }

    pub(super) unsafe fn entry(&self, at: usize) -> &LongOption {
        // SAFETY: as `long`; below the entry without a name.
        unsafe { &*self.long.add(at) }
    }

    unsafe fn name(&self, at: usize) -> Option<&'static CStr> {
        // SAFETY: as `long`; entries are asked for one after the other.
        unsafe {
            let name = self.entry(at).name;
            (!name.is_null()).then(|| CStr::from_ptr(name))
        }
    }
}

impl LongOption {
    fn means_the_same(&self, other: &Self) -> bool {
        self.argument == other.argument && ptr::eq(self.flag, other.flag) && self.value == other.value
    }

    /// Tells the program which one it was.
    unsafe fn report(&self, at: usize, index: *mut c_int) -> c_int {
        // SAFETY: both are the program's variables or null.
        unsafe {
            if !index.is_null() {
                *index = at as c_int;
            }
            if self.flag.is_null() {
                return self.value;
            }
            *self.flag = self.value;
        }
        0
    }
}
