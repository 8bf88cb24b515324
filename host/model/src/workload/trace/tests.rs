use proptest::prelude::*;

use super::*;

const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn a_traceparent_is_read_as_the_standard_asks() {
    let context = Context::read(GIVEN).unwrap();
    assert_eq!(context.trace(), 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
    assert_eq!(context.span(), 0x00f0_67aa_0ba9_02b7);
    assert!(context.sampled);
    assert_eq!(context.to_string(), GIVEN);
    let with = |from: usize, text: &str| {
        let mut changed = GIVEN.to_owned();
        changed.replace_range(from..from + text.len(), text);
        changed
    };
    for other in [
        with(0, "ff"),
        with(0, "0x"),
        with(2, "_"),
        with(3, "4B"),
        with(3, &"0".repeat(32)),
        with(36, &"0".repeat(16)),
        with(53, "0g"),
        with(53, "+1"),
        format!("{GIVEN}-more"),
        format!("{GIVEN}0"),
        GIVEN[..54].to_owned(),
        "ü".repeat(28),
        String::new(),
    ] {
        assert_eq!(Context::read(&other), None, "{other}");
    }
    // Later versions may say more, and flags that nobody knows yet.
    assert_eq!(
        Context::read(&format!("{}-more", with(0, "01"))),
        Some(context)
    );
    assert_eq!(Context::read(&with(53, "03")), Some(context));
    assert!(!Context::read(&with(53, "02")).unwrap().sampled);
}

proptest! {
    #[test]
    fn what_is_written_is_read(trace: u128, span: u64, child: u64, sampled: bool) {
        let begun = Context { sampled, ..Context::begin(trace, span) };
        prop_assert_eq!(Context::read(&begun.to_string()), Some(begun));
        let child = begun.child(child);
        prop_assert_eq!((child.trace(), child.sampled), (begun.trace(), sampled));
        prop_assert_eq!(Context::read(&child.to_string()), Some(child));
        let json = serde_json::to_string(&child).unwrap();
        prop_assert_eq!(serde_json::from_str::<Context>(&json).unwrap(), child);
    }

    #[test]
    fn nothing_that_a_stranger_says_is_read_badly(text in "\\PC{0,60}") {
        if let Some(context) = Context::read(&text) {
            prop_assert!(context.trace() != 0 && context.span() != 0);
        }
    }

    #[test]
    fn no_second_has_more_traces_than_its_share(
        seconds in prop::collection::vec(0_u32..5, 0..400), asked: bool,
    ) {
        let asked = asked.then(|| Context::read(GIVEN).unwrap());
        let most = if asked.is_some() { CONTINUED } else { BEGUN };
        let mut seconds = seconds;
        seconds.sort_unstable();
        let (mut window, mut admitted) = (0, [0_u32; 5]);
        let mut asks = [0_u32; 5];
        for second in seconds {
            asks[second as usize] += 1;
            if let Some(next) = admit(asked, window, second) {
                window = next;
                admitted[second as usize] += 1;
            }
        }
        prop_assert_eq!(admitted, asks.map(|asks| asks.min(most)));
    }
}

#[test]
fn who_says_that_nobody_tells_of_a_trace_is_not_traced() {
    let unsampled = Context {
        sampled: false,
        ..Context::begin(1, 1)
    };
    assert_eq!(admit(Some(unsampled), 0, 7), None);
    assert!(admit(None, 0, 7).is_some());
}

fn span(authority: &str) -> Span {
    let context = Context::begin(1, 2);
    let request = ("BREW", authority, "/a\nb");
    Span::begin(Part::Call, (context, None), 7, request)
}

#[test]
fn a_span_has_bounds_and_few_methods() {
    let long = "x".repeat(10_000);
    let mut made = span(&long);
    assert_eq!(made.method, "_OTHER");
    // Where something is missing is said.
    let cut = TEXT_BYTES + '…'.len_utf8();
    assert_eq!(made.authority.len(), cut);
    assert!(!made.path.contains('\n'));
    made.failure = Some(long.clone());
    made.path = long;
    made.method = "GET".to_owned();
    let made = made.bounded();
    assert_eq!((made.path.len(), made.failure.unwrap().len()), (cut, cut));
    assert_eq!(made.method, "GET");
    assert_eq!(span("docs.internal").server(), ("docs.internal", None));
    assert_eq!(
        span("docs.internal:80").server(),
        ("docs.internal", Some(80))
    );
    assert_eq!(span("[::1]").server(), ("[::1]", None));
}

#[test]
fn what_was_told_is_not_told_again() {
    let of_unit = |number: u64| OfUnit {
        unit: "docs/0".parse().unwrap(),
        span: Span {
            started_at: number as i64,
            ..span("docs")
        },
    };
    let traced = Traced {
        begun: 7,
        last: 10,
        spans: (6..=10).map(of_unit).collect(),
    };
    let after = |begun, number| -> Vec<i64> {
        let spans = traced.after(begun, number);
        spans.iter().map(|of| of.span.started_at).collect()
    };
    assert_eq!(after(7, 8), [9, 10]);
    assert!(after(7, 10).is_empty());
    assert_eq!(
        after(7, 3),
        [6, 7, 8, 9, 10],
        "what lies between was dropped"
    );
    assert_eq!(after(6, 10), [6, 7, 8, 9, 10], "by the one before");
    assert!(after(7, 11).is_empty(), "said late");
}
