//! Every call, as long as there are not too many: the timeline from near.
//!
//! Of each rank, what it did is told as the page reads it ([`crate::told`]): deeds by their shapes, phrases by the kinds of calls they
//! are made of.

use mpirage_call::varint;

use crate::columns::Numbers;
use crate::container::Container;
use crate::deed::{Deed, Diary};
use crate::phrases::{Kind, Phrases};
use crate::told::{Clock, Told, nanos};

/// Times are told, if they are not zero: since the end of what was before, of the calls, waited.
const TOLD: u8 = 1;
const GAP: u8 = 2;
const TOOK: u8 = 4;
const WAITED: u8 = 8;
/// It tells the bytes of the call before it.
const SIZE: u8 = 16;

/// What a deed is besides its times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct DeedShape {
    phrase: u32,
    flags: u8,
}

impl DeedShape {
    #[inline]
    fn of(deed: &Deed) -> DeedShape {
        if deed.as_size().is_some() {
            return DeedShape { phrase: 0, flags: TOLD | SIZE };
        }
        let flag = |time, flag| if time != 0 { flag } else { 0 };
        let flags = flag(deed.gap(), GAP) | flag(deed.took, TOOK) | flag(deed.waited, WAITED);
        DeedShape { phrase: deed.phrase(), flags: TOLD | flags }
    }
}

/// Tells the times of a deed.
#[inline]
fn put(deed: &Deed, clock: &mut Clock, into: &mut Numbers) {
    if let Some(bytes) = deed.as_size() {
        return into.put(bytes);
    }
    let entered = clock.end.wrapping_add(deed.gap());
    clock.end = entered + deed.took;
    if deed.gap() != 0 {
        into.put(varint::zigzag(clock.tell(entered)));
    }
    if deed.took != 0 {
        let took = clock.tell(clock.end).max(0) as u64;
        into.put(took);
        if deed.waited != 0 {
            into.put(nanos(deed.waited).min(took));
        }
    }
}

/// Adds the calls of all ranks to the data; `place` gives the function and the place of a kind as the page numbers them.
pub(crate) fn write(
    phrases: &Phrases,
    diary: &Diary,
    ranks: usize,
    place: impl Fn(&Kind) -> (u16, u32),
    out: &mut Container,
) {
    let told = Told::new(diary, ranks, DeedShape::of, put);
    let words = diary.words()[1..].iter().map(|word| word.thing);
    let shapes: Vec<DeedShape> = told.others().copied().collect();
    let fixed = |of: fn(&Deed) -> f64| {
        let words = words.clone().map(move |deed| of(&deed));
        std::iter::once(0.0).chain(words).chain(shapes.iter().map(|_| 0.0))
    };
    out.section(
        "deed_shapes_gap",
        fixed(|deed| deed.as_size().map_or(deed.gap() as i64 as f64, |bytes| bytes as f64)),
    );
    out.section("deed_shapes_took", fixed(|deed| deed.took as f64));
    out.section("deed_shapes_waited", fixed(|deed| deed.waited as f64));
    let all = std::iter::once(DeedShape::default())
        .chain(
            words.map(|deed| DeedShape { flags: DeedShape::of(&deed).flags & SIZE, phrase: deed.phrase() }),
        )
        .chain(shapes.iter().copied());
    let shapes: Vec<DeedShape> = all.collect();
    out.section("deed_shapes_flags", shapes.iter().map(|shape| shape.flags));
    write_phrases(phrases, shapes.iter().map(|shape| shape.phrase), out);
    write_kinds(phrases, place, out);
    told.write("events", "deed_shapes", out);
}

/// Adds which phrase each shape has, and the calls that phrases are made of.
fn write_phrases(phrases: &Phrases, used: impl Iterator<Item = u32>, out: &mut Container) {
    // Those that are used, numbered as they come; the first is none.
    let mut numbers = vec![0_u32; phrases.len()];
    let (mut ends, mut calls) = (vec![0_u32], Vec::new());
    let column: Vec<u32> = used
        .map(|phrase| {
            let number = &mut numbers[phrase as usize];
            if *number == 0 && phrase != 0 {
                phrases.spell(phrase, &mut calls);
                ends.push(calls.len() as u32);
                *number = ends.len() as u32 - 1;
            }
            *number
        })
        .collect();
    out.section("deed_shapes_phrase", column);
    out.section("phrases_end", ends);
    out.section("phrases_calls", calls);
}

/// Adds the kinds of calls.
fn write_kinds(phrases: &Phrases, place: impl Fn(&Kind) -> (u16, u32), out: &mut Container) {
    let kinds = phrases.kinds();
    let asked = kinds.iter().map(|kind| kind.asked);
    out.section("call_kinds_function", kinds.iter().map(|kind| place(kind).0));
    out.section("call_kinds_site", kinds.iter().map(|kind| place(kind).1));
    out.section("call_kinds_flags", asked.clone().map(|asked| asked.flags()));
    out.section("call_kinds_peer", asked.clone().map(|asked| asked.peer()));
    out.section("call_kinds_tag", asked.clone().map(|asked| varint::zigzag(asked.tag().into()) as u32));
    out.section("call_kinds_comm", asked.clone().map(|asked| asked.comm()));
    out.section("call_kinds_bytes", asked.map(|asked| asked.bytes() as f64));
}
