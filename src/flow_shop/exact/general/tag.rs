//! The tag of a search's file: files of other models have other tags.

use crate::flow_shop::Instance;

/// All parts of a model besides times, ready times and pinned jobs.
pub(super) fn of(instance: &Instance) -> Vec<u8> {
    let mut bytes = b"model ".to_vec();
    bytes.push(instance.has_blocking().into());
    bytes.extend(instance.objective().to_string().as_bytes());
    bytes.push(0);
    let setups = instance.setups();
    let of_setups = setups.map_or([&[][..]; 4], |setups| {
        [setups.families(), setups.times(), setups.first(), setups.last_kinds()]
    });
    let others = [instance.release_times(), instance.weights(), instance.running_plan()];
    for list in of_setups.into_iter().chain(others) {
        bytes.extend((list.len() as u64).to_le_bytes());
        list.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    instance.due_dates().iter().for_each(|date| bytes.extend(date.to_le_bytes()));
    bytes
}
