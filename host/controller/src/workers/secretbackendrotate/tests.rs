use super::*;

const SECOND: i64 = 1_000_000;

fn rotation(backend: &str, due: i64) -> TokenRotation {
    TokenRotation {
        backend: backend.to_owned(),
        due,
    }
}

#[test]
fn tokens_are_due_in_their_time_and_one_that_fails_waits_five_minutes_alone() {
    let mut queue = Queue::default();
    queue.follow(vec![
        rotation("one", 10 * SECOND),
        rotation("two", 20 * SECOND),
    ]);
    assert_eq!(queue.due(9 * SECOND), None);
    assert_eq!(queue.next(), Some(10 * SECOND));
    assert_eq!(queue.due(10 * SECOND).as_deref(), Some("one"));
    queue.put_off("one", 10 * SECOND);
    assert_eq!(queue.due(10 * SECOND), None);
    assert_eq!(queue.next(), Some(20 * SECOND));
    assert_eq!(queue.due(20 * SECOND).as_deref(), Some("two"));
    queue.done("two");
    assert_eq!(queue.next(), Some(310 * SECOND));
    // Whatever the controller says meanwhile, it is not tried before.
    queue.follow(vec![
        rotation("one", 10 * SECOND),
        rotation("two", 900 * SECOND),
    ]);
    assert_eq!(queue.due(309 * SECOND), None);
    assert_eq!(queue.due(310 * SECOND).as_deref(), Some("one"));
    queue.done("one");
    queue.follow(vec![rotation("one", 400 * SECOND)]);
    assert_eq!(queue.next(), Some(400 * SECOND));
    queue.follow(Vec::new());
    assert_eq!((queue.next(), queue.due(i64::MAX)), (None, None));
}
