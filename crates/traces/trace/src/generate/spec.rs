//! `gen:NAME,key=value,…`: the patterns, their keys, and the parser of what a user has typed.

use mpirage_call::Collective;
use mpirage_data::dims_create;
use mpirage_units::{BYTES, DURATION, FACTOR, WORK, did_you_mean};

use super::collective::CollectiveSpec;
use super::grid::Grid;
use super::training;
use super::typed::{KeyInfo, PatternInfo, Typed, key, name_of};
use crate::TraceError;

/// More ranks than this are refused.
const MOST_RANKS: u32 = 1 << 26;

/// The patterns that can be generated.
pub const PATTERNS: &[PatternInfo] = &[
    info("halo2d", "each rank exchanges with its 4 neighbours in a grid", &["bytes", "dims", "periodic"]),
    info("halo3d", "each rank exchanges with its 6 neighbours in a grid", &["bytes", "dims", "periodic"]),
    info(
        "sweep3d",
        "wavefronts from the 8 corners through a 2D grid of ranks",
        &["bytes", "dims", "planes", "angles"],
    ),
    info("ring", "each rank sends to the next and receives from the one before", &["bytes"]),
    info(
        "random",
        "each rank sends to others that it draws; receivers know from whom",
        &["bytes", "messages"],
    ),
    info("pingpong", "rank r and rank r + ranks/2 send a message there and back", &["bytes"]),
    info("incast", "all ranks send to one", &["bytes", "root"]),
    info("allreduce", "MPI_Allreduce", &["bytes"]),
    info("alltoall", "MPI_Alltoall", &["bytes"]),
    info("bcast", "MPI_Bcast", &["bytes", "root"]),
    info("barrier", "MPI_Barrier", &[]),
    info("gather", "MPI_Gather", &["bytes", "root"]),
    info("gatherv", "MPI_Gatherv, with blocks of one size", &["bytes", "root"]),
    info("scatter", "MPI_Scatter", &["bytes", "root"]),
    info("scatterv", "MPI_Scatterv, with blocks of one size", &["bytes", "root"]),
    info("allgather", "MPI_Allgather", &["bytes"]),
    info("allgatherv", "MPI_Allgatherv, with blocks of one size", &["bytes"]),
    info("alltoallv", "MPI_Alltoallv, with blocks of one size", &["bytes"]),
    info("alltoallw", "MPI_Alltoallw, with blocks of one size", &["bytes"]),
    info("reduce", "MPI_Reduce", &["bytes", "root"]),
    info("reduce-scatter", "MPI_Reduce_scatter, with blocks of one size", &["bytes"]),
    info("reduce-scatter-block", "MPI_Reduce_scatter_block", &["bytes"]),
    info("scan", "MPI_Scan", &["bytes"]),
    info("exscan", "MPI_Exscan", &["bytes"]),
];

/// The keys that patterns know; those that all know come first.
pub const KEYS: &[KeyInfo] = &[
    key("ranks", "16", "how many ranks there are"),
    key("iterations", "10", "how often the pattern is repeated"),
    key("compute", "0", "computation of a rank in an iteration: a time (50us) or work (2Mf, in flops)"),
    key(
        "imbalance",
        "1",
        "computation of the last rank relative to the first; those between are spread evenly",
    ),
    key("noise", "0", "each computation takes up to this part longer, at random (0.1: up to 10 %)"),
    key("seed", "0", "what random numbers start from"),
    key(
        "bytes",
        "1KiB",
        "size of a message; of collectives, of the vector that is broadcast or reduced, or of one block",
    ),
    key("dims", "", "extents of the grid (4x8); chosen as MPI_Dims_create does if not given"),
    key("periodic", "yes", "yes: the grid is a torus; no: it has borders"),
    key("planes", "10", "blocks of planes that a wavefront passes one after the other"),
    key("angles", "1", "blocks of angles, each of which is a wavefront of its own"),
    key("messages", "4", "how many messages each rank sends in an iteration"),
    key("root", "0", "the rank that receives, or the root of a collective"),
];

/// The first of the keys, which every pattern knows.
const COMMON: usize = 6;

const fn info(name: &'static str, meaning: &'static str, keys: &'static [&'static str]) -> PatternInfo {
    PatternInfo { name, meaning, keys }
}

/// The computation of a rank in an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Nanos(f64),
    Flops(f64),
}

/// The communication pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pattern {
    Halo(Grid),
    Sweep { grid: Grid, planes: u32, angles: u32 },
    Ring,
    Random { messages: u32 },
    PingPong,
    Incast { root: u32 },
    Collective(CollectiveSpec),
}

