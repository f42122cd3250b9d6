//! What handles stand for.

pub(crate) mod bridge;
pub(crate) mod comm;
pub(crate) mod datatype;
pub(crate) mod errhandler;
pub(crate) mod error_codes;
pub(crate) mod group;
pub(crate) mod info;
pub(crate) mod keyval;
pub(crate) mod message;
pub(crate) mod op;
pub(crate) mod predefined_attributes;
pub(crate) mod predefined_types;
pub(crate) mod reduction;
pub(crate) mod request;
pub(crate) mod topology;
