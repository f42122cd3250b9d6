//! Attributes: words that a program attaches to communicators, datatypes and windows, under keys of its own.
//!
//! A key comes with two functions of the program: one decides what a duplicate of the object gets, the other is called
//! when an attribute goes. They may call MPI, so they never run under the library's lock. Hence two steps: with the lock,
//! collect what is to be run ([`Attributes::copies`], [`Attributes::deletions`]); without it, run that
//! ([`Copies::run`], [`Deletions::run`]). The newest attribute comes first in both, as in MPICH.

use crate::caller::Caller;
use crate::constants::*;
use crate::ground::callbacks;
use crate::ground::error::{MpiError, Result, ensure, fail};
use crate::types::{CopyAttribute, DeleteAttribute};
use core::ffi::{c_int, c_void};
use core::ptr::with_exposed_provenance_mut;

use mpirage_bodies::CopiedAttribute;
/// The kind of object that a key is for.
pub(crate) use mpirage_bodies::Owner;

/// A key's functions and their state. The object's handle is passed as the word it is, whatever its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyval {
    pub owner: Owner,
    pub copy: Copying,
    /// `None` is `MPI_COMM_NULL_DELETE_FN`.
    pub delete: Option<DeleteAttribute<usize>>,
    pub extra_state: usize,
}

/// The attribute that a duplicate of an object gets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Copying {
    /// `MPI_COMM_NULL_COPY_FN`
    Nothing,
    /// `MPI_COMM_DUP_FN`
    Same,
    /// The value that a function of the program returns.
    Ask(CopyAttribute<usize>),
}

/// All keys of this process. They are never removed, because attributes may outlive them; a freed key must not be used.
#[derive(Debug, Default)]
pub(crate) struct Keyvals(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    keyval: Keyval,
    freed: bool,
    /// Has it been attached to an object?
    attached: bool,
    /// The call that made it.
    maker: Caller,
}

/// Above the keys of the standard.
const FIRST: c_int = 0x1_0000;

/// The attributes of one object, the oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes(Vec<(c_int, usize)>);

/// Questions to the program, before a duplicate's attributes are known.
#[derive(Debug)]
pub(crate) struct Copies(Vec<Held>);

/// News for the program: attributes that go.
#[derive(Debug)]
pub(crate) struct Deletions(Vec<Held>);

#[derive(Clone, Copy, Debug)]
struct Held {
    key: c_int,
    keyval: Keyval,
    value: usize,
}

impl Copying {
    /// The copy function of a `MPI_*_create_keyval`.
    ///
    /// # Safety
    /// `Object` is a handle, a word in C.
    pub unsafe fn new<Object>(function: Option<CopyAttribute<Object>>) -> Copying {
        match function {
            None => Copying::Nothing,
            Some(function) if function as usize == MPI_COMM_DUP_FN => Copying::Same,
            Some(function) => Copying::Ask({
                // SAFETY: the two types differ only in a word and a transparent structure of a word.
                unsafe { core::mem::transmute::<CopyAttribute<Object>, CopyAttribute<usize>>(function) }
            }),
        }
    }
}

/// The delete function of a `MPI_*_create_keyval`.
///
/// # Safety
/// `Object` is a handle, a word in C.
pub(crate) unsafe fn deleting<Object>(
    function: Option<DeleteAttribute<Object>>,
) -> Option<DeleteAttribute<usize>> {
    // SAFETY: the two types differ only in a word and a transparent structure of a word.
    function.map(|function| unsafe {
        core::mem::transmute::<DeleteAttribute<Object>, DeleteAttribute<usize>>(function)
    })
}

impl Keyvals {
    pub fn insert(&mut self, keyval: Keyval) -> c_int {
        self.0.push(Entry { keyval, freed: false, attached: false, maker: Caller::last() });
        FIRST + self.0.len() as c_int - 1
    }

    /// The calls that made the keys that the program has not freed.
    pub fn unfreed(&self) -> impl Iterator<Item = Caller> {
        self.0.iter().filter(|entry| !entry.freed).map(|entry| entry.maker)
    }

    /// A key for objects of this kind.
    pub fn get(&self, key: c_int, owner: Owner) -> Result<Keyval> {
        let entry = self.find(key).filter(|entry| !entry.freed).ok_or_else(|| invalid(key))?;
        ensure(entry.keyval.owner == owner, MPI_ERR_KEYVAL, || {
            format!("keyval {key} is for another kind of object")
        })?;
        Ok(entry.keyval)
    }

