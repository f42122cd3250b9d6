//! Regions: MPI functions, computation and pauses.

use mpirage_interpret::function::{FunctionKind, function, functions};
use mpirage_otf2::{Paradigm, Role};

/// The region of computation.
pub(super) const COMPUTATION: u32 = 0;
/// The region of pauses.
pub(super) const PAUSE: u32 = 1;

/// A region.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub name: &'static str,
    pub role: Role,
    pub paradigm: Paradigm,
}

/// All regions, by number. A function gets a region when it is called for the first time.
pub(super) struct Regions {
    list: Vec<Region>,
    /// The region of each function; zero if it has none yet.
    of_function: Vec<u32>,
}

impl Regions {
    pub fn new() -> Regions {
        let computation = Region { name: "computation", role: Role::CODE, paradigm: Paradigm::USER };
        let pause = Region { name: "pause", role: Role::CODE, paradigm: Paradigm::USER };
        Regions { list: vec![computation, pause], of_function: vec![0; functions().len() + 1] }
    }

    /// The region of the function with this index.
    #[inline]
    pub fn of(&mut self, index: u16) -> u32 {
        let place = usize::from(index).min(self.of_function.len() - 1);
        match self.of_function[place] {
            0 => self.add(index, place),
            known => known,
        }
    }

    /// `MPI_Send` and `MPI_Send_c` are one region.
    #[cold]
    fn add(&mut self, index: u16, place: usize) -> u32 {
        let function = function(index);
        let known = self.list.iter().position(|region| region.name == function.name);
        let region = known.unwrap_or(self.list.len()) as u32;
        if known.is_none() {
            let role = role_of(function.kind, function.name);
            self.list.push(Region { name: function.name, role, paradigm: Paradigm::MPI });
        }
        self.of_function[place] = region;
        region
    }

    pub fn list(&self) -> &[Region] {
        &self.list
    }
}

/// The role of a function, in the terms of OTF2.
fn role_of(kind: FunctionKind, name: &str) -> Role {
    match kind {
        FunctionKind::Send
        | FunctionKind::Isend
        | FunctionKind::Recv
        | FunctionKind::Irecv
        | FunctionKind::Sendrecv => Role::POINT_TO_POINT,
        FunctionKind::Start | FunctionKind::Wait | FunctionKind::Test => Role::POINT_TO_POINT,
        FunctionKind::Barrier => Role::BARRIER,
        FunctionKind::Collective => role_of_collective(&name.to_ascii_lowercase()),
        FunctionKind::OneSided => Role::ONE_SIDED,
        FunctionKind::File => Role::FILE_IO,
        FunctionKind::Other if makes_communicators(name) => Role::COLLECTIVE,
        FunctionKind::Other => Role::FUNCTION,
    }
}

fn role_of_collective(name: &str) -> Role {
    let has = |word| name.contains(word);
    match () {
        () if has("scan") => Role::COLLECTIVE,
        () if has("reduce_scatter") || has("all") => Role::ALL_TO_ALL,
        () if has("bcast") || has("scatter") => Role::ONE_TO_ALL,
        () => Role::ALL_TO_ONE,
    }
}

fn makes_communicators(name: &str) -> bool {
    let made = ["dup", "split", "create", "cart_sub", "merge"]
        .iter()
        .any(|word| name.to_ascii_lowercase().contains(word));
    let of_communicators = ["MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_", "MPI_Intercomm_"];
    made && !name.contains("keyval")
        && !name.contains("errhandler")
        && of_communicators.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::index;

    #[test]
    fn functions_have_roles() {
        let roles = [
            ("MPI_Isend", Role::POINT_TO_POINT),
            ("MPI_Ibarrier", Role::BARRIER),
            ("MPI_Iallreduce", Role::ALL_TO_ALL),
            ("MPI_Reduce_scatter_block", Role::ALL_TO_ALL),
            ("MPI_Reduce", Role::ALL_TO_ONE),
            ("MPI_Scatterv", Role::ONE_TO_ALL),
            ("MPI_Exscan", Role::COLLECTIVE),
            ("MPI_Comm_split", Role::COLLECTIVE),
            ("MPI_Comm_create_keyval", Role::FUNCTION),
            ("MPI_Put", Role::ONE_SIDED),
            ("MPI_File_open", Role::FILE_IO),
            ("MPI_Comm_rank", Role::FUNCTION),
            ("MPI_Finalize", Role::FUNCTION),
        ];
        for (name, role) in roles {
            assert_eq!(role_of(function(index(name)).kind, name), role, "{name}");
        }
    }

    #[test]
    fn functions_get_regions_when_they_are_called() {
        let mut regions = Regions::new();
        let send = regions.of(index("MPI_Send"));
        assert_eq!(
            [index("MPI_Send_c"), index("MPI_Recv"), u16::MAX].map(|index| regions.of(index)),
            [send, 3, 4]
        );
        assert_eq!(regions.list().len(), 5);
    }
}
