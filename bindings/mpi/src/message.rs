//! Messages as bytes: a byte for the kind, numbers in little-endian order, and the bytes of a unit.

use makespan::flow_shop::units::{Tree, Unit};
use makespan::{Error, Result};
use makespan_cli::distribution::{Order, Report};

/// The kinds of orders.
const WORK: u8 = 0;
const CONTINUE: u8 = 1;
const REPORT: u8 = 2;
const BOUND: u8 = 3;
const END: u8 = 4;

/// The kinds of reports.
const WITHOUT_REMAINDER: u8 = 5;
const WITH_REMAINDER: u8 = 6;

pub(crate) fn of_order(order: &Order<Unit>) -> Result<Vec<u8>> {
    Ok(match order {
        Order::Work(unit) => [&[WORK], &unit.to_bytes()?[..]].concat(),
        Order::Continue => vec![CONTINUE],
        Order::Report => vec![REPORT],
        Order::Bound(value) => [&[BOUND], &value.to_le_bytes()[..]].concat(),
        Order::End => vec![END],
    })
}

pub(crate) fn to_order(tree: &Tree, bytes: &[u8]) -> Result<Order<Unit>> {
    match bytes.split_first() {
        Some((&WORK, unit)) => tree.read(unit).map(Order::Work),
        Some((&CONTINUE, [])) => Ok(Order::Continue),
        Some((&REPORT, [])) => Ok(Order::Report),
        Some((&BOUND, value)) => number(value).map(Order::Bound),
        Some((&END, [])) => Ok(Order::End),
        _ => Err(unknown()),
    }
}

pub(crate) fn of_report(report: &Report<Unit>) -> Result<Vec<u8>> {
    let seconds = report.seconds.to_bits().to_le_bytes();
    Ok(match &report.remainder {
        None => vec![WITHOUT_REMAINDER],
        Some(unit) => [&[WITH_REMAINDER][..], &seconds, &unit.to_bytes()?].concat(),
    })
}

pub(crate) fn to_report(tree: &Tree, bytes: &[u8]) -> Result<Report<Unit>> {
    match bytes.split_first() {
        Some((&WITHOUT_REMAINDER, [])) => Ok(Report { remainder: None, seconds: 0.0 }),
        Some((&WITH_REMAINDER, rest)) => {
            let (seconds, unit) = rest.split_at_checked(8).ok_or_else(unknown)?;
            let seconds = f64::from_bits(number(seconds)?);
            Ok(Report { remainder: Some(tree.read(unit)?), seconds })
        }
        _ => Err(unknown()),
    }
}

fn number(bytes: &[u8]) -> Result<u64> {
    bytes.try_into().map(u64::from_le_bytes).map_err(|_| unknown())
}

fn unknown() -> Box<Error> {
    Box::new(Error::Internal("a message of another version of this program".into()))
}

#[cfg(test)]
mod tests {
    use makespan::flow_shop::{Instance, Method, Options};

    use super::*;

    #[test]
    fn what_was_sent_is_read() {
        let options = Options { method: Method::BranchAndBound, ..Options::default() };
        let tree = Tree::new(Instance::named("ta001").unwrap(), &options).unwrap();
        let unit = tree.whole().unwrap().with_epoch(7);
        let orders = [
            Order::Work(unit.clone()),
            Order::Continue,
            Order::Report,
            Order::Bound(9),
            Order::End,
        ];
        for order in orders {
            let bytes = of_order(&order).unwrap();
            let again = of_order(&to_order(&tree, &bytes).unwrap()).unwrap();
            assert_eq!(bytes, again);
            assert!(to_order(&tree, &bytes[..bytes.len() - 1]).is_err());
        }
        for remainder in [None, Some(unit)] {
            let bytes = of_report(&Report { remainder, seconds: 0.5 }).unwrap();
            assert_eq!(of_report(&to_report(&tree, &bytes).unwrap()).unwrap(), bytes);
            assert!(to_report(&tree, &bytes[..bytes.len() - 1]).is_err());
        }
    }
}