/// The user's specification, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spec {
    pub pattern: Pattern,
    pub ranks: u32,
    pub iterations: u32,
    pub bytes: u64,
    pub compute: Amount,
    pub imbalance: f64,
    pub noise: f64,
    pub seed: u64,
}

impl Spec {
    /// A collective and nothing else.
    pub fn of_collective(collective: CollectiveSpec, iterations: u32) -> Spec {
        Spec {
            pattern: Pattern::Collective(collective),
            ranks: collective.ranks,
            iterations,
            bytes: collective.bytes,
            compute: Amount::Nanos(0.0),
            imbalance: 1.0,
            noise: 0.0,
            seed: 0,
        }
    }

    /// Reads `gen:NAME,key=value,…`.
    pub fn parse(text: &str) -> Result<Spec, TraceError> {
        let typed = typed(text)?;
        let ranks = typed.whole("ranks", 1..=MOST_RANKS)?;
        Ok(Spec {
            pattern: typed.pattern(ranks)?,
            ranks,
            iterations: typed.whole("iterations", 0..=u32::MAX - 2)?,
            bytes: typed.bytes()?,
            compute: typed.amount()?,
            imbalance: typed.real("imbalance")?,
            noise: typed.real("noise")?,
            seed: typed.number("seed", "a whole number")?,
        })
    }
}

/// The pattern that a user has named, and what else was typed.
fn typed(text: &str) -> Result<Typed<'_>, TraceError> {
    let name = name_of(text);
    let Some(info) = PATTERNS.iter().find(|info| info.name == name) else {
        let names: Vec<_> = PATTERNS.iter().map(|info| info.name).chain([training::NAME]).collect();
        return Err(TraceError::Spec(format!(
            "{text}: there is no pattern `{name}`; there are {}{}",
            names.join(", "),
            did_you_mean(name, names.iter().copied())
        )));
    };
    let own = info.keys.iter().filter_map(|name| KEYS.iter().find(|key| key.name == *name));
    Typed::split(text, info.name, (KEYS[..COMMON].iter().chain(own).collect(), KEYS))
}

