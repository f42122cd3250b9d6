//! How long a collective takes by formula: a fan in and a fan out (Girona, Labarta, Badia, EuroPVM/MPI 2000,
//! section 3.1).
//!
//! ```text
//! T = FAN_IN + FAN_OUT        FAN = (L + SIZE / B) × factor
//! ```
//!
//! The factor is 0 (no such phase), 1 (constant), P (linear) or Nsteps (logarithmic). A tree over P has ⌈log2 P⌉
//! phases; in the i-th, C_i messages want a bus each, which takes ⌈C_i / buses⌉ steps. The program differs from the
//! paper in one thing, and so do we unless told otherwise: its linear factor is P − 1.
//!
//! Messages go within nodes and between nodes, so there is a fan in and a fan out for each: P is the number of ranks of
//! the node with the largest time, then the number of nodes.

use mpirage_call::Collective;

/// How the time of a phase grows with the number of participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fan {
    /// There is no such phase.
    None,
    /// It does not grow.
    Constant,
    /// With the number of participants.
    Linear,
    /// With the logarithm of that number.
    Logarithmic,
}

/// The message size in the formula, given the bytes sent and received by the root (or the last to enter).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FanSize {
    /// The bytes sent on the way in, the bytes received on the way out.
    Current,
    /// The larger of the two.
    Max,
    /// The smaller of the two.
    Min,
    /// Their mean.
    Mean,
    /// Twice the larger.
    TwiceMax,
    /// Their sum.
    Sum,
}

/// The two phases of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fans {
    /// How the way in grows, and the size that counts.
    pub fan_in: (Fan, FanSize),
    /// The same for the way out.
    pub fan_out: (Fan, FanSize),
}

/// The phases of every collective.
#[derive(Clone, Debug)]
pub struct FanTable {
    by_kind: [Fans; KINDS.len()],
    /// Is it the paper's table, perhaps with other rows? Then the linear factor is P, as in the paper, instead of P − 1, as in the program.
    is_of_paper: bool,
    /// The same, if the user says it.
    pub linear_with_root: Option<bool>,
}

/// Tables with the same phases and the same linear factor are equal, whether the user or the table says the factor.
impl PartialEq for FanTable {
    fn eq(&self, other: &FanTable) -> bool {
        (self.by_kind, self.counts_root()) == (other.by_kind, other.counts_root())
    }
}

/// One of the networks that a collective crosses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The number of participants.
    pub members: u32,
    /// Seconds.
    pub latency: f64,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Messages at a time; none for any number.
    pub buses: Option<u32>,
}

/// Every collective, in the order of Dimemas' numbers.
pub const KINDS: [Collective; 17] = [
    Collective::Barrier,
    Collective::Bcast,
    Collective::Gather,
    Collective::Gatherv,
    Collective::Scatter,
    Collective::Scatterv,
    Collective::Allgather,
    Collective::Allgatherv,
    Collective::Alltoall,
    Collective::Alltoallv,
    Collective::Reduce,
    Collective::Allreduce,
    Collective::ReduceScatter,
    Collective::ReduceScatterBlock,
    Collective::Scan,
    Collective::Alltoallw,
    Collective::Exscan,
];

/// Bytes that the member sends and receives whose sizes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
}

impl FanTable {
    /// Every collective fans in and out like this, and counts what is sent on the way in and received on the way out;
    /// only a reduction to one takes constant phases. This is what Dimemas does unless told otherwise.
    pub fn uniform(fan: Fan) -> FanTable {
        let fans = |fan| Fans { fan_in: (fan, FanSize::Current), fan_out: (fan, FanSize::Current) };
        let by_kind = [fans(fan); KINDS.len()];
        let mut table = FanTable { by_kind, is_of_paper: false, linear_with_root: None };
        table.set(Collective::Reduce, fans(Fan::Constant));
        table
    }

