use super::*;
use crate::Limits;
use crate::flow_shop::exact::makespan::Makespan;
use crate::testing::limited;

type M = Makespan<'static>;

fn instance() -> Instance {
    Instance::new(4, 2, vec![3, 2, 1, 4, 2, 1, 5, 5]).unwrap()
}

fn monitor(memory: Option<u64>) -> Monitor {
    Monitor::new(&limited(Limits { memory, ..Limits::default() }))
}

fn from_bytes(instance: &Instance, bytes: &[u8]) -> Result<Checkpoint<'static>, Fault> {
    Checkpoint::from_bytes::<M>(instance, bytes, |_| true)
}

fn node(bound: u32, front: u32, fixed: &[u32]) -> Open {
    Open { bound, front, fixed: fixed.to_vec().into() }
}

fn checkpoint() -> Checkpoint<'static> {
    let order = vec![1, 0, 3, 2];
    let value = M::value(&instance(), &order).unwrap() as u32;
    Checkpoint {
        limit: value,
        branching_limit: value + 7,
        best: Best { value, order },
        counts: Counts { nodes: 1 << 40, bounds: 99 },
        by_device: true,
        open: vec![
            node(12, 1, &[1, 2]),
            node(11, 0, &[]),
            node(300, 1, &[1, 3]),
            node(9, 1, &[1, 2, 3]),
        ]
        .into(),
    }
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    for _ in 0..2 {
        checkpoint().write::<M>(&instance(), &path).unwrap();
        assert_eq!(
            Checkpoint::read::<M>(&instance(), &path, &monitor(None)).unwrap(),
            Some(checkpoint())
        );
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let missing = folder.path().join("missing");
    assert_eq!(Checkpoint::read::<M>(&instance(), &missing, &monitor(None)).unwrap(), None);
}

#[test]
fn what_does_not_fit_or_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    checkpoint().write::<M>(&instance(), &path).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    let nodes = 4 * Open::bytes(4);
    let read = |memory| Checkpoint::read::<M>(&instance(), &path, &monitor(Some(memory)));
    assert_eq!(read(size + nodes).unwrap(), Some(checkpoint()));
    for (memory, needed) in [(size + nodes - 1, size + nodes), (size - 1, size)] {
        let Err(Error::OutOfMemory { required, limit, .. }) = read(memory).map_err(|error| *error)
        else {
            panic!("{memory}")
        };
        assert_eq!((required, limit), (needed.into(), memory));
    }
    let refused =
        Checkpoint::read::<M>(&instance(), folder.path(), &monitor(None)).unwrap_err().to_string();
    assert!(refused.starts_with("checkpoint: ") && refused.ends_with("is no file"), "{refused}");
}

#[test]
fn many_nodes_are_written_in_blocks() {
    let several =
        |number: u32| node(number, number % 3, &[3, 1, 2][..(number % 4) as usize / 2 + 1]);
    let open: Vec<Open> = (0..2 * BLOCK_NODES as u32 + 5).map(several).collect();
    let open = open.into_iter().filter(|node| node.front as usize <= node.fixed.len());
    let many = Checkpoint { open: open.collect(), ..checkpoint() };
    assert!(many.open.len() > BLOCK_NODES);
    assert_eq!(from_bytes(&instance(), &many.to_bytes::<M>(&instance()).unwrap()).unwrap(), many);
}

#[test]
fn every_altered_or_missing_byte_is_noticed() {
    let bytes = checkpoint().to_bytes::<M>(&instance()).unwrap();
    for length in 0..bytes.len() {
        assert!(from_bytes(&instance(), &bytes[..length]).is_err(), "{length}");
        let mut altered = bytes.clone();
        altered[length] ^= 4;
        assert!(from_bytes(&instance(), &altered).is_err(), "{length}");
    }
}

#[test]
fn other_files_are_refused_by_what_they_are() {
    let other = Instance::new(4, 2, vec![3, 2, 1, 4, 2, 1, 5, 6]).unwrap();
    let reason = |instance: &Instance, bytes: &[u8]| match from_bytes(instance, bytes) {
        Err(Fault::Content(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let bytes = checkpoint().to_bytes::<M>(&instance()).unwrap();
    assert_eq!(reason(&other, &bytes), "belongs to another instance");
    let late = instance().with_ready_times(vec![0, 1]).unwrap();
    assert_eq!(reason(&late, &bytes), "belongs to another instance");
    assert_eq!(reason(&instance(), b"3 2\n1 2"), "is no checkpoint of a flow shop's search");
    let mut newer = bytes.clone();
    newer[8] = 4;
    assert_eq!(reason(&instance(), &newer), "has a version that this library does not know");
}

#[test]
fn nodes_that_make_no_sense_are_refused() {
    for (front, fixed) in [(1, &[4][..]), (1, &[1, 1]), (0, &[0, 1, 2, 3])] {
        let open = vec![node(1, front, fixed)].into();
        let bytes = Checkpoint { open, ..checkpoint() }.to_bytes::<M>(&instance()).unwrap();
        assert_eq!(from_bytes(&instance(), &bytes).unwrap_err(), DAMAGED);
    }
}

#[test]
fn counts_that_would_overflow_are_refused() {
    for (nodes, bounds) in [(MOST_DONE + 1, 0), (0, u64::MAX)] {
        let forged = Checkpoint { counts: Counts { nodes, bounds }, ..checkpoint() };
        assert_eq!(
            from_bytes(&instance(), &forged.to_bytes::<M>(&instance()).unwrap()).unwrap_err(),
            DAMAGED
        );
    }
    let counts = Counts { nodes: MOST_DONE, bounds: MOST_DONE };
    let most = Checkpoint { counts, ..checkpoint() };
    assert_eq!(from_bytes(&instance(), &most.to_bytes::<M>(&instance()).unwrap()).unwrap(), most);
}

#[test]
fn a_limit_above_that_of_branching_is_refused() {
    let low = Checkpoint { branching_limit: checkpoint().limit - 1, ..checkpoint() };
    assert_eq!(
        from_bytes(&instance(), &low.to_bytes::<M>(&instance()).unwrap()).unwrap_err(),
        DAMAGED
    );
}
