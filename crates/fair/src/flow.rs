//! Flows: what each has left to do, and where it is at home.
//!
//! Work is kept multiplied by the penalty (*virtual* work), so that a flow of level λ does λ of it per second.
//! Weights are kept divided by the penalty (*shares*), so that its load on a resource is share·λ.

use mpirage_units::Time;

/// What decides a flow's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Nothing yet: the flow is new.
    Nowhere,
    /// Its own bound.
    Bound,
    /// A full resource.
    At(u32),
}

/// One use of a resource by a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub resource: u32,
    /// Weight divided by penalty.
    pub share: f64,
    /// Position in the resource's list of users.
    pub slot: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub generation: u32,
    /// Order of start, which breaks ties.
    pub sequence: u64,
    pub token: u64,
    pub home: Home,
    /// Growing in the solve that is under way: its level is not decided.
    pub free: bool,
    pub penalty: f64,
    /// The level at which the bound is reached.
    pub ceiling: f64,
    /// The level it would have alone on its resources, whatever its bound.
    pub alone: f64,
    /// All the virtual work of this flow.
    pub work: f64,
    /// Virtual work left at `since`; kept up to date only while not at home on a resource.
    pub left: f64,
    pub since: Time,
    /// The level booked for it on its resources (see `booking`).
    pub booked: f64,
    /// Its slots are reused, and so is this vector.
    pub uses: Vec<Use>,
}

impl Flow {
    pub fn vacant() -> Flow {
        Flow {
            generation: 0,
            sequence: 0,
            token: 0,
            home: Home::Nowhere,
            free: false,
            penalty: 1.0,
            ceiling: 0.0,
            alone: 0.0,
            work: 0.0,
            left: 0.0,
            since: Time::ZERO,
            booked: 0.0,
            uses: Vec::new(),
        }
    }

    /// Adds a weight on a resource; a resource named twice carries the sum.
    pub fn add_use(&mut self, resource: u32, weight: f64) {
        assert!(weight >= 0.0, "a weight of {weight}");
        let share = weight / self.penalty;
        if share == 0.0 {
            return;
        }
        match self.uses.iter_mut().find(|u| u.resource == resource) {
            Some(known) => known.share += share,
            None => self.uses.push(Use { resource, share, slot: 0 }),
        }
    }
}