    /// Table 3 of the paper.
    pub fn of_paper() -> FanTable {
        use Collective as C;
        use Fan::{Linear as Lin, Logarithmic as Log, None as No};
        use FanSize::{Max, Mean, Min, TwiceMax};
        let mut table = FanTable { is_of_paper: true, ..FanTable::uniform(Log) };
        let rows: [(&[C], Fan, FanSize, Fan, FanSize); 9] = [
            (&[C::Barrier], Lin, Max, Lin, Max),
            (&[C::Bcast], Log, Max, No, Max),
            (&[C::Gather, C::Gatherv], Log, Mean, No, Max),
            (&[C::Scatter, C::Scatterv], No, Max, Log, Mean),
            (&[C::Allgather, C::Allgatherv], Log, Mean, Log, Mean),
            (&[C::Alltoall, C::Alltoallv, C::Alltoallw], Log, Mean, Log, Max),
            (&[C::Reduce], Log, TwiceMax, No, Max),
            (&[C::Allreduce], Log, TwiceMax, Log, Max),
            (&[C::ReduceScatter, C::ReduceScatterBlock], Log, TwiceMax, Log, Min),
        ];
        for (kinds, fan_in, size_in, fan_out, size_out) in rows {
            for &kind in kinds {
                table.set(kind, Fans { fan_in: (fan_in, size_in), fan_out: (fan_out, size_out) });
            }
        }
        for kind in [C::Scan, C::Exscan] {
            table.set(kind, Fans { fan_in: (Log, Max), fan_out: (Log, Max) });
        }
        table
    }

    /// The two phases of a collective.
    pub fn get(&self, kind: Collective) -> Fans {
        self.by_kind[place_of(kind)]
    }

    /// Sets the two phases of a collective.
    pub fn set(&mut self, kind: Collective, fans: Fans) {
        self.by_kind[place_of(kind)] = fans;
    }

    /// Is the linear factor P instead of P − 1?
    pub fn counts_root(&self) -> bool {
        self.linear_with_root.unwrap_or(self.is_of_paper)
    }

    /// Seconds that a collective takes on one of its networks.
    pub fn seconds(&self, kind: Collective, Exchanged { sent, received }: Exchanged, level: &Level) -> f64 {
        let Fans { fan_in, fan_out } = self.get(kind);
        let fan = |(fan, size): (Fan, FanSize), current: u64| {
            let bytes = size.of(sent, received, current) as f64;
            (level.latency + bytes / level.bandwidth) * self.factor(fan, level) as f64
        };
        fan(fan_in, sent) + fan(fan_out, received)
    }

    fn factor(&self, fan: Fan, level: &Level) -> u64 {
        match fan {
            Fan::None => 0,
            Fan::Constant => 1,
            // A node with one rank has nobody to talk to.
            Fan::Linear if self.counts_root() && level.members > 1 => u64::from(level.members),
            Fan::Linear => u64::from(level.members.saturating_sub(1)),
            Fan::Logarithmic => steps(level.members, level.buses),
        }
    }
}

/// Nsteps: the number of steps that a tree over `members` takes with this many buses.
pub fn steps(members: u32, buses: Option<u32>) -> u64 {
    let phases = u32::BITS - members.saturating_sub(1).leading_zeros();
    let Some(buses) = buses else { return u64::from(phases) };
    (0..phases)
        .map(|phase| {
            // Pairs 2^i apart: the j-th message of the phase starts at member 2^i − 1 + j·2^(i+1).
            let messages =
                (u64::from(members) - 1).saturating_sub((1 << phase) - 1).div_ceil(1 << (phase + 1));
            messages.div_ceil(u64::from(buses.max(1)))
        })
        .sum()
}

impl FanSize {
    fn of(self, sent: u64, received: u64, current: u64) -> u64 {
        match self {
            FanSize::Current => current,
            FanSize::Max => sent.max(received),
            FanSize::Min => sent.min(received),
            FanSize::Mean => (sent + received) / 2,
            FanSize::TwiceMax => 2 * sent.max(received),
            FanSize::Sum => sent + received,
        }
    }
}

