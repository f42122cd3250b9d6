//! The macro that turns the table of calls ([`crate::calls`]) into code.
//!
//! A row says all there is to say about a call:
//!
//! ```text
//! /// Documentation of the family.
//! PointToPoint(PointToPointCall) {        variant of `Family`, and the type of the calls in it
//!     /// Documentation of the variant.
//!     9: Probe {                          code of the call in a mailbox, variant of `Call`
//!         /// Documentation of the field.
//!         context: ContextId,             fields, in the order in which traces store them
//!         poll: bool = false,             a field that traces leave out, and its value in a replay
//!     }
//!         answered: true,                 does the rank stop until it is answered?
//!         trace: Operation,               what traces do with it: a `TraceRole`
//!         stored: [5],                    codes of its entries in a trace
//!         outcome: OutcomeKind::Message,  the part of the reply that a trace stores with it, if any
//!         checks: [peer(context, from)];  checks of a call that comes from a trace: methods of `FieldChecks`
//! }
//! ```
//!
//! The expressions may use the fields. The following is generated from the rows: [`Call`], [`Call::family`], [`Call::needs_answer`],
//! [`Call::trace_role`], [`Call::check`], the encodings as words ([`crate::wire`]) and as bytes of a trace ([`crate::stored`]), and the strategy
//! from which the round-trip tests draw calls. The type of a field decides how it is encoded ([`WireField`],
//! [`StoredField`]).
//!
//! [`WireField`]: crate::wire::WireField
//! [`StoredField`]: crate::stored::StoredField

use crate::Call;
use crate::stored::{Entry, Outcome};
use crate::wire::{FieldReader, Size, WireError};

/// Generated for one row, for code that knows which call it has. The types that implement it are in [`crate::row`].
pub(crate) trait Row<'a> {
    /// The call's code in a mailbox.
    const CODE: u8;
    /// Room for the fields in a mailbox.
    const SIZE: Size;
    /// The codes of its entries in a trace.
    const STORED: &'static [u8];
    /// Bits that the fields have in the byte of flags of an entry.
    const STORED_FLAG_BITS: u32;

    /// Reads the fields from a mailbox.
    fn decode(fields: &mut FieldReader<'_, 'a>) -> Result<Call<'a>, WireError>;

    /// Reads the fields from a trace. Gives the part of the outcome that follows them too.
    fn load(entry: &mut Entry<'_, 'a>) -> Option<(Call<'a>, Outcome)>;
}

/// The first expression, for a field that traces store; the second, for one that they leave out.
macro_rules! if_stored {
    ($stored:expr, $other:expr;) => {
        $stored
    };
    ($stored:expr, $other:expr; $left_out:expr) => {
        $other
    };
}

/// The expression, for a field that traces store; the value in a replay, for one that they leave out.
macro_rules! stored_or {
    ($stored:expr;) => {
        $stored
    };
    ($stored:expr; $left_out:expr) => {
        $left_out
    };
}

