//! Short options.

use std::ffi::{c_char, c_int};

use super::{Scan, UNKNOWN};

impl Scan {
    /// The next letter of a group.
    ///
    /// # Safety
    /// As for [`super::parse`]; the rest is not empty.
    pub(super) unsafe fn short(&mut self) -> c_int {
        // SAFETY: as `step`; the rest is not empty.
        unsafe {
            let option = *((*self.state).next as *const u8);
            (*self.state).next += 1;
            if self.rest().is_empty() {
                (*self.variables).optind += 1;
            }
            let known = self.options.iter().position(|&known| known == option);
            let Some(known) = known.filter(|_| option != b':' && option != b';') else {
                self.say(c"%s: invalid option -- '%c'\n", option);
                (*self.variables).optopt = c_int::from(option);
                return UNKNOWN;
            };
            let following = (self.options.get(known + 1), self.options.get(known + 2));
            match following {
                (Some(b';'), _) if option == b'W' && !self.long.is_null() => self.long_by_letter(option),
                (Some(b':'), Some(b':')) => {
                    self.attached();
                    (*self.state).next = 0;
                    c_int::from(option)
                }
                (Some(b':'), _) => self.short_argument(option),
                _ => c_int::from(option),
            }
        }
    }

    /// Takes the rest of the argument, if there is one.
    unsafe fn attached(&mut self) -> bool {
        // SAFETY: as `step`.
        unsafe {
            let attached = !self.rest().is_empty();
            if attached {
                (*self.variables).optarg = (*self.state).next as *mut c_char;
                (*self.variables).optind += 1;
            }
            attached
        }
    }

    unsafe fn short_argument(&mut self, option: u8) -> c_int {
        // SAFETY: as `step`.
        unsafe {
            let mut result = c_int::from(option);
            if !self.attached() {
                if (*self.variables).optind == self.count {
                    result = self.missing(option);
                } else {
                    (*self.variables).optarg = self.argument((*self.variables).optind);
                    (*self.variables).optind += 1;
                }
            }
            (*self.state).next = 0;
            result
        }
    }

    /// `-W name` is `--name`.
    unsafe fn long_by_letter(&mut self, option: u8) -> c_int {
        // SAFETY: as `step`.
        unsafe {
            if self.rest().is_empty() {
                if (*self.variables).optind == self.count {
                    return self.missing(option);
                }
                (*self.state).next = self.argument((*self.variables).optind) as usize;
            }
            self.long(false, c"-W ").unwrap_or(UNKNOWN)
        }
    }

    unsafe fn missing(&mut self, option: u8) -> c_int {
        // SAFETY: as `step`.
        unsafe {
            self.say(c"%s: option requires an argument -- '%c'\n", option);
            (*self.variables).optopt = c_int::from(option);
        }
        self.missing_code()
    }

    pub(super) fn missing_code(&self) -> c_int {
        if self.silent { c_int::from(b':') } else { UNKNOWN }
    }
}
