//! Datatypes against the type map of the standard, and against what MPICH makes of them.

mod mpich;
mod properties;
mod recipe;