fn place_of(kind: Collective) -> usize {
    KINDS.iter().position(|&known| known == kind).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: Level = Level { members: 16, latency: 25e-6, bandwidth: 87.5e6, buses: None };

    fn factor(fan: Fan, members: u32, buses: Option<u32>) -> u64 {
        FanTable::uniform(fan).factor(fan, &Level { members, buses, ..LEVEL })
    }

    #[test]
    fn table_1_says_what_the_factors_are() {
        assert_eq!(factor(Fan::None, 16, None), 0);
        assert_eq!(factor(Fan::Constant, 16, None), 1);
        assert_eq!(factor(Fan::Linear, 16, None), 15);
        let paper = FanTable::of_paper();
        assert_eq!(
            [1, 2, 16].map(|members| paper.factor(Fan::Linear, &Level { members, ..LEVEL })),
            [0, 2, 16]
        );
        let program = FanTable { linear_with_root: Some(false), ..paper };
        assert_eq!(program.factor(Fan::Linear, &LEVEL), 15);
        assert_eq!(factor(Fan::Logarithmic, 16, None), 4);
        assert_eq!([1, 2, 3, 64, 65].map(|p| factor(Fan::Logarithmic, p, None)), [0, 1, 2, 6, 7]);
    }

    #[test]
    fn phases_that_want_more_buses_than_there_are_take_more_steps() {
        // The example of the paper: 8 messages and 5 buses. 16 members: 8, 4, 2, 1 messages.
        assert_eq!(steps(16, Some(5)), 2 + 1 + 1 + 1);
        assert_eq!([1, 2, 3, 4, 7, 8, 16].map(|buses| steps(16, Some(buses))), [15, 8, 7, 5, 5, 4, 4]);
        // Counted one by one.
        for members in 1..70u32 {
            for buses in 1..9u32 {
                let phases = (0u32..).take_while(|i| 1u64 << i < u64::from(members));
                let count = |i: u32| (2usize.pow(i) - 1..members as usize - 1).step_by(2 << i).count() as u32;
                let naive: u32 = phases.map(|i| count(i).div_ceil(buses)).sum();
                assert_eq!(steps(members, Some(buses)), u64::from(naive), "{members} members, {buses} buses");
            }
        }
    }

    #[test]
    fn table_2_says_which_size_counts() {
        let sizes = [FanSize::Max, FanSize::Min, FanSize::Mean, FanSize::TwiceMax, FanSize::Sum];
        assert_eq!(sizes.map(|size| size.of(100, 301, 7)), [301, 100, 200, 602, 401]);
        assert_eq!(FanSize::Current.of(100, 301, 7), 7);
    }

    #[test]
    fn table_3_says_how_collectives_go() {
        let table = FanTable::of_paper();
        let (sent, received, step) = (1000, 3000, |bytes: f64| 25e-6 + bytes / 87.5e6);
        let expected = [
            (Collective::Barrier, 32.0 * step(3000.0)),
            (Collective::Bcast, 4.0 * step(3000.0)),
            (Collective::Gather, 4.0 * step(2000.0)),
            (Collective::Gatherv, 4.0 * step(2000.0)),
            (Collective::Scatter, 4.0 * step(2000.0)),
            (Collective::Scatterv, 4.0 * step(2000.0)),
            (Collective::Allgather, 8.0 * step(2000.0)),
            (Collective::Allgatherv, 8.0 * step(2000.0)),
            (Collective::Alltoall, 4.0 * step(2000.0) + 4.0 * step(3000.0)),
            (Collective::Alltoallv, 4.0 * step(2000.0) + 4.0 * step(3000.0)),
            (Collective::Reduce, 4.0 * step(6000.0)),
            (Collective::Allreduce, 4.0 * step(6000.0) + 4.0 * step(3000.0)),
            (Collective::ReduceScatter, 4.0 * step(6000.0) + 4.0 * step(1000.0)),
            (Collective::Scan, 8.0 * step(3000.0)),
        ];
        for (kind, seconds) in expected {
            let got = table.seconds(kind, Exchanged { sent, received }, &LEVEL);
            assert!((got - seconds).abs() < 1e-12, "{kind}: {got} instead of {seconds}");
        }
    }

    #[test]
    fn what_dimemas_was_seen_to_say() {
        let log = FanTable::uniform(Fan::Logarithmic);
        let level = |members| Level { members, latency: 5e-6, bandwidth: 1000.0 * 1_048_576.0, buses: None };
        let close = |got: f64, expected: f64| assert!((got - expected).abs() < 5e-9, "{got}");
        close(
            log.seconds(Collective::Allreduce, Exchanged { sent: 1024, received: 1024 }, &level(64)),
            71.72e-6,
        );
        close(
            log.seconds(Collective::Allreduce, Exchanged { sent: 1 << 20, received: 1 << 20 }, &level(4)),
            4.02e-3,
        );
        close(
            log.seconds(Collective::Reduce, Exchanged { sent: 1 << 20, received: 1 << 20 }, &level(4)),
            2.01e-3,
        );
    }
}
