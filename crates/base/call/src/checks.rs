//! Checks of calls that come from a trace.
//!
//! The MPI library makes no wrong calls, so calls of programs are not checked. A trace may contain anything.

use crate::{CollectiveCall, CommRequest, ContextId, FileAccessCall, RequestId, Work};

/// The checks that the [table of calls](crate::calls) names. A check that is not implemented accepts everything.
#[allow(unused_variables, reason = "the defaults accept everything")]
pub trait FieldChecks {
    /// The reason why a call is refused.
    type Objection;

    /// The communicator exists, with the rank in it, and with this peer.
    fn peer(&mut self, context: ContextId, peer: Option<u32>) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// A message may have this tag.
    fn tag(&mut self, tag: Option<i32>) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// A message may have so many bytes.
    fn size(&mut self, bytes: u64) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The rank may open this request.
    fn opens(&mut self, request: Option<RequestId>) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The rank may wait for these requests.
    fn waits(&mut self, requests: &[RequestId]) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The rank may cancel or free this request.
    fn uses(&mut self, request: RequestId) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The blocks of the collective fit its communicator.
    fn collective(&mut self, call: &CollectiveCall<'_>) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The communicator can be made.
    fn makes(&mut self, parent: ContextId, how: &CommRequest<'_>) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The communicator may be freed.
    fn frees(&mut self, context: ContextId) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// The bytes of the access can be where it says.
    fn file_access(&mut self, call: &FileAccessCall) -> Result<(), Self::Objection> {
        Ok(())
    }

    /// A computation may have this size.
    fn work(&mut self, work: Work) -> Result<(), Self::Objection> {
        Ok(())
    }
}
