//! Where the vertices of an irregular graph are drawn: edges pull, vertices push each other away.
//!
//! T. Fruchterman, E. Reingold: *Graph Drawing by Force-directed Placement* (1991). The start is a circle, and no random number is
//! used, so that equal machines have equal drawings.

/// Rounds; the largest step shrinks to nothing over them.
const ROUNDS: u32 = 400;

/// Positions of vertices in 0..1 × 0..1, the longer side of the graph along x.
pub(super) fn positions(vertices: usize, edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let mut places: Vec<[f64; 2]> = order(vertices, edges);
    let ideal = 1.0 / (vertices.max(1) as f64).sqrt();
    for round in 0..ROUNDS {
        let largest = 0.12 * (1.0 - f64::from(round) / f64::from(ROUNDS)).powi(2) + 1e-4;
        let forces = forces(&places, edges, ideal);
        for (place, force) in places.iter_mut().zip(forces) {
            let length = force[0].hypot(force[1]).max(1e-12);
            let step = length.min(largest) / length;
            *place = [place[0] + force[0] * step, place[1] + force[1] * step];
        }
    }
    fitted(&turned(&places))
}

/// Vertices on a circle, neighbours near each other: in the order in which a search from vertex to vertex meets them.
fn order(vertices: usize, edges: &[(usize, usize)]) -> Vec<[f64; 2]> {
    let mut neighbours = vec![Vec::new(); vertices];
    for &(a, b) in edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut places = vec![None; vertices];
    let mut met = 0;
    for start in 0..vertices {
        let mut stack = vec![start];
        while let Some(at) = stack.pop() {
            if places[at].is_some() {
                continue;
            }
            let turn = std::f64::consts::TAU * met as f64 / vertices as f64;
            places[at] = Some([0.5 + 0.4 * turn.cos(), 0.5 + 0.4 * turn.sin()]);
            met += 1;
            stack.extend(neighbours[at].iter().rev());
        }
    }
    places.into_iter().flatten().collect()
}

fn forces(places: &[[f64; 2]], edges: &[(usize, usize)], ideal: f64) -> Vec<[f64; 2]> {
    let mut forces = vec![[0.0; 2]; places.len()];
    let mut push = |a: usize, b: usize, of: &dyn Fn(f64) -> f64| {
        let (dx, dy) = (places[a][0] - places[b][0], places[a][1] - places[b][1]);
        let distance = dx.hypot(dy).max(1e-6);
        let by = of(distance) / distance;
        forces[a] = [forces[a][0] + dx * by, forces[a][1] + dy * by];
        forces[b] = [forces[b][0] - dx * by, forces[b][1] - dy * by];
    };
    for a in 0..places.len() {
        for b in 0..a {
            push(a, b, &|distance| ideal * ideal / distance);
        }
    }
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        push(a, b, &|distance| -distance * distance / ideal);
    }
    forces
}

/// Turns the drawing so that its longest extent is along x.
fn turned(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let count = places.len().max(1) as f64;
    let mean = [0, 1].map(|axis| places.iter().map(|place| place[axis]).sum::<f64>() / count);
    let centred: Vec<[f64; 2]> =
        places.iter().map(|place| [place[0] - mean[0], place[1] - mean[1]]).collect();
    let sum = |of: &dyn Fn(&[f64; 2]) -> f64| centred.iter().map(of).sum::<f64>();
    let (xx, yy, xy) = (sum(&|at| at[0] * at[0]), sum(&|at| at[1] * at[1]), sum(&|at| at[0] * at[1]));
    let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    centred.iter().map(|at| [at[0] * cos + at[1] * sin, at[1] * cos - at[0] * sin]).collect()
}

fn fitted(places: &[[f64; 2]]) -> Vec<(f64, f64)> {
    let range = |axis: usize| {
        let values = || places.iter().map(|place| place[axis]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let (x, y) = (range(0), range(1));
    let part =
        |value: f64, (low, high): (f64, f64)| if high > low { (value - low) / (high - low) } else { 0.5 };
    // Three digits are enough for a drawing.
    let short = |value: f64| (value * 1000.0).round() / 1000.0;
    places.iter().map(|place| (short(part(place[0], x)), short(part(place[1], y)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_a_line_in_order() {
        let edges: Vec<(usize, usize)> = (0..7).map(|at| (at, at + 1)).collect();
        let places = positions(8, &edges);
        let xs: Vec<f64> = places.iter().map(|place| place.0).collect();
        let mut sorted = xs.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let reversed: Vec<f64> = sorted.iter().rev().copied().collect();
        assert!(xs == sorted || xs == reversed, "{xs:?}");
    }

    #[test]
    fn leaves_of_a_star_surround_it_and_keep_apart() {
        let edges: Vec<(usize, usize)> = (1..17).map(|leaf| (0, leaf)).collect();
        let places = positions(17, &edges);
        let distance = |a: usize, b: usize| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        assert!((places[0].0 - 0.5).abs() < 0.15 && (places[0].1 - 0.5).abs() < 0.15, "{:?}", places[0]);
        for a in 1..17 {
            for b in 1..a {
                assert!(distance(a, b) > 0.05, "{a} {b} {places:?}");
            }
        }
    }

    #[test]
    fn few_vertices_have_places() {
        assert_eq!(positions(0, &[]), []);
        assert_eq!(positions(1, &[]), [(0.5, 0.5)]);
        assert_eq!(positions(2, &[(0, 1)]).len(), 2);
    }
}
