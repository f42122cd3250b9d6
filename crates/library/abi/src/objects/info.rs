//! Info objects: keys and values, in the order they were set.

use crate::caller::Caller;
use crate::constants::{MPI_ERR_INFO, MPI_INFO_ENV, MPI_INFO_NULL};
use crate::ground::error::{MpiError, Result, fail};
use crate::ground::handles::Handles;
use crate::types::MPI_Info;
use std::cell::OnceCell;

/// All info objects of this rank.
#[derive(Debug)]
pub(crate) struct Infos {
    handles: Handles<Info>,
    /// The words of the command that started the rank, if it is not a process with arguments of its own.
    command: Option<Vec<Vec<u8>>>,
    /// The object behind `MPI_INFO_ENV`, made when the program first asks.
    predefined: OnceCell<Info>,
}

/// Keys and values, as the bytes the program wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Info(Vec<(Vec<u8>, Vec<u8>)>);

impl Infos {
    /// None yet. `command` is what started the rank, if it is not this process.
    pub const fn new(command: Option<Vec<Vec<u8>>>) -> Infos {
        Infos { handles: Handles::new(), command, predefined: OnceCell::new() }
    }

    /// From now on, remembers which calls make them.
    pub fn remember_makers(&mut self) {
        self.handles.remember_makers();
    }

    /// The calls that made the infos that the program has not freed.
    pub fn unfreed(&self) -> impl Iterator<Item = Caller> {
        self.handles.unfreed().map(|(maker, _)| maker)
    }

    pub fn get(&self, info: MPI_Info) -> Result<&Info> {
        if info == MPI_INFO_ENV {
            return Ok(self.predefined.get_or_init(|| self.environment()));
        }
        self.handles.get(info.0).ok_or_else(|| invalid(info))
    }

    /// How this rank was started, for `MPI_INFO_ENV`.
    pub fn environment(&self) -> Info {
        let mut info = Info::default();
        let own = || std::env::args_os().map(|word| word.into_encoded_bytes()).collect();
        let mut words = self.command.clone().unwrap_or_else(own).into_iter();
        if let Some(command) = words.next() {
            info.set(b"command", &command);
        }
        let arguments: Vec<Vec<u8>> = words.collect();
        if !arguments.is_empty() {
            info.set(b"argv", &arguments.join(&b' '));
        }
        if let Ok(directory) = std::env::current_dir() {
            info.set(b"wdir", directory.as_os_str().as_encoded_bytes());
        }
        info
    }

    pub fn get_mut(&mut self, info: MPI_Info) -> Result<&mut Info> {
        if info == MPI_INFO_ENV {
            fail!(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
        }
        self.handles.get_mut(info.0).ok_or_else(|| invalid(info))
    }

    /// The hints in an info argument: none if it is `MPI_INFO_NULL`.
    pub fn hints(&self, info: MPI_Info) -> Result<Info> {
        if info == MPI_INFO_NULL { Ok(Info::default()) } else { self.get(info).cloned() }
    }

    pub fn insert(&mut self, info: Info) -> MPI_Info {
        MPI_Info(self.handles.insert(info))
    }

    pub fn remove(&mut self, info: MPI_Info) -> Result<()> {
        self.get_mut(info)?;
        self.handles.remove(info.0).map(drop).ok_or_else(|| invalid(info))
    }
}

impl Info {
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_slice())
    }

    pub fn set(&mut self, key: &[u8], value: &[u8]) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some(entry) => entry.1 = value.to_vec(),
            None => self.0.push((key.to_vec(), value.to_vec())),
        }
    }

    /// Was the key there?
    pub fn delete(&mut self, key: &[u8]) -> bool {
        let before = self.0.len();
        self.0.retain(|(known, _)| known != key);
        self.0.len() < before
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.0.iter().map(|(key, _)| key.as_slice())
    }
}

fn invalid(info: MPI_Info) -> MpiError {
    match info {
        MPI_INFO_NULL => MpiError::new(MPI_ERR_INFO, "the info is MPI_INFO_NULL"),
        MPI_Info(handle) => MpiError::new(MPI_ERR_INFO, format!("{handle:#x} is not an info")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_when_set_again() {
        let mut info = Info::default();
        info.set(b"a", b"1");
        info.set(b"b", b"2");
        info.set(b"a", b"3");
        assert_eq!(info.keys().collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(info.get(b"a"), Some(&b"3"[..]));
        assert!(info.delete(b"a"));
        assert!(!info.delete(b"a"));
    }

    #[test]
    fn the_environment_is_read_only() {
        let mut infos = Infos::new(None);
        assert!(infos.get(MPI_INFO_ENV).unwrap().get(b"command").is_some());
        assert!(infos.get_mut(MPI_INFO_ENV).is_err());
        assert!(infos.remove(MPI_INFO_ENV).is_err());
        assert_eq!(infos.hints(MPI_INFO_NULL), Ok(Info::default()));
    }
}
