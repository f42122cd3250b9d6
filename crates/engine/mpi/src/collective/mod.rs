//! Collectives: communicators, instances, schedules under way, and the exchange of bytes.

pub(crate) mod agreement;
pub(crate) mod comm;
pub(crate) mod edges;
pub(crate) mod exchange;
pub(crate) mod formula;
pub(crate) mod instance;
mod instances;
pub(crate) mod nodes;
pub(crate) mod plans;
pub(crate) mod run;

pub(crate) use instances::{Caller, Collectives, Entered, Env, Left, NextStep, scheduled_kind};
