//! SimGrid's scans: every rank sends its vector to all higher ranks at once. SimGrid 3.32, `src/smpi/colls/smpi_coll.cpp`.

use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// For scan and exscan.
pub(crate) fn to_all_higher(shape: &Shape, out: &mut Schedule) {
    (0..shape.rank).for_each(|from| out.irecv(from, shape.bytes));
    (shape.rank + 1..shape.size).for_each(|to| out.isend(to, Data::range(0, shape.bytes)));
    out.wait_all();
    out.reduce(u64::from(shape.rank) * shape.bytes);
}
