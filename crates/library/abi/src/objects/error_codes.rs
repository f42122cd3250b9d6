//! Error classes and codes that a program adds, beyond those of the standard.
//!
//! Classes and codes share one series of numbers after `MPI_ERR_LASTCODE`. A number that was given out is not used again.

use crate::constants::{MPI_ERR_ARG, MPI_ERR_LASTCODE, MPI_SUCCESS};
use crate::ground::error::{MpiError, Result, class_text, ensure};
use core::ffi::c_int;

/// The codes a program added.
#[derive(Debug, Default)]
pub(crate) struct ErrorCodes(Vec<Option<Added>>);

#[derive(Debug)]
struct Added {
    /// Itself, if it is a class.
    class: c_int,
    /// How many codes it has, if it is a class.
    codes: u32,
    text: Option<String>,
}

impl ErrorCodes {
    pub fn add_class(&mut self) -> c_int {
        let class = self.last_used() + 1;
        self.0.push(Some(Added { class, codes: 0, text: None }));
        class
    }

    pub fn add_code(&mut self, class: c_int) -> Result<c_int> {
        self.check_class(class)?;
        if let Ok(Some(added)) = self.slot(class) {
            added.codes += 1;
        }
        self.0.push(Some(Added { class, codes: 0, text: None }));
        Ok(self.last_used())
    }

    /// The value of the attribute `MPI_LASTUSEDCODE`.
    pub fn last_used(&self) -> c_int {
        MPI_ERR_LASTCODE + self.0.len() as c_int
    }

    pub fn class_of(&self, code: c_int) -> Result<c_int> {
        match class_text(code) {
            Some(_) => Ok(code),
            None => self.find(code).map(|added| added.class).ok_or_else(|| unknown(code)),
        }
    }

    /// The text for `MPI_Error_string`; empty for an added code that was given no text.
    pub fn text_of(&self, code: c_int) -> Result<&str> {
        match class_text(code) {
            Some(text) => Ok(text),
            None => {
                self.find(code).map(|added| added.text.as_deref().unwrap_or("")).ok_or_else(|| unknown(code))
            }
        }
    }

    pub fn set_text(&mut self, code: c_int, text: Option<String>) -> Result<()> {
        self.slot(code)?.as_mut().expect("a slot in use").text = text;
        Ok(())
    }

    /// Removes a class or a code; a class must not have codes any more, and neither may have a text.
    pub fn remove(&mut self, code: c_int) -> Result<()> {
        let has_codes = self.find(code).is_some_and(|added| added.codes > 0);
        ensure(!has_codes, MPI_ERR_ARG, || format!("error class {code} still has error codes"))?;
        let has_text = self.find(code).is_some_and(|added| added.text.is_some());
        ensure(!has_text, MPI_ERR_ARG, || format!("{code} still has an error string"))?;
        let removed = self.slot(code)?.take();
        if let Some(Added { class, .. }) = removed.filter(|removed| removed.class != code)
            && let Ok(Some(of)) = self.slot(class)
        {
            of.codes -= 1;
        }
        Ok(())
    }

    fn check_class(&self, class: c_int) -> Result<()> {
        let is_class = class != MPI_SUCCESS && self.class_of(class) == Ok(class);
        ensure(is_class, MPI_ERR_ARG, || format!("{class} is not an error class"))
    }

    fn find(&self, code: c_int) -> Option<&Added> {
        self.0.get(index(code)?)?.as_ref()
    }

    fn slot(&mut self, code: c_int) -> Result<&mut Option<Added>> {
        let slot = index(code).and_then(|index| self.0.get_mut(index)).filter(|slot| slot.is_some());
        slot.ok_or_else(|| MpiError::new(MPI_ERR_ARG, format!("{code} is not an error code that was added")))
    }
}

fn index(code: c_int) -> Option<usize> {
    usize::try_from(code.checked_sub(MPI_ERR_LASTCODE + 1)?).ok()
}

fn unknown(code: c_int) -> MpiError {
    MpiError::new(MPI_ERR_ARG, format!("{code} is not an error code"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::MPI_ERR_RANK;

    #[test]
    fn added_codes_have_classes_and_texts() {
        let mut codes = ErrorCodes::default();
        let class = codes.add_class();
        assert_eq!(class, MPI_ERR_LASTCODE + 1);
        let code = codes.add_code(class).unwrap();
        assert_eq!((code, codes.last_used()), (class + 1, class + 1));
        assert_eq!(codes.class_of(code), Ok(class));
        assert_eq!(codes.text_of(code), Ok(""));
        codes.set_text(code, Some("ours".into())).unwrap();
        assert_eq!(codes.text_of(code), Ok("ours"));
        assert_eq!(codes.class_of(MPI_ERR_RANK), Ok(MPI_ERR_RANK));
        assert!(codes.set_text(MPI_ERR_RANK, None).is_err());
        assert!(codes.class_of(code + 1).is_err());
    }

    #[test]
    fn a_class_goes_after_its_codes() {
        let mut codes = ErrorCodes::default();
        let class = codes.add_class();
        let code = codes.add_code(class).unwrap();
        assert!(codes.remove(class).is_err());
        codes.remove(code).unwrap();
        codes.remove(class).unwrap();
        assert!(codes.class_of(class).is_err());
        assert_eq!(codes.add_class(), code + 1);
    }

    #[test]
    fn a_code_goes_after_its_text() {
        let mut codes = ErrorCodes::default();
        let class = codes.add_class();
        codes.set_text(class, Some("ours".into())).unwrap();
        assert!(codes.remove(class).is_err());
        codes.set_text(class, None).unwrap();
        codes.remove(class).unwrap();
    }
}
