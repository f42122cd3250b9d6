//! Groups as the program holds them.

use crate::caller::Caller;
use crate::constants::{MPI_ERR_GROUP, MPI_GROUP_EMPTY, MPI_GROUP_NULL};
use crate::ground::error::{MpiError, Result};
use crate::ground::handles::Handles;
use crate::types::{MPI_Group, MPI_Session};
use mpirage_data::Group;

/// All groups of this process.
#[derive(Debug)]
pub(crate) struct Groups {
    handles: Handles<Group>,
    /// Those that come from a session.
    sessions: Vec<(MPI_Group, MPI_Session)>,
}

impl Groups {
    pub fn new() -> Groups {
        let mut handles = Handles::new();
        handles.predefine(MPI_GROUP_EMPTY.0, Group::empty());
        Groups { handles, sessions: Vec::new() }
    }

    /// From now on, remembers which calls make them.
    pub fn remember_makers(&mut self) {
        self.handles.remember_makers();
    }

    /// The calls that made the groups that the program has not freed.
    pub fn unfreed(&self) -> impl Iterator<Item = Caller> {
        self.handles.unfreed().map(|(maker, _)| maker)
    }

    pub fn get(&self, group: MPI_Group) -> Result<&Group> {
        self.handles.get(group.0).ok_or_else(|| invalid(group))
    }

    /// The handle of a group, which is `MPI_GROUP_EMPTY` if it has no members.
    pub fn insert(&mut self, group: Group) -> MPI_Group {
        match group.size() {
            0 => MPI_GROUP_EMPTY,
            _ => MPI_Group(self.handles.insert(group)),
        }
    }

    /// The same for a group that comes from a session, if it does.
    pub fn insert_of(&mut self, session: Option<MPI_Session>, group: Group) -> MPI_Group {
        let handle = self.insert(group);
        self.sessions.extend(session.filter(|_| handle != MPI_GROUP_EMPTY).map(|session| (handle, session)));
        handle
    }

    /// The session that a group comes from.
    pub fn session_of(&self, group: MPI_Group) -> Option<MPI_Session> {
        self.sessions.iter().find(|(known, _)| *known == group).map(|&(_, session)| session)
    }

    /// The program gives up its handle. Since any operation may yield `MPI_GROUP_EMPTY`, that may be freed too.
    pub fn remove(&mut self, group: MPI_Group) -> Result<()> {
        self.get(group)?;
        self.sessions.retain(|&(known, _)| known != group);
        self.handles.remove(group.0);
        Ok(())
    }
}

fn invalid(group: MPI_Group) -> MpiError {
    match group {
        MPI_GROUP_NULL => MpiError::new(MPI_ERR_GROUP, "the group is MPI_GROUP_NULL"),
        MPI_Group(handle) => MpiError::new(MPI_ERR_GROUP, format!("{handle:#x} is not a group")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_group_is_the_predefined_one() {
        let mut groups = Groups::new();
        let pair = groups.insert(Group::world(2));
        assert_eq!(groups.get(pair).unwrap().size(), 2);
        assert_eq!(groups.insert(Group::empty()), MPI_GROUP_EMPTY);
        groups.remove(MPI_GROUP_EMPTY).unwrap();
        assert_eq!(groups.get(MPI_GROUP_EMPTY).unwrap().size(), 0);
        groups.remove(pair).unwrap();
        assert!(groups.get(pair).is_err());
        assert!(groups.remove(MPI_GROUP_NULL).is_err());
    }
}
