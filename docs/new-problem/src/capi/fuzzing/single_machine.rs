//! Calls about a single machine.

use super::*;

impl Host {
    /// Makes an instance of a text, solves it, and reads the sequence of some result.
    pub(super) fn single_machine(&mut self, bytes: &mut Bytes<'_>) {
        let mut instances = Pool::new(mks_single_machine_instance_free);
        let text = bytes.text();
        let start = bytes.or_null(text.as_ptr()).cast();
        instances.make(|out| call!(mks_single_machine_instance_parse(start, text.len(), out)));
        let (context, instance) = (self.contexts.pick(bytes), instances.pick(bytes));
        let options = self.options_of(c"single_machine", bytes);
        self.results.make(|out| call!(mks_single_machine_solve(context, instance, options, out)));
        let (result, mut order) = (self.results.pick(bytes), vec![0; bytes.count()]);
        check(call!(mks_single_machine_order(result, order.as_mut_ptr(), order.len())));
    }
}
