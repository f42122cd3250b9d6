//! The keys of thread-specific data.

use std::ffi::c_void;
use std::ptr;

/// As many keys as POSIX systems have (`PTHREAD_KEYS_MAX` of Linux).
const MOST: usize = 1024;

/// A rank's keys: the value of each, none if the key is free.
#[derive(Default)]
pub(crate) struct Keys {
    values: Vec<Option<*mut c_void>>,
}

impl Keys {
    pub(crate) fn create(&mut self) -> Option<usize> {
        if let Some(free) = self.values.iter().position(Option::is_none) {
            self.values[free] = Some(ptr::null_mut());
            return Some(free);
        }
        if self.values.len() == MOST {
            return None;
        }
        self.values.push(Some(ptr::null_mut()));
        Some(self.values.len() - 1)
    }

    pub(crate) fn value(&mut self, key: u32) -> Option<&mut *mut c_void> {
        self.values.get_mut(key as usize)?.as_mut()
    }

    pub(crate) fn delete(&mut self, key: u32) -> bool {
        self.values.get_mut(key as usize).is_some_and(|value| value.take().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_reused_and_values_kept() {
        let mut keys = Keys::default();
        let (first, second) = (keys.create().unwrap() as u32, keys.create().unwrap() as u32);
        *keys.value(second).unwrap() = ptr::without_provenance_mut(7);
        assert!(keys.delete(first) && !keys.delete(first) && keys.value(first).is_none());
        assert_eq!(keys.create(), Some(first as usize));
        assert_eq!(keys.value(second).unwrap().addr(), 7);
        assert!(keys.value(first).unwrap().is_null());
    }

    #[test]
    fn there_is_an_end_of_keys() {
        let mut keys = Keys::default();
        assert!((0..MOST).all(|_| keys.create().is_some()));
        assert_eq!(keys.create(), None);
    }
}