    /// A key to use with an object that has these attributes. A freed one lives on while it is attached.
    pub fn attached(&self, key: c_int, owner: Owner, attributes: &Attributes) -> Result<()> {
        match self.find(key) {
            Some(entry) if entry.freed && entry.keyval.owner == owner && attributes.get(key).is_some() => {
                Ok(())
            }
            _ => self.get(key, owner).map(drop),
        }
    }

    /// An object has a key from now on.
    pub fn note_attached(&mut self, key: c_int) {
        if let Some(entry) = self.0.get_mut(key.wrapping_sub(FIRST) as usize) {
            entry.attached = true;
        }
    }

    /// The program gives up its key. A delete function may do so too, once for each object that has it: a key that objects have lives on.
    pub fn free(&mut self, key: c_int, owner: Owner) -> Result<()> {
        if self.find(key).is_some_and(|entry| entry.freed && entry.attached && entry.keyval.owner == owner) {
            return Ok(());
        }
        self.get(key, owner)?;
        self.0[(key - FIRST) as usize].freed = true;
        Ok(())
    }

    fn find(&self, key: c_int) -> Option<&Entry> {
        self.0.get(usize::try_from(key.checked_sub(FIRST)?).ok()?)
    }
}

impl Attributes {
    pub fn get(&self, key: c_int) -> Option<usize> {
        self.0.iter().find(|&&(known, _)| known == key).map(|&(_, value)| value)
    }

    pub fn set(&mut self, key: c_int, value: usize) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some(attribute) => attribute.1 = value,
            None => self.0.push((key, value)),
        }
    }

    pub fn remove(&mut self, key: c_int) {
        self.0.retain(|&(known, _)| known != key);
    }

    /// With the lock: what is to be asked when the object is duplicated.
    pub fn copies(&self, keyvals: &Keyvals) -> Copies {
        Copies(self.held(keyvals).collect())
    }

    /// With the lock: the functions to call when the object is freed.
    pub fn deletions(&self, keyvals: &Keyvals) -> Deletions {
        Deletions(self.held(keyvals).collect())
    }

    /// With the lock: the function to call when this attribute is deleted or replaced.
    pub fn deletion(&self, key: c_int, keyvals: &Keyvals) -> Deletions {
        Deletions(self.held(keyvals).filter(|held| held.key == key).collect())
    }

    fn held(&self, keyvals: &Keyvals) -> impl Iterator<Item = Held> {
        let with_keyval = |&(key, value): &(c_int, usize)| {
            let keyval = keyvals.find(key).expect("keys are never removed").keyval;
            Held { key, keyval, value }
        };
        self.0.iter().rev().map(with_keyval)
    }
}

impl Copies {
    /// Without the lock: the attributes of the duplicate of `object`.
    ///
    /// # Safety
    /// The program's functions do what MPI says they do.
    pub unsafe fn run(self, object: usize) -> Result<Attributes> {
        let mut copied = Vec::with_capacity(self.0.len());
        for held in self.0 {
            // SAFETY: the caller vouches for it.
            if let Some(value) = unsafe { held.copy(object) }? {
                copied.push((held.key, value));
            }
        }
        copied.reverse();
        Ok(Attributes(copied))
    }
}

impl Deletions {
    /// Without the lock: calls the program's functions. The first that fails is the last one called.
    ///
    /// # Safety
    /// The program's functions do what MPI says they do.
    pub unsafe fn run(self, object: usize) -> Result<()> {
        for Held { key, keyval, value } in self.0 {
            let Some(delete) = keyval.delete else { continue };
            // SAFETY: the caller vouches for it.
            let code = unsafe {
                let of = (keyval.owner, object);
                callbacks::delete_attribute(delete, of, key, pointer(value), pointer(keyval.extra_state))
            };
            refused(code, "delete", key)?;
        }
        Ok(())
    }
}

impl Held {
    /// The value that the duplicate gets, if any.
    unsafe fn copy(&self, object: usize) -> Result<Option<usize>> {
        let copy = match self.keyval.copy {
            Copying::Nothing => return Ok(None),
            Copying::Same => return Ok(Some(self.value)),
            Copying::Ask(copy) => copy,
        };
        let (mut value, mut flag): (*mut c_void, c_int) = (core::ptr::null_mut(), 0);
        let of = CopiedAttribute {
            owner: self.keyval.owner,
            object,
            key: self.key,
            extra_state: pointer(self.keyval.extra_state),
            value: pointer(self.value),
            copied: (&raw mut value).cast(),
        };
        // SAFETY: the caller vouches for the function; it gets a place for a pointer and one for an int.
        let code = unsafe { callbacks::copy_attribute(copy, &of, &mut flag) };
        refused(code, "copy", self.key)?;
        Ok((flag != 0).then_some(value.expose_provenance()))
    }
}

