//! Ranks that other ranks start (`MPI_Comm_spawn`).

use std::sync::Arc;

use mpirage_call::{RankId, SpawnedProgram};
use mpirage_channel::WorldPlace;

use crate::program::Program;
use crate::running::Running;

impl Running<'_> {
    /// The program of a rank that has been started.
    pub(crate) fn program(&self, rank: RankId) -> &Arc<Program> {
        let first = &self.session.programs;
        first.get(rank.index()).unwrap_or_else(|| &self.spawned[rank.index() - first.len()])
    }

    /// A rank is about to start that others have started. Returns its program, and the first rank and the size of its world.
    pub(crate) fn prepare_spawned(&mut self, rank: RankId) -> (Arc<Program>, RankId, u32) {
        let spawned = self.simulation.spawned(rank).expect("a rank has started it").clone();
        let programs = SpawnedProgram::read(&spawned.order);
        let process = rank.get() - spawned.first.get();
        let (number, program) = SpawnedProgram::of(&programs, process).expect("each process has a program");
        let program = self.executable(program, rank, spawned.parent);
        self.spawned.push(Arc::clone(&program));
        let place = WorldPlace {
            first: spawned.first.get(),
            spawned: true,
            parent: spawned.parent.get(),
            port: spawned.port,
            program: number,
            universe: self.session.hosts.len() as u32,
        };
        self.simulation.ranks().brief(rank, spawned.size, place);
        (program, spawned.first, spawned.size)
    }

    /// The program of the rank before if it is the same. All else that is said of programs is as for the parent's.
    fn executable(&self, program: &SpawnedProgram, rank: RankId, parent: RankId) -> Arc<Program> {
        let executable = Program {
            path: (&program.path).into(),
            arguments: program.arguments.iter().map(Into::into).collect(),
            folder: Some((&program.folder).into()),
            ..Program::clone(self.program(parent))
        };
        let before = self.program(RankId::new(rank.get() - 1));
        if **before == executable { Arc::clone(before) } else { Arc::new(executable) }
    }
}
