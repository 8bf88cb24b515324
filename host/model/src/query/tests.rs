use proptest::prelude::*;
use serde_json::json;

use super::*;

fn entity() -> Value {
    json!({
        "name": "site", "life": "alive", "status": "active", "scale": 2, "exposed": false, "ports": ["80/tcp"],
        "units": {
            "site/0": { "workload-status": "active", "agent-status": "idle" },
            "site/1": { "workload-status": "active", "agent-status": "executing" },
        },
    })
}

#[test]
fn queries_people_write_hold_or_not() {
    for (text, expected) in [
        (r#"status=="active""#, true),
        (r#"status == 'active' && life != "dead""#, true),
        (r#"status=="blocked" || scale >= 2"#, true),
        ("!exposed", true),
        ("!(scale < 2) && exposed == false", true),
        ("len(units) == 2", true),
        ("len(name) > 4", false),
        (
            r#"forEach(units, unit => unit.workload-status=="active")"#,
            true,
        ),
        (
            r#"forEach(units, unit => unit.workload-status=="active" && unit.agent-status=="idle")"#,
            false,
        ),
        (
            r#"startsWith(name, "si") && endsWith(name, "te") && contains(name, "it")"#,
            true,
        ),
        (r#"contains(ports, "80/tcp")"#, true),
        (
            r#"forEach(units, unit => forEach(ports, port => contains(port, "tcp") && startsWith(unit.agent-status, "i")))"#,
            false,
        ),
    ] {
        let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.holds(&entity()), Ok(expected), "{text}");
    }
}

#[test]
fn a_query_that_cannot_be_read_names_the_place() {
    for (text, place, part) in [
        ("", 0, "ends too early"),
        ("status=active", 6, "write =="),
        (r#"status=="active"#, 8, "not closed"),
        (r#"status=="a" &&"#, 14, "ends too early"),
        ("status ? 1", 7, "not expected"),
        ("(status", 7, "\")\" is expected"),
        ("size(units)", 0, "no function"),
        ("len(units, 2)", 0, "takes 1"),
        ("forEach(units)", 13, "\",\" is expected"),
        ("1.2.3 == 1", 0, "not a number"),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert!(error.message.contains(part), "{text}: {error}");
        assert_eq!(error.place, Some(place), "{text}: {error}");
    }
    let deep = "(".repeat(10_000);
    assert!(Query::parse(&deep).unwrap_err().message.contains("deep"));
    let deep = "!".repeat(10_000);
    assert!(Query::parse(&deep).unwrap_err().message.contains("deep"));
}

#[test]
fn a_misspelt_name_is_an_error_and_not_false() {
    for text in [
        "statsu == \"active\"",
        "status == active",
        "forEach(units, u => u.status == \"active\")",
        "scale == \"2\"",
        "name",
    ] {
        assert!(
            Query::parse(text).unwrap().holds(&entity()).is_err(),
            "{text}"
        );
    }
}

#[test]
fn asking_for_death_is_seen() {
    assert!(Query::parse("life==\"dead\"").unwrap().asks_for_death());
    assert!(
        Query::parse("\"dead\"==life || status==\"x\"")
            .unwrap()
            .asks_for_death()
    );
    assert!(!Query::parse("life!=\"dead\"").unwrap().asks_for_death());
    assert!(!Query::parse("!(life==\"dead\")").unwrap().asks_for_death());
}

/// Runs on a stack as small as that of the controller's threads.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn a_chain_of_any_length_is_refused_or_asked_without_recursion() {
    on_a_small_stack(|| {
        for sign in ["||", "&&"] {
            let error = Query::parse(&vec!["a"; 10_000].join(sign)).unwrap_err();
            assert!(
                error.message.contains("longer than") || error.message.contains("terms"),
                "{error}"
            );
            let longest = vec!["exposed"; crate::bounds::QUERY_TERMS.length()].join(sign);
            let query = Query::parse(&longest).unwrap();
            assert_eq!(query.holds(&entity()), Ok(false));
            assert!(!query.asks_for_death());
            assert!(
                matches!(&query.root, Expression::All(all) | Expression::Any(all) if all.len() == 500)
            );
            assert_eq!(
                Query::parse(&query.to_string()).map_err(|error| error.message),
                Ok(query.clone())
            );
            let error = Query::parse(&format!("{longest}{sign}exposed")).unwrap_err();
            assert!(error.message.contains("terms"), "{error}");
            // Signs are no terms.
            let signs = vec!["!!((exposed))"; crate::bounds::QUERY_TERMS.length()].join(sign);
            assert_eq!(Query::parse(&signs).unwrap().holds(&entity()), Ok(false));
        }
        // What is too long is told before it is taken apart.
        assert!(
            Query::parse(&"x".repeat(1 << 20))
                .unwrap_err()
                .message
                .contains("longer than")
        );
    });
}

#[test]
fn the_deepest_query_fits_a_small_stack_and_a_deeper_one_is_refused() {
    on_a_small_stack(|| {
        let levels = crate::bounds::QUERY_LEVELS.length();
        for (open, inner, close) in [
            ("(", "exposed", ")"),
            ("!", "exposed", ""),
            ("forEach(units, u => ", "true", ")"),
            ("len(name)==len(name) || (", "exposed", ")"),
        ] {
            let nested =
                |depth: usize| format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            let query = Query::parse(&nested(levels / 2 - 1))
                .unwrap_or_else(|error| panic!("{open}: {error}"));
            let _ = query.holds(&entity());
            let _ = query.asks_for_death();
            let error = Query::parse(&nested(levels + 1)).unwrap_err();
            assert!(error.message.contains("deep"), "{open}: {error}");
        }
    });
}

#[test]
fn loops_within_loops_end_with_words() {
    let many: serde_json::Map<String, Value> = (0..200)
        .map(|number| (number.to_string(), json!({ "up": true })))
        .collect();
    let entity = json!({ "units": many });
    let mut text = "a.up".to_owned();
    for name in ["c", "b", "a"] {
        text = format!("forEach(units, {name} => {text})");
    }
    let error = Query::parse(&text).unwrap().holds(&entity).unwrap_err();
    assert!(error.message.contains("steps"), "{error}");
    assert_eq!(
        Query::parse("forEach(units, u => u.up)")
            .unwrap()
            .holds(&entity),
        Ok(true)
    );
}

#[test]
fn an_error_shows_the_beginning_of_a_long_value_and_the_nearest_name() {
    let entity = json!({ "text": "x".repeat(100_000), "status": "active" });
    let error = Query::parse("text == 1")
        .unwrap()
        .holds(&entity)
        .unwrap_err();
    assert!(error.message.len() < 200, "{error}");
    let error = Query::parse("statsu == 'active'")
        .unwrap()
        .holds(&entity)
        .unwrap_err();
    assert!(error.message.contains("did you mean \"status\""), "{error}");
}

fn expressions() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|truth| Expression::Literal(truth.into())),
        any::<i64>().prop_map(|number| Expression::Literal(number.into())),
        any::<String>().prop_map(|text| Expression::Literal(text.into())),
        prop::collection::vec("[a-z_][a-z0-9_]{0,3}(-[a-z]{1,3})?", 1..3)
            .prop_filter("words of the language", |path| !["true", "false"]
                .contains(&path[0].as_str()))
            .prop_map(Expression::Path),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|one| Expression::Not(Box::new(one))),
            (prop::sample::select(Comparison::ALL.to_vec()), pair.clone()).prop_map(
                |(comparison, (a, b))| Expression::Compare(comparison, Box::new(a), Box::new(b))
            ),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::Any),
            inner
                .clone()
                .prop_map(|one| Expression::Call(Function::Length, vec![one])),
            pair.clone()
                .prop_map(|(a, b)| Expression::Call(Function::Contains, vec![a, b])),
            (pair, "[a-z]{1,4}").prop_map(|((a, b), name)| Expression::ForEach(
                Box::new(a),
                name,
                Box::new(b)
            )),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(root in expressions()) {
        let query = Query { root };
        prop_assert_eq!(Query::parse(&query.to_string()), Ok(query));
    }

    #[test]
    fn no_text_makes_the_reader_fail_in_another_way(text in "\\PC{0,40}|[a-z().,!&|=<>\" -]{0,40}") {
        if let Ok(query) = Query::parse(&text) {
            let _ = query.holds(&entity());
        }
    }

    #[test]
    fn and_or_and_not_are_those_of_logic(a: bool, b: bool, c: bool) {
        let holds = |text: String| Query::parse(&text).unwrap().holds(&entity()).unwrap();
        prop_assert_eq!(holds(format!("{a} || {b} && !{c}")), a || b && !c);
        prop_assert_eq!(holds(format!("({a} || {b}) && {c}")), (a || b) && c);
    }

    #[test]
    fn numbers_compare_as_numbers(a in -1000_i64..1000, b in -1000_i64..1000) {
        let holds = |text: String| Query::parse(&text).unwrap().holds(&entity()).unwrap();
        prop_assert_eq!(holds(format!("{a} < {b}")), a < b);
        prop_assert_eq!(holds(format!("{a} >= {b}")), a >= b);
        prop_assert_eq!(holds(format!("{a} == {b}")), a == b);
    }
}