fn refused(code: c_int, which: &str, key: c_int) -> Result<()> {
    if code != MPI_SUCCESS {
        fail!(code, "the {which} function of keyval {key} returned {code}");
    }
    Ok(())
}

fn pointer(word: usize) -> *mut c_void {
    with_exposed_provenance_mut(word)
}

fn invalid(key: c_int) -> MpiError {
    match key {
        MPI_KEYVAL_INVALID => MpiError::new(MPI_ERR_KEYVAL, "the keyval is MPI_KEYVAL_INVALID"),
        MPI_TAG_UB..=MPI_UNIVERSE_SIZE => {
            MpiError::new(MPI_ERR_KEYVAL, "an attribute of the standard cannot be changed")
        }
        _ => MpiError::new(MPI_ERR_KEYVAL, format!("{key} is not a keyval")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C-unwind" fn double(
        _: usize,
        _: c_int,
        _: *mut c_void,
        value: *mut c_void,
        copy: *mut c_void,
        flag: *mut c_int,
    ) -> c_int {
        // SAFETY: called with places for a word and an int.
        unsafe {
            *copy.cast::<usize>() = 2 * value.addr();
            *flag = 1;
        }
        MPI_SUCCESS
    }

    unsafe extern "C-unwind" fn object(_: usize, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
        MPI_ERR_OTHER
    }

    fn keyval(copy: Copying) -> Keyval {
        Keyval { owner: Owner::Comm, copy, delete: None, extra_state: 0 }
    }

    #[test]
    fn a_duplicate_gets_what_the_functions_say() {
        let mut keyvals = Keyvals::default();
        let keys =
            [Copying::Nothing, Copying::Same, Copying::Ask(double)].map(|copy| keyvals.insert(keyval(copy)));
        let mut attributes = Attributes::default();
        keys.iter().for_each(|&key| attributes.set(key, 21));
        // SAFETY: the functions above are as they should be.
        let copied = unsafe { attributes.copies(&keyvals).run(0) }.unwrap();
        assert_eq!(keys.map(|key| copied.get(key)), [None, Some(21), Some(42)]);
    }

    #[test]
    fn a_delete_function_may_object() {
        let mut keyvals = Keyvals::default();
        let key = keyvals.insert(Keyval { delete: Some(object), ..keyval(Copying::Nothing) });
        let mut attributes = Attributes::default();
        attributes.set(key, 1);
        keyvals.free(key, Owner::Comm).unwrap();
        // SAFETY: the function above is as it should be.
        let error = unsafe { attributes.deletions(&keyvals).run(0) }.unwrap_err();
        assert_eq!(error.class, MPI_ERR_OTHER);
    }

    #[test]
    fn a_key_that_objects_have_may_be_freed_again() {
        let mut keyvals = Keyvals::default();
        let [attached, unused] = [(); 2].map(|()| keyvals.insert(keyval(Copying::Nothing)));
        keyvals.note_attached(attached);
        keyvals.note_attached(MPI_TAG_UB);
        for _ in 0..2 {
            keyvals.free(attached, Owner::Comm).unwrap();
        }
        assert!(keyvals.free(attached, Owner::Win).is_err());
        keyvals.free(unused, Owner::Comm).unwrap();
        assert!(keyvals.free(unused, Owner::Comm).is_err());
    }

    #[test]
    fn a_key_is_for_one_kind_of_object_until_it_is_freed() {
        let mut keyvals = Keyvals::default();
        let key = keyvals.insert(keyval(Copying::Same));
        assert!(keyvals.get(key, Owner::Comm).is_ok());
        assert_eq!(keyvals.get(key, Owner::Win).unwrap_err().class, MPI_ERR_KEYVAL);
        keyvals.free(key, Owner::Comm).unwrap();
        assert!(keyvals.get(key, Owner::Comm).is_err());
        assert!(keyvals.get(MPI_TAG_UB, Owner::Comm).is_err());
        let mut attributes = Attributes::default();
        assert!(keyvals.attached(key, Owner::Comm, &attributes).is_err());
        attributes.set(key, 1);
        assert!(keyvals.attached(key, Owner::Comm, &attributes).is_ok());
    }
}
