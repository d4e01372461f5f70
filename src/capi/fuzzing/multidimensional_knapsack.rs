//! Calls for the multidimensional knapsack.

use super::*;

impl Host {
    /// Makes, solves or reads an instance.
    pub(super) fn multidimensional_knapsack(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.below(4) {
            0 => self.make_multidimensional_knapsack(bytes),
            1 => {
                let text = bytes.text();
                let (start, length) = (bytes.or_null(text.as_ptr()).cast(), text.len());
                self.multidimensional_knapsack.make(|out| {
                    call!(mks_multidimensional_knapsack_instance_parse(start, length, out))
                });
            }
            2 => {
                let options = self.options_of(c"multidimensional_knapsack", bytes);
                let (context, instance) =
                    (self.contexts.pick(bytes), self.multidimensional_knapsack.pick(bytes));
                self.results.make(|out| {
                    call!(mks_multidimensional_knapsack_solve(context, instance, options, out))
                });
            }
            _ => self.read_multidimensional_knapsack(bytes),
        }
    }

    fn make_multidimensional_knapsack(&mut self, bytes: &mut Bytes<'_>) {
        let (items, dimensions) = (bytes.count(), bytes.below(4));
        // Tables of small capacities fit into the memory limit.
        let small = |number| number % 30;
        let profits = bytes.list(items, |number| number);
        let copies = bytes.list(items, |number| number);
        let weights = bytes.list(items * dimensions, small);
        let capacities = bytes.list(dimensions, small);
        let [profits, copies, weights, capacities] =
            [&profits, &copies, &weights, &capacities].map(|list| bytes.or_null(list.as_ptr()));
        self.multidimensional_knapsack.make(|out| {
            call!(mks_multidimensional_knapsack_instance_create(
                profits, weights, copies, items, capacities, dimensions, out
            ))
        });
        let mut counts = vec![0; items];
        let (mut profit, mut bound) = (0, 0);
        check(call!(mks_multidimensional_knapsack_fill(
            profits,
            weights,
            items,
            capacities,
            dimensions,
            SECONDS,
            counts.as_mut_ptr(),
            &mut profit,
            &mut bound,
        )));
    }

    fn read_multidimensional_knapsack(&mut self, bytes: &mut Bytes<'_>) {
        let (instance, result) =
            (self.multidimensional_knapsack.pick(bytes), self.results.pick(bytes));
        let room = usize::from(bytes.byte()) % 40;
        let mut list = vec![0u64; room];
        let (mut size, mut profit) = (0, 0);
        check(call!(mks_multidimensional_knapsack_counts(result, list.as_mut_ptr(), room)));
        check(call!(mks_multidimensional_knapsack_check(
            instance,
            list.as_ptr(),
            room,
            &mut profit
        )));
        check(call!(mks_multidimensional_knapsack_instance_items(instance, &mut size)));
        check(call!(mks_multidimensional_knapsack_instance_dimensions(instance, &mut size)));
        for read in [
            mks_multidimensional_knapsack_instance_profits,
            mks_multidimensional_knapsack_instance_weights,
            mks_multidimensional_knapsack_instance_copies,
            mks_multidimensional_knapsack_instance_capacities,
        ] {
            // SAFETY: the instance is valid or NULL, the list has that much room.
            check(unsafe { read(instance, list.as_mut_ptr(), room) });
        }
    }
}