/// What patterns read.
impl Typed<'_> {
    fn bytes(&self) -> Result<u64, TraceError> {
        let bytes =
            BYTES.read_whole(self.value("bytes")).map_err(|error| self.bad(format!("bytes: {error}")))?;
        if bytes <= 1 << 36 {
            return Ok(bytes);
        }
        Err(self.bad(format!("`bytes={bytes}`: no message is larger than 64 GiB here")))
    }

    fn amount(&self) -> Result<Amount, TraceError> {
        let value = self.value("compute");
        if FACTOR.read(value).is_ok_and(|number| number.value() != 0.0) {
            return Err(self.bad(format!(
                "`compute={value}` has no unit; write a time (50us) or work in floating-point operations (2Mf)"
            )));
        }
        if let Ok(seconds) = DURATION.read(value) {
            return Ok(Amount::Nanos(seconds.value() * 1e9));
        }
        WORK.read(value).map(|flops| Amount::Flops(flops.value())).map_err(|_| {
            self.bad(format!("`compute={value}` is neither a time (50us) nor an amount of work (2Mf)"))
        })
    }

    fn pattern(&self, ranks: u32) -> Result<Pattern, TraceError> {
        let root = || self.whole("root", 0..=ranks - 1);
        Ok(match self.name() {
            "halo2d" => Pattern::Halo(self.grid(ranks, 2, self.yes_or_no("periodic")?)?),
            "halo3d" => Pattern::Halo(self.grid(ranks, 3, self.yes_or_no("periodic")?)?),
            "sweep3d" => Pattern::Sweep {
                grid: self.grid(ranks, 2, false)?,
                planes: self.whole("planes", 1..=1 << 14)?,
                angles: self.whole("angles", 1..=1 << 10)?,
            },
            "ring" => Pattern::Ring,
            "random" => Pattern::Random { messages: self.whole("messages", 0..=1 << 16)? },
            "pingpong" => Pattern::PingPong,
            "incast" => Pattern::Incast { root: root()? },
            name => {
                let kind = Collective::from_name(name).unwrap_or(Collective::Barrier);
                let root = if kind.is_rooted() { root()? } else { 0 };
                Pattern::Collective(CollectiveSpec { kind, ranks, bytes: self.bytes()?, root })
            }
        })
    }

    fn grid(&self, ranks: u32, dimensions: usize, periodic: bool) -> Result<Grid, TraceError> {
        let extents = match self.value("dims") {
            "" => self.chosen_dims(ranks, dimensions)?,
            given => self.given_dims(given, ranks, dimensions)?,
        };
        Ok(Grid::new(&extents, periodic))
    }

    fn chosen_dims(&self, ranks: u32, dimensions: usize) -> Result<Vec<u32>, TraceError> {
        let mut dims = vec![0; dimensions];
        dims_create(ranks as i32, &mut dims).map_err(|error| self.bad(error.to_string()))?;
        Ok(dims.into_iter().map(|extent| extent as u32).collect())
    }

    fn given_dims(&self, given: &str, ranks: u32, dimensions: usize) -> Result<Vec<u32>, TraceError> {
        let extents: Result<Vec<u32>, _> = given.split('x').map(str::parse).collect();
        let Ok(extents) = extents else {
            return Err(self.bad(format!("`dims={given}`: write extents like 4x8")));
        };
        let product = extents.iter().fold(1u64, |product, &extent| product.saturating_mul(extent.into()));
        if extents.len() != dimensions || product != u64::from(ranks) {
            return Err(self.bad(format!(
                "`dims={given}`: {} needs {dimensions} extents whose product is {ranks}, the number of ranks",
                self.name()
            )));
        }
        Ok(extents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Spec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_typed_is_read() {
        let spec =
            Spec::parse("gen:halo3d,ranks=24,bytes=64KiB,iterations=3,compute=2Mf,dims=2x3x4,periodic=no");
        let spec = spec.unwrap();
        assert_eq!((spec.ranks, spec.bytes, spec.iterations), (24, 65536, 3));
        assert_eq!(spec.compute, Amount::Flops(2e6));
        assert_eq!(spec.pattern, Pattern::Halo(Grid::new(&[2, 3, 4], false)));
        let spec = Spec::parse("gen:ring,compute=2s,seed=18446744073709551615").unwrap();
        assert_eq!(spec.compute, Amount::Nanos(2e9));
    }

    #[test]
    fn grids_are_chosen_as_mpi_does() {
        let spec = Spec::parse("gen:halo2d,ranks=12").unwrap();
        assert_eq!(spec.pattern, Pattern::Halo(Grid::new(&[4, 3], true)));
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        assert!(problem("gen:halo4d").contains("halo2d, halo3d, sweep3d"), "{}", problem("gen:halo4d"));
        assert!(
            problem("gen:ring,root=1").contains("it knows ranks, iterations"),
            "{}",
            problem("gen:ring,root=1")
        );
        assert!(problem("gen:ring,ranks").contains("key=value"));
        assert!(problem("gen:ring,ranks=0").contains("from 1 to"));
        assert!(problem("gen:ring,ranks=2,ranks=3").contains("twice"));
        assert!(problem("gen:bcast,ranks=4,root=4").contains("from 0 to 3"));
        assert!(problem("gen:halo2d,ranks=16,dims=4x5").contains("product is 16"));
        assert!(problem("gen:ring,compute=5").contains("has no unit"));
        assert!(problem("gen:ring,compute=fast").contains("neither a time"));
        assert!(problem("gen:ring,noise=nan").contains("noise: `nan` is not a factor"));
        assert!(problem("gen:ring,imbalance=-1").contains("not negative"));
        assert!(problem("gen:ring,bytes=1EB").contains("64 GiB"));
    }

    #[test]
    fn every_collective_is_a_pattern() {
        for kind in Collective::OF_ALL_RANKS {
            let spec = Spec::parse(&format!("gen:{kind},ranks=4")).unwrap();
            assert!(matches!(spec.pattern, Pattern::Collective(found) if found.kind == kind), "{kind}");
            let keys = PATTERNS.iter().find(|info| info.name == kind.name()).unwrap().keys;
            assert_eq!(keys.contains(&"root"), kind.is_rooted(), "{kind}");
        }
    }

    #[test]
    fn every_key_of_a_pattern_is_listed() {
        for info in PATTERNS {
            assert!(
                info.keys.iter().all(|key| KEYS[COMMON..].iter().any(|known| known.name == *key)),
                "{info:?}"
            );
            let named = format!("gen:{}", info.name);
            assert!(Spec::parse(&named).is_ok(), "{named}");
        }
    }

    #[test]
    fn the_reference_tells_every_pattern_and_key_with_its_default() {
        let page = include_str!("../../../../../docs/reference/generated.md");
        for info in PATTERNS {
            assert!(page.contains(&format!("`{}`", info.name)), "{}", info.name);
        }
        for key in KEYS {
            let row = format!("| `{}` | {}", key.name, key.default);
            assert!(page.contains(row.trim()), "{row}");
        }
    }
}
