//! Plots of times over message sizes, as SVG: panels side by side, each with some series. Both axes are logarithmic. Each
//! point shows its text when pointed at.
//!
//! | file | what |
//! |---|---|
//! | `svg` | panels, axes and series |
//! | `chart`, `axis` | charts of other quantities: linear axes, names, intervals |
//! | `page` | the frame of pages |
//! | `text` | sizes and times for people |

mod axis;
mod chart;
mod page;
mod svg;
mod text;

pub use chart::{AxisLook, Chart, Line, Mark, PALETTE, Scale, charts, short_number};
pub use page::{page, verdict};
pub use svg::{Colour, Look, Panel, Point, Series, escaped, svg};
pub use text::size_text;
