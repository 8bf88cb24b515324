//! The ring against a model of it, the pure parts, and a feed over a real store.

use std::collections::BTreeSet;

use periapt_store::{Change, EntityKind, Found, namespace};
use proptest::prelude::*;

use super::cache::ModelCache;
use super::entry::entries;
use super::*;

mod clients;
mod live;

const MODEL: &str = "11111111-2222-4333-8444-555555555555";

fn found(position: i64, kind: EntityKind, name: &str, body: Option<&str>) -> Found {
    Found {
        model: MODEL.to_owned(),
        kind,
        name: name.to_owned(),
        position,
        own: false,
        body: body.map(|body| body.as_bytes().to_vec()),
    }
}

fn change(position: i64, namespace: &'static str, key: &str) -> Change {
    Change {
        position,
        model: MODEL.to_owned(),
        namespace,
        key: key.to_owned(),
    }
}

#[test]
fn a_cursor_is_read_as_it_is_written_and_orders_within_a_change() {
    let order = [
        "-1",
        "4",
        "4711/application/site",
        "4711/unit/site/0",
        "4711",
        "4712/a/",
    ];
    let cursors: Vec<Cursor> = order.iter().map(|text| text.parse().unwrap()).collect();
    assert!(cursors.is_sorted_by(|one, other| one < other));
    for (cursor, text) in cursors.iter().zip(order) {
        assert_eq!(cursor.to_string(), text);
    }
    for bad in ["", "x", "4/unit", "/unit/a", "1.5"] {
        assert!(bad.parse::<Cursor>().is_err(), "{bad}");
    }
}

