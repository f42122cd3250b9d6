//! Handles: the words by which C programs refer to objects.
//!
//! The predefined ones have the small numbers of the ABI; the others start at `FIRST` and are used again when free. A rank
//! keeps few predefined objects of its own: what all ranks have in common is in tables of the kinds themselves, so that a
//! rank costs little where there are many in one process.

use mpirage_prefetch::fetch_slice;

use crate::caller::Caller;

const FIRST: usize = 0x10000;
const STEP: usize = 16;

/// The objects of one kind, by handle.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Handles<T> {
    /// A short list, with their handles.
    predefined: Vec<(usize, T)>,
    /// By the position of the handle after `FIRST`.
    dynamic: Vec<Option<T>>,
    /// Positions in `dynamic` that are free.
    free: Vec<u32>,
    /// The calls that made the objects of `dynamic`, if the run is checked for leaks.
    makers: Option<Vec<Option<Caller>>>,
}

impl<T> Handles<T> {
    pub(crate) const fn new() -> Handles<T> {
        Handles { predefined: Vec::new(), dynamic: Vec::new(), free: Vec::new(), makers: None }
    }

    /// Puts an object at a handle that the standard fixes.
    pub(crate) fn predefine(&mut self, handle: usize, object: T) {
        assert!(handle < FIRST);
        self.predefined.retain(|(known, _)| *known != handle);
        self.predefined.push((handle, object));
    }

    /// Gives an object a handle. Inlined, so that the object is made in its place: moved there, it would be read just after it
    /// was stored in smaller pieces, and would have to wait for those.
    #[inline(always)]
    pub(crate) fn insert(&mut self, object: T) -> usize {
        let position = match self.free.pop() {
            Some(position) => position as usize,
            None => self.grow(),
        };
        // A free place is empty: there is nothing to be dropped.
        std::mem::forget(self.dynamic[position].replace(object));
        if self.makers.is_some() {
            self.note_maker(position);
        }
        FIRST + STEP * position
    }

    #[cold]
    fn grow(&mut self) -> usize {
        self.dynamic.push(None);
        self.dynamic.len() - 1
    }

    /// From now on, who makes an object is remembered.
    pub(crate) fn remember_makers(&mut self) {
        self.makers = Some(Vec::new());
    }

    #[cold]
    fn note_maker(&mut self, position: usize) {
        let Some(makers) = &mut self.makers else { return };
        makers.resize(makers.len().max(position + 1), None);
        makers[position] = Some(Caller::last());
    }

    /// The program has freed its handle of an object that stays.
    pub(crate) fn disown(&mut self, handle: usize) {
        let maker = position(handle).and_then(|position| self.makers.as_mut()?.get_mut(position));
        maker.into_iter().for_each(|maker| *maker = None);
    }

    /// Objects that the program has not freed, with the calls that made them.
    pub(crate) fn unfreed(&self) -> impl Iterator<Item = (Caller, &T)> {
        let makers = self.makers.as_deref().unwrap_or_default();
        makers.iter().zip(&self.dynamic).filter_map(|(maker, object)| Some(((*maker)?, object.as_ref()?)))
    }

    pub(crate) fn get(&self, handle: usize) -> Option<&T> {
        match position(handle) {
            Some(position) => self.dynamic.get(position)?.as_ref(),
            None => self.predefined.iter().find(|(known, _)| *known == handle).map(|(_, object)| object),
        }
    }

    pub(crate) fn get_mut(&mut self, handle: usize) -> Option<&mut T> {
        match position(handle) {
            Some(position) => self.dynamic.get_mut(position)?.as_mut(),
            None => self.predefined.iter_mut().find(|(known, _)| *known == handle).map(|(_, object)| object),
        }
    }

    /// All objects that are not predefined, with their handles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let used = self.dynamic.iter().enumerate();
        used.filter_map(|(at, object)| object.as_ref().map(|object| (FIRST + STEP * at, object)))
    }

    /// Prefetches some of the objects, which are likely to be used.
    pub(crate) fn fetch(&self) {
        fetch_slice(&self.predefined, 1);
        fetch_slice(&self.dynamic, 8);
        fetch_slice(&self.free, 8);
    }

    /// Is this the handle of an object that was removed?
    pub(crate) fn is_stale(&self, handle: usize) -> bool {
        position(handle).and_then(|position| self.dynamic.get(position)).is_some_and(Option::is_none)
    }

    /// Removes an object; predefined ones stay.
    pub(crate) fn remove(&mut self, handle: usize) -> Option<T> {
        let position = position(handle)?;
        let object = self.dynamic.get_mut(position)?.take()?;
        self.free.push(position as u32);
        Some(object)
    }

    /// Removes an object if `look` returns something, and returns that. The object is not moved.
    #[inline(always)]
    pub(crate) fn remove_if<R>(&mut self, handle: usize, look: impl FnOnce(&T) -> Option<R>) -> Option<R> {
        let position = position(handle)?;
        let place = self.dynamic.get_mut(position)?;
        let found = look(place.as_ref()?)?;
        *place = None;
        self.free.push(position as u32);
        Some(found)
    }
}

/// The position of a dynamic handle's object. A number between handles gets a position that does not exist.
fn position(handle: usize) -> Option<usize> {
    let distance = handle.checked_sub(FIRST)?;
    Some(if distance.is_multiple_of(STEP) { distance / STEP } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::Handles;

    #[test]
    fn handles_are_used_again() {
        let mut handles = Handles::new();
        handles.predefine(0x101, "world");
        let (one, two) = (handles.insert("one"), handles.insert("two"));
        assert_eq!((one, two), (0x10000, 0x10010));
        assert_eq!(handles.remove(one), Some("one"));
        assert_eq!(handles.get(one), None);
        assert!(handles.is_stale(one) && !handles.is_stale(two));
        assert_eq!(handles.insert("three"), one);
        assert_eq!(handles.get(0x101), Some(&"world"));
        assert_eq!(handles.remove(0x101), None);
        assert_eq!(handles.remove_if(two, |_| None::<()>), None);
        assert_eq!(handles.remove_if(two, |text| Some(text.len())), Some(3));
        assert!(handles.is_stale(two));
    }

    #[test]
    fn a_number_between_handles_is_no_handle() {
        let mut handles = Handles::new();
        let one = handles.insert("one");
        assert_eq!(handles.get(one + 1), None);
        assert_eq!(handles.get_mut(one + 8), None);
    }
}
