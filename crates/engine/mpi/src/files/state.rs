//! All files of a run.

use std::collections::HashMap;

use mpirage_call::{ContextId, FileHints, RankId};
use mpirage_platform::{StorageSpec, Storages};
use mpirage_units::{Duration, Time};

use super::access::{Io, Leg};
use super::gathering::Gathering;
use super::layout::FileLayout;
use crate::ids::{FileActivityId, GatheringId, IoId, Table};

/// Statistics of the ranks' use of files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileStatistics {
    /// Files that were opened, each counted once however many ranks opened it together.
    pub opened: u64,
    /// Accesses that read.
    pub reads: u64,
    /// Accesses that wrote.
    pub writes: u64,
    /// Bytes that ranks read.
    pub bytes_read: u64,
    /// Bytes that ranks wrote.
    pub bytes_written: u64,
    /// How long the accesses of all ranks took together.
    pub time: Duration,
    /// Did files lie on a storage that the platform does not describe?
    pub on_default: bool,
}

/// A file that is open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub layout: FileLayout,
    pub hints: FileHints,
    /// The shared file pointer, in units of the view.
    pub pointer: u64,
    /// Ranks that have it open, and the collective access that each enters next.
    ranks: HashMap<RankId, u64>,
    /// Collective accesses that some ranks have entered, by number.
    gatherings: HashMap<u64, GatheringId>,
}

/// Something that a token of the kernel stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileActivity {
    Leg(Leg),
    Message(GatheredMessage),
}

/// Bytes between a rank and an aggregator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatheredMessage {
    pub gathering: GatheringId,
    pub aggregator: usize,
    pub from: RankId,
    pub to: RankId,
    pub bytes: u64,
    pub sent: Time,
}

/// The files of a run.
#[derive(Debug)]
pub(crate) struct Files {
    storages: Storages,
    open: HashMap<ContextId, OpenFile>,
    pub ios: Table<IoId, Io>,
    pub activities: Table<FileActivityId, FileActivity>,
    pub gatherings: Table<GatheringId, Gathering>,
    pub statistics: FileStatistics,
    /// Files of each storage so far.
    made: HashMap<u32, u32>,
}

impl Files {
    pub(crate) fn new(storages: Storages) -> Files {
        Files {
            storages,
            open: HashMap::new(),
            ios: Table::new(),
            activities: Table::new(),
            gatherings: Table::new(),
            statistics: FileStatistics::default(),
            made: HashMap::new(),
        }
    }

    /// A rank opens a file: the layout that the first one's hints give it.
    pub(crate) fn open(&mut self, file: ContextId, rank: RankId, path: &str, hints: FileHints) -> FileLayout {
        if !self.open.contains_key(&file) {
            let storage = self.storages.find(path);
            let number = self.made.entry(storage.0).or_default();
            let layout = FileLayout::new(storage, self.storages.get(storage), &hints, *number);
            *number += 1;
            self.statistics.opened += 1;
            self.statistics.on_default |= self.storages.get(storage).is_default;
            let opened =
                OpenFile { layout, hints, pointer: 0, ranks: HashMap::new(), gatherings: HashMap::new() };
            self.open.insert(file, opened);
        }
        let opened = self.open.get_mut(&file).expect("just inserted");
        opened.ranks.insert(rank, 0);
        opened.layout
    }

    /// Where a file lies that is not open.
    pub(crate) fn layout_of_path(&mut self, path: &str) -> FileLayout {
        let storage = self.storages.find(path);
        let spec = self.storages.get(storage);
        self.statistics.on_default |= spec.is_default;
        FileLayout::new(storage, spec, &FileHints::default(), 0)
    }

    /// A rank closes a communicator; true if it belongs to a file that the rank had open.
    pub(crate) fn close(&mut self, file: ContextId, rank: RankId) -> bool {
        let Some(opened) = self.open.get_mut(&file) else { return false };
        let had = opened.ranks.remove(&rank).is_some();
        if opened.ranks.is_empty() {
            self.open.remove(&file);
        }
        had
    }

    pub(crate) fn get(&self, file: ContextId) -> Option<&OpenFile> {
        self.open.get(&file)
    }

    pub(crate) fn get_mut(&mut self, file: ContextId) -> Option<&mut OpenFile> {
        self.open.get_mut(&file)
    }

    pub(crate) fn storage(&self, layout: &FileLayout) -> &StorageSpec {
        self.storages.get(layout.storage)
    }

    /// The collective access that a rank enters, of a file of `size` ranks; made if it is the first.
    pub(crate) fn enter(
        &mut self,
        file: ContextId,
        rank: RankId,
        write: bool,
        size: u32,
    ) -> Option<GatheringId> {
        let opened = self.open.get_mut(&file)?;
        let next = opened.ranks.get_mut(&rank)?;
        let number = *next;
        *next += 1;
        if let Some(&id) = opened.gatherings.get(&number) {
            return Some(id);
        }
        let id = self.gatherings.insert(Gathering::new(file, write, size, &opened.hints));
        opened.gatherings.insert(number, id);
        Some(id)
    }

    /// All ranks have entered a collective access, so that no other will be looked up by its number.
    pub(crate) fn forget_number(&mut self, file: ContextId, id: GatheringId) {
        if let Some(opened) = self.open.get_mut(&file) {
            opened.gatherings.retain(|_, known| *known != id);
        }
    }

    /// The collective access that a rank has entered and that others have not: the file, and who is missing as ranks of it.
    pub(crate) fn missing(&self, rank: RankId) -> Option<(ContextId, Vec<u32>)> {
        let waits =
            |gathering: &&Gathering| gathering.missing > 0 && gathering.parts().any(|part| part.rank == rank);
        let gathering = self.gatherings.iter().find(waits)?;
        let absent = gathering.parts.iter().enumerate().filter(|(_, part)| part.is_none());
        Some((gathering.file, absent.map(|(member, _)| member as u32).collect()))
    }
}