#[test]
fn an_event_is_json_around_the_body_and_only_the_last_of_a_change_ends_it() {
    let all = entries(vec![
        found(7, EntityKind::Unit, "site/0", Some(r#"{"a":1}"#)),
        found(5, EntityKind::Charm, "local:\"x\"", None),
        found(7, EntityKind::Application, "site", Some("2")),
    ]);
    let ids: Vec<String> = all.iter().map(|entry| entry.cursor.to_string()).collect();
    assert_eq!(ids, ["5", "7/application/site", "7"]);
    let event: periapt_wire::rest::Event = serde_json::from_slice(&all[2].data).unwrap();
    assert_eq!(
        (
            event.sequence,
            event.model.as_str(),
            event.kind.as_str(),
            event.key.as_str()
        ),
        (7, MODEL, "unit", "site/0")
    );
    assert_eq!(event.entity, Some(serde_json::json!({ "a": 1 })));
    let gone: periapt_wire::rest::Event = serde_json::from_slice(&all[0].data).unwrap();
    assert_eq!((gone.entity, gone.key.as_str()), (None, "local:\"x\""));
}

#[test]
fn changes_concern_what_shows_them() {
    let changes = [
        change(1, namespace::UNIT_STATUS, "site/0"),
        change(2, namespace::MACHINE, "3"),
        change(3, namespace::LEASE, "application-leadership/site"),
        change(4, namespace::LEASE, "singular-controller/x"),
        change(5, namespace::LOG, ""),
        change(6, namespace::UNIT_STATUS, "site/0"),
        change(7, namespace::HOOK, "99"),
        change(8, namespace::RELATION, "4"),
        change(9, namespace::APPLICATION_RELATIONS, "front"),
        change(10, namespace::RELATION_UNITS, "site"),
        change(11, namespace::RELATION_STATUS, "5"),
        change(12, namespace::MACHINE_UNITS, "5"),
        change(13, namespace::ANNOTATION, "unit-site-7"),
        change(14, namespace::ANNOTATION, "application-shop"),
        change(15, namespace::STORAGE, "data/0"),
        change(16, namespace::STORAGE_HOOKS, "site/9"),
    ];
    let wanted = concerns::wanted(&changes);
    let of = &wanted[MODEL];
    let names = |kind| -> std::collections::BTreeMap<String, i64> {
        let names = of.names.get(&kind).cloned().unwrap_or_default();
        names
            .into_iter()
            .map(|(name, cause)| (name, cause.position))
            .collect()
    };
    assert_eq!(
        names(EntityKind::Unit),
        [("site/0".to_owned(), 6), ("site/7".to_owned(), 13)].into()
    );
    assert_eq!(
        names(EntityKind::Application),
        [
            ("front".to_owned(), 9),
            ("shop".to_owned(), 14),
            ("site".to_owned(), 6)
        ]
        .into()
    );
    assert_eq!(
        names(EntityKind::Machine),
        [("3".to_owned(), 2), ("5".to_owned(), 12)].into()
    );
    assert_eq!(
        names(EntityKind::Relation),
        [("4".to_owned(), 8), ("5".to_owned(), 11)].into()
    );
    assert_eq!(names(EntityKind::Model), [(MODEL.to_owned(), 2)].into());
    assert_eq!(names(EntityKind::Hook), [("99".to_owned(), 7)].into());
    assert_eq!(
        names(EntityKind::Storage),
        [("data/0".to_owned(), 15)].into()
    );
    assert_eq!(
        of.units_on,
        [("3".to_owned(), 2), ("5".to_owned(), 12)].into()
    );
    assert_eq!(of.units_of, [("site".to_owned(), 3)].into());
    assert!(concerns::wanted(&[change(5, namespace::LOG, "")]).is_empty());
    let user = Change {
        model: String::new(),
        ..change(8, namespace::USER, "eve/some-model")
    };
    assert_eq!(
        concerns::wanted(&[user])[""].names[&EntityKind::User]["eve"].position,
        8
    );
}

#[test]
fn only_what_differs_is_news_and_a_model_takes_everything_with_it() {
    let unit = |position, body| found(position, EntityKind::Unit, "site/0", body);
    let mut known = known::Known::new(vec![
        unit(1, Some("1")),
        found(1, EntityKind::Charm, "c", Some("1")),
        found(1, EntityKind::Model, MODEL, Some("1")),
    ]);
    assert_eq!(known.news(vec![unit(2, Some("1"))]), []);
    assert_eq!(known.news(vec![unit(3, Some("2"))]).len(), 1);
    let own = Found {
        own: true,
        ..unit(3, Some("2"))
    };
    assert_eq!(known.news(vec![own]).len(), 1, "settings show in no body");
    let hook = found(4, EntityKind::Hook, "9", Some("1"));
    assert_eq!(known.news(vec![hook.clone()]), std::slice::from_ref(&hook));
    let never_seen = found(4, EntityKind::Unit, "site/1", None);
    assert_eq!(known.news(vec![never_seen]), []);
    assert_eq!(known.news(vec![unit(5, None)]).len(), 1);
    let news = known.news(vec![found(6, EntityKind::Model, MODEL, None)]);
    let gone: BTreeSet<&str> = news.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(gone, [MODEL, "c"].into());
    assert!(
        news.iter()
            .all(|found| found.body.is_none() && found.position == 6)
    );
}

/// Batches: events of each, positions apart by the number, units of each position.
fn batches() -> impl Strategy<Value = Vec<Vec<(i64, u8)>>> {
    prop::collection::vec(prop::collection::vec((0..3_i64, 0..3_u8), 0..6), 1..12)
}

proptest! {
    /// Whatever is pushed and however small the ring: a reader that stops anywhere, even in the
    /// middle of one change, and comes back later gets each later event once and in order, or is
    /// told that it came too late.
    #[test]
    fn nothing_is_missed_and_nothing_doubled(
        batches in batches(),
        events in 1..30_usize,
        part in 1..200_usize,
        stops in prop::collection::vec(0..40_usize, 1..6),
    ) {
        let limits = Limits { events, bytes: 1 << 20, part };
        let mut ring = Ring::new(limits);
        let mut all: Vec<Cursor> = Vec::new();
        let mut position = 10;
        ring.begin(position);
        let mut readers: Vec<(Cursor, Vec<Cursor>, bool)> =
            vec![(Cursor::end(position), Vec::new(), true); stops.len()];
        for batch in batches {
            let mut wanted = BTreeSet::new();
            for (apart, name) in batch {
                position += apart;
                wanted.insert((position.max(11), name));
            }
            position = position.max(11) + 1;
            let made = entries(
                wanted
                    .into_iter()
                    .map(|(position, name)| found(position, EntityKind::Unit, &name.to_string(), Some("1")))
                    .collect(),
            );
            // A batch begins after the one before.
            let made: Vec<Entry> = made
                .into_iter()
                .filter(|entry| all.last().is_none_or(|last| entry.cursor > *last))
                .collect();
            all.extend(made.iter().map(|entry| entry.cursor.clone()));
            ring.push(made, position);
            for ((cursor, heard, fine), stop) in readers.iter_mut().zip(&stops) {
                if !*fine {
                    continue;
                }
                match ring.after(cursor) {
                    Ok(part) => {
                        // The connection breaks off after some of it.
                        let taken: Vec<Cursor> = part.entries.iter().take(*stop).map(|entry| entry.cursor.clone()).collect();
                        if taken.len() == part.entries.len() {
                            *cursor = part.cursor;
                        } else if let Some(last) = taken.last() {
                            *cursor = last.to_string().parse().unwrap();
                        }
                        heard.extend(taken);
                    }
                    Err(missed) => {
                        prop_assert_eq!(missed, Missed::TooOld);
                        *fine = false;
                    }
                }
            }
            position += 1;
        }
        for (cursor, mut heard, fine) in readers {
            if !fine {
                continue;
            }
            let mut cursor = cursor;
            loop {
                match ring.after(&cursor) {
                    Ok(part) if part.cursor == cursor => break,
                    Ok(part) => {
                        heard.extend(part.entries.iter().map(|entry| entry.cursor.clone()));
                        cursor = part.cursor;
                    }
                    // Only with events that are kept no more.
                    Err(_) => {
                        heard = all.clone();
                        prop_assert!(ring.len() >= events.min(all.len()));
                        break;
                    }
                }
            }
            prop_assert_eq!(&heard, &all);
        }
    }
}

#[test]
fn a_ring_is_bounded_and_knows_what_it_lost() {
    let mut ring = Ring::new(Limits {
        events: 3,
        bytes: 1 << 20,
        part: 1 << 20,
    });
    ring.begin(10);
    assert_eq!(ring.after(&Cursor::end(9)), Err(Missed::TooOld));
    assert_eq!(ring.after(&Cursor::end(11)), Err(Missed::Ahead));
    assert_eq!(ring.after(&Cursor::end(10)).unwrap().entries, []);
    let unit = |position: i64| found(position, EntityKind::Unit, "site/0", Some("1"));
    ring.push(entries((11..16).map(unit).collect()), 20);
    assert_eq!((ring.len(), ring.head()), (3, 20));
    assert_eq!(ring.after(&Cursor::end(11)), Err(Missed::TooOld));
    let part = ring.after(&Cursor::end(12)).unwrap();
    assert_eq!((part.entries.len(), part.cursor), (3, Cursor::end(20)));
    let bytes = ring.bytes();
    let mut small = Ring::new(Limits {
        events: 100,
        bytes: bytes - 1,
        part: 1,
    });
    small.push(entries((11..16).map(unit).collect()), 20);
    assert_eq!(small.len(), 2, "bytes are bounded too");
    let one = small.after(&Cursor::end(13)).unwrap();
    assert_eq!(
        (one.entries.len(), one.cursor),
        (1, Cursor::end(14)),
        "in parts"
    );
}
