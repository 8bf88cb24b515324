use super::*;

#[test]
fn values_fall_into_their_buckets() {
    let spread = Spread::new(COUNTS);
    for value in [1.0, 1.0, 3.0, 300.0] {
        spread.add(value);
    }
    let read = spread.read();
    assert_eq!(read.count(), 4);
    assert_eq!(read.buckets[0], (1.0, 2));
    assert_eq!(read.buckets[2], (4.0, 1));
    assert_eq!(read.buckets.last(), Some(&(f64::INFINITY, 1)));
    assert!((read.sum - 305.0).abs() < 1e-9);
}

#[test]
fn a_quantile_is_read_between_the_bounds() {
    let spread = Spread::new(SECONDS);
    assert_eq!(spread.read().quantile(0.99), None);
    for _ in 0..99 {
        spread.add(0.0015);
    }
    spread.add(1.5);
    let read = spread.read();
    let median = read.quantile(0.5).unwrap();
    assert!((0.001..=0.002).contains(&median), "{median}");
    let top = read.quantile(0.999).unwrap();
    assert!((1.0..=2.0).contains(&top), "{top}");
}

#[test]
fn what_came_since_is_the_difference() {
    let spread = Spread::new(SECONDS);
    spread.add(0.003);
    let earlier = spread.read();
    spread.add(4.0);
    let since = spread.read().since(&earlier);
    assert_eq!(since.count(), 1);
    assert!(since.quantile(0.5).unwrap() > 2.0);
}