/// Defines calls from their table.
macro_rules! calls {
    ($(
        $(#[$family_doc:meta])*
        $family:ident($members:ident) {
            $(
                $(#[$doc:meta])*
                $code:literal: $name:ident
                    $({ $($(#[$field_doc:meta])* $field:ident: $type:ty $(= $left_out:expr)?,)+ })?
                    $(($only:ident: $only_type:ty))?
                    answered: $answered:expr,
                    trace: $role:expr,
                    stored: [$($stored:literal),*],
                    $(outcome: $outcome:expr,)?
                    checks: [$($check:ident($($argument:expr),*)),*];
            )+
        }
    )+) => {
        /// A request of a rank to the simulator.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Call<'a> {
            $($($(#[$doc])* $name $({ $($(#[$field_doc])* $field: $type,)+ })? $(($only_type))?,)+)+
        }

        /// A call by its family. Code that handles some families only names the others in one line. Fields are copied, whole structures
        /// borrowed.
        #[derive(Clone, Copy, Debug)]
        pub enum Family<'a> {
            $($(#[$family_doc])* $family($members<'a>),)+
        }

        $(
            $(#[$family_doc])*
            #[derive(Clone, Copy, Debug)]
            pub enum $members<'a> {
                $($(#[$doc])* $name $({ $($(#[$field_doc])* $field: $type,)+ })? $((&'a $only_type))?,)+
            }
        )+

        #[allow(unused_variables, unused_mut, reason = "a row need not have fields, nor use all of them")]
        impl<'a> Call<'a> {
            /// The call, by its family.
            #[inline(always)]
            pub fn family(&'a self) -> Family<'a> {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => {
                        Family::$family($members::$name { $($($field),+)? $(0: $only)? })
                    })+)+
                }
            }

            /// Must the rank stop until the simulator answers? After other calls it runs on.
            #[inline]
            pub fn needs_answer(&self) -> bool {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => $answered,)+)+
                }
            }

            /// The treatment of the call by traces.
            pub fn trace_role(&self) -> TraceRole {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => $role,)+)+
                }
            }

            /// The communicator of the call, if it has one.
            #[inline(always)]
            pub fn context_mut(&mut self) -> Option<&mut ContextId> {
                match self {
                    $($(Call::$name { $($($field),+)? $(0: $only)? } => {
                        $($(if let Some(context) = StoredField::context_mut($field) {
                            return Some(context);
                        })+)?
                        $(if let Some(context) = StoredField::context_mut($only) {
                            return Some(context);
                        })?
                        None
                    })+)+
                }
            }

            /// The request that the call opens, cancels or frees, if it does.
            pub fn request_mut(&mut self) -> Option<&mut RequestId> {
                match self {
                    $($(Call::$name { $($($field),+)? $(0: $only)? } => {
                        $($(if let Some(request) = StoredField::request_mut($field) {
                            return Some(request);
                        })+)?
                        $(if let Some(request) = StoredField::request_mut($only) {
                            return Some(request);
                        })?
                        None
                    })+)+
                }
            }

            /// Checks the fields of a call that comes from a trace. Gives the first objection.
            #[inline(always)]
            pub fn check<C: FieldChecks>(&self, checks: &mut C) -> Result<(), C::Objection> {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => {
                        $(checks.$check($($argument),*)?;)*
                    })+)+
                }
                Ok(())
            }

            /// Writes the call as words.
            #[inline(always)]
            pub(crate) fn encode<S: Sink>(&self, stamp: &Stamp, sink: &mut S) -> Result<usize, Full> {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => {
                        const FIXED: usize = STAMP_WORDS + <row::$name as Row<'static>>::SIZE.words();
                        let total = FIXED
                            $($(+ WireField::tail_words(&$field))+)?
                            $(+ WireField::tail_words($only))?;
                        let mut words = [0; FIXED];
                        let mut fields = FieldWriter::new(&mut words, <row::$name as Row<'static>>::SIZE);
                        $($(WireField::put(&$field, &mut fields);)+)?
                        $(WireField::put($only, &mut fields);)?
                        fields.finish($code, total, stamp);
                        sink.all(words)?;
                        $($(WireField::put_tail(&$field, sink)?;)+)?
                        $(WireField::put_tail($only, sink)?;)?
                        Ok(total)
                    })+)+
                }
            }

            /// Reads the fields of the call with this code, and gives what `finish` makes of the call. A call is large: a
            /// caller that puts it somewhere does so in `finish`, where its variant is known, and no copy is made.
            #[inline(always)]
            pub(crate) fn decode<R>(
                code: u8,
                mut fields: FieldReader<'_, 'a>,
                finish: impl FnOnce(Call<'a>) -> R,
            ) -> Result<R, WireError> {
                match code {
                    $($($code => Ok(finish(<row::$name as Row<'a>>::decode(&mut fields)?)),)+)+
                    _ => Err(WireError),
                }
            }

            /// The code of the call's entry in a trace; none if traces leave it out.
            pub(crate) fn stored_code(&self) -> Option<u8> {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => {
                        let form = 0 $($(+ StoredField::form(&$field))+)? $(+ StoredField::form($only))?;
                        let codes = <row::$name as Row<'a>>::STORED;
                        self.trace_role().is_stored().then(|| codes[form])
                    })+)+
                }
            }

            /// Appends the fields to a trace, and then the part of the reply that it stores.
            pub(crate) fn store(&self, reply: &Reply, into: &mut Vec<u8>) {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => {
                        let mut flags = StoredFlags::default();
                        $($(if_stored!(flags.add(&$field), (); $($left_out)?);)+)?
                        $(flags.add($only);)?
                        flags.store(into);
                        $($(if_stored!(StoredField::store(&$field, into), (); $($left_out)?);)+)?
                        $(StoredField::store($only, into);)?
                        $(OutcomeKind::store($outcome, reply, into);)?
                    })+)+
                }
            }

            /// Reads the fields of the call whose entries have this code.
            pub(crate) fn load(code: u8, entry: &mut Entry<'_, 'a>) -> Option<(Call<'a>, Outcome)> {
                match code {
                    $($($($stored => {
                        let codes = <row::$name as Row<'a>>::STORED;
                        entry.form = codes.iter().position(|&other| other == code)?;
                        <row::$name as Row<'a>>::load(entry)
                    })*)+)+
                    _ => None,
                }
            }

            /// The call as it comes back from a trace.
            #[cfg(test)]
            pub(crate) fn as_stored(&self) -> Call<'a> {
                match *self {
                    $($(Call::$name { $($($field),+)? $(0: ref $only)? } => Call::$name {
                        $($($field: stored_or!($field; $($left_out)?)),+)?
                        $(0: *$only)?
                    },)+)+
                }
            }
        }

        /// One type for each row.
        pub(crate) mod row {
            $($(pub(crate) struct $name;)+)+
        }

        $($(
            #[allow(unused_variables, reason = "a row need not have fields")]
            impl<'a> Row<'a> for row::$name {
                const CODE: u8 = $code;
                const SIZE: Size = Size::NONE
                    $($(.plus(<$type as WireField<'a>>::SIZE))+)?
                    $(.plus(<$only_type as WireField<'a>>::SIZE))?;
                const STORED: &'static [u8] = &[$($stored),*];
                const STORED_FLAG_BITS: u32 = 0
                    $($(+ if_stored!(<$type as StoredField<'a>>::FLAG_BITS, 0; $($left_out)?))+)?
                    $(+ <$only_type as StoredField<'a>>::FLAG_BITS)?;

                #[inline(always)]
                fn decode(fields: &mut FieldReader<'_, 'a>) -> Result<Call<'a>, WireError> {
                    fields.open::<{ <row::$name as Row<'static>>::SIZE.words() }>(Self::SIZE)?;
                    $($(let $field = <$type as WireField<'a>>::get(fields)?;)+)?
                    $(let $only = <$only_type as WireField<'a>>::get(fields)?;)?
                    Ok(Call::$name { $($($field),+)? $(0: $only)? })
                }

                #[inline(always)]
                fn load(entry: &mut Entry<'_, 'a>) -> Option<(Call<'a>, Outcome)> {
                    entry.load_flags(Self::STORED_FLAG_BITS)?;
                    $($(let $field = stored_or!(<$type as StoredField<'a>>::load(entry)?; $($left_out)?);)+)?
                    $(let $only = <$only_type as StoredField<'a>>::load(entry)?;)?
                    let outcome = Outcome::None;
                    $(let outcome = OutcomeKind::load($outcome, entry)?;)?
                    Some((Call::$name { $($($field),+)? $(0: $only)? }, outcome))
                }
            }
        )+)+

        /// Any call that there is, one row as likely as another.
        #[cfg(test)]
        pub(crate) fn any_call<'a: 'static>() -> proptest::strategy::BoxedStrategy<Call<'a>> {
            use crate::sampled::Sampled;
            use proptest::prelude::*;
            proptest::strategy::Union::new([$($(
                (Just(()), $($(<$type as Sampled>::any(),)+)? $(<$only_type as Sampled>::any(),)?)
                    .prop_map(|((), $($($field,)+)? $($only,)?)| Call::$name { $($($field),+)? $(0: $only)? })
                    .boxed(),
            )+)+])
            .boxed()
        }
    };
}

pub(crate) use {calls, if_stored, stored_or};
