//! The order in which a stage of a pipeline takes micro-batches: one forward, one backward (1F1B; Narayanan et al., *Memory-Efficient
//! Pipeline-Parallel DNN Training*, ICML 2021).
//!
//! ```text
//! stage 0   F0 F1 F2 │ F3 B0 F4 B1 │ B2 B3 B4       2 × micro-batches slots
//! stage 1   F0 F1 │ F2 B0 F3 B1 F4 B2 │ B3 B4
//! ```

/// What a stage does in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Forward(u32),
    Backward(u32),
    /// All micro-batches are done: gradients and parameters.
    End,
}

/// The slot of a number, of a stage of a pipeline of `stages`.
pub(super) fn slot(number: u32, (stage, stages): (u32, u32), micro_batches: u32) -> Slot {
    let warm = (stages - stage - 1).min(micro_batches);
    let steady = warm + 2 * (micro_batches - warm);
    if number < warm {
        Slot::Forward(number)
    } else if number < steady {
        let pair = (number - warm) / 2;
        if (number - warm).is_multiple_of(2) { Slot::Forward(warm + pair) } else { Slot::Backward(pair) }
    } else if number < 2 * micro_batches {
        Slot::Backward(number - micro_batches)
    } else {
        Slot::End
    }
}

#[cfg(test)]
mod tests {
    use super::Slot::{Backward as B, Forward as F};
    use super::*;

    #[test]
    fn the_order_is_one_forward_one_backward() {
        let order = |stage, stages, batches| {
            (0..2 * batches).map(|n| slot(n, (stage, stages), batches)).collect::<Vec<_>>()
        };
        assert_eq!(order(0, 4, 5), [F(0), F(1), F(2), F(3), B(0), F(4), B(1), B(2), B(3), B(4)]);
        assert_eq!(order(3, 4, 3), [F(0), B(0), F(1), B(1), F(2), B(2)]);
        assert_eq!(order(0, 4, 2), [F(0), F(1), B(0), B(1)]);
        assert_eq!(slot(10, (0, 4), 5), Slot::End);
    }

    /// Each micro-batch once each way, and its forward part first.
    #[test]
    fn nothing_is_left_out() {
        for (stage, stages, batches) in [(0, 1, 1), (0, 8, 3), (5, 8, 20), (7, 8, 20), (2, 3, 2)] {
            let order: Vec<_> = (0..2 * batches).map(|n| slot(n, (stage, stages), batches)).collect();
            for batch in 0..batches {
                let at = |wanted| order.iter().position(|&slot| slot == wanted).unwrap();
                assert!(at(F(batch)) < at(B(batch)));
            }
        }
    }
}
