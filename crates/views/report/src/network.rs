//! The use of links over time: the hottest links one by one, and all links by class.

use mpirage_interpret::LinkUse;
use mpirage_interpret::links::Used;
use mpirage_platform::{LinkClass, LinkId, Platform};
use serde_json::json;

use crate::container::Container;
use crate::time::seconds;

/// Bins of time, at most.
const MOST_BINS: usize = 256;
/// Links that are shown one by one.
const HOTTEST: usize = 256;

/// The use of links, in bins that all links share.
pub(crate) struct Network<'a> {
    platform: &'a Platform,
    pub used: Vec<Used>,
    /// Bins of time, and picoseconds of each.
    pub bins: usize,
    width: u64,
    /// Bins of the recording that make one bin here.
    per_bin: usize,
    classes: Vec<LinkClass>,
}

impl<'a> Network<'a> {
    pub fn new(platform: &'a Platform, links: &LinkUse) -> Network<'a> {
        let used = links.used();
        let recorded = used.iter().map(|used| used.first as usize + used.bytes.len()).max().unwrap_or(0);
        let per_bin = recorded.div_ceil(MOST_BINS).max(1);
        let (bins, width) = (recorded.div_ceil(per_bin), links.width().as_picos() * per_bin as u64);
        Network { platform, used, bins, width, per_bin, classes: platform.link_classes() }
    }

    /// The name of the class of the slowest link between two hosts; none if there is no link between them.
    pub fn bottleneck(&self, links: &[LinkId]) -> Option<&str> {
        let bandwidth = |link: &LinkId| self.platform.link(*link).bandwidth;
        let slowest = links.iter().min_by(|a, b| bandwidth(a).total_cmp(&bandwidth(b)))?;
        Some(&self.classes[self.platform.link_class(*slowest)].name)
    }

    /// The link of a route that is used most, relative to its bandwidth; the first of several.
    pub fn most_used(&self, route: &[LinkId]) -> Option<LinkId> {
        let heat = |link: LinkId| {
            let used = self.used.binary_search_by_key(&link, |used| used.link);
            used.map_or(0.0, |at| self.used[at].total() / self.platform.link(link).bandwidth)
        };
        route.iter().copied().rev().max_by(|&a, &b| heat(a).total_cmp(&heat(b)))
    }

    pub fn write(&self, out: &mut Container) {
        let there: Vec<usize> = (0..self.classes.len()).filter(|&at| self.classes[at].links > 0).collect();
        let position = |link| there.binary_search(&self.platform.link_class(link)).unwrap_or(0);
        let mut classes = vec![vec![0.0; self.bins]; there.len()];
        for used in &self.used {
            self.add(used, &mut classes[position(used.link)]);
        }
        let hottest = self.hottest();
        let link = |used: &&Used| self.platform.link(used.link);
        let about = |(&class, bins): (&usize, &Vec<f64>)| {
            let LinkClass { name, links, bandwidth } = &self.classes[class];
            json!({"name": name, "links": links, "bandwidth": bandwidth, "bytes": bins.iter().sum::<f64>().round()})
        };
        out.put(
            "links",
            json!({
                "names": hottest.iter().map(|used| link(used).name()).collect::<Vec<_>>(),
                "class": hottest.iter().map(|used| position(used.link)).collect::<Vec<_>>(),
                "bandwidth": hottest.iter().map(|used| link(used).bandwidth).collect::<Vec<_>>(),
                "bytes": hottest.iter().map(|used| used.total()).collect::<Vec<_>>(),
                "used": self.used.len(),
                "bins": self.bins,
                "bin_seconds": seconds(self.width),
                "classes": there.iter().zip(&classes).map(about).collect::<Vec<_>>(),
            }),
        );
        out.section("class_bytes", classes.iter().flatten().map(|&bytes| bytes as f32));
        self.write_bins("links_bytes", hottest.into_iter(), out, |used, bins| self.add(used, bins));
    }

    /// Adds a column with the bins of several things, one after the other. `fill` adds the bytes of a thing to empty bins.
    pub fn write_bins<T>(
        &self,
        name: &str,
        things: impl ExactSizeIterator<Item = T>,
        out: &mut Container,
        mut fill: impl FnMut(T, &mut [f64]),
    ) {
        let mut bins = vec![0.0; self.bins];
        let mut column = vec![0; things.len() * self.bins * size_of::<f32>()];
        for (thing, places) in things.zip(column.chunks_exact_mut((self.bins * size_of::<f32>()).max(1))) {
            bins.fill(0.0);
            fill(thing, &mut bins);
            for (place, &bytes) in places.as_chunks_mut().0.iter_mut().zip(&bins) {
                *place = rounded(bytes).to_le_bytes();
            }
        }
        out.numbers::<f32>(name, column);
    }

    /// Adds the bytes of a link to bins.
    pub fn add(&self, used: &Used, bins: &mut [f64]) {
        let first = used.first as usize;
        if self.per_bin == 1 {
            let bins = &mut bins[first..][..used.bytes.len()];
            return bins.iter_mut().zip(&used.bytes).for_each(|(sum, bytes)| *sum += bytes);
        }
        for (at, bytes) in (first..).zip(&used.bytes) {
            bins[at / self.per_bin] += bytes;
        }
    }

    /// The links with the highest use relative to their bandwidth, the hottest first.
    fn hottest(&self) -> Vec<&Used> {
        let heat = |used: &Used| used.total() / self.platform.link(used.link).bandwidth;
        let by_heat = self.used.iter().map(|used| (heat(used), used));
        let mut by_heat: Vec<(f64, &Used)> = by_heat.filter(|(heat, _)| *heat > 0.0).collect();
        let order = |(a, left): &(f64, &Used), (b, right): &(f64, &Used)| {
            b.total_cmp(a).then(left.link.cmp(&right.link))
        };
        if by_heat.len() > HOTTEST {
            by_heat.select_nth_unstable_by(HOTTEST, order);
            by_heat.truncate(HOTTEST);
        }
        by_heat.sort_unstable_by(order);
        by_heat.into_iter().map(|(_, used)| used).collect()
    }
}

/// A number rounded to three or four significant digits, which compresses better.
pub(crate) fn rounded(number: f64) -> f32 {
    f32::from_bits((number as f32).to_bits().saturating_add(1 << 11) & !0xfff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_changes_little() {
        for number in [0.0, 1.0, 4096.0, 123_456_789.0, 1e-3, 7.0e18] {
            let kept = f64::from(rounded(number));
            assert!((kept - number).abs() <= number / 4096.0, "{number}: {kept}");
        }
    }
}
