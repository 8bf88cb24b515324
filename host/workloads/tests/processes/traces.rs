//! A request that is traced, from the gate to what an instance sends.

use std::time::Duration;

use periapt_model::workload::trace::{FILE, FOLDER, OfUnit, Part, Traced};

use crate::Test;
use crate::handlers::both;
use crate::machine::{Machine, Model, ask, until};

pub const TESTS: &[Test] = &[(
    "a traced request has spans in the right parents, and another has none",
    traced,
)];

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENT: u64 = 0x00f0_67aa_0ba9_02b7;

fn spans(model: &Model) -> Vec<OfUnit> {
    let path = model.directory.join("workloads").join(FOLDER).join(FILE);
    let Ok(bytes) = std::fs::read(path) else {
        return Vec::new();
    };
    serde_json::from_slice::<Traced>(&bytes).unwrap().spans
}

/// Has the handler of `bad/0` ask `docs/0`, as a client of which somebody tells, or not.
fn asked(machine: &Machine, host: &str, flags: &str) -> u16 {
    let request = format!(
        "GET /e/docs-0.internal HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Periapt-Trace: 00-{TRACE}-00000000000000bb-01\r\n\
         Traceparent: 00-{TRACE}-{CLIENT:016x}-{flags}\r\n\r\n"
    );
    ask(machine.connect(), &request).unwrap().status
}

fn traced() {
    let mut machine = Machine::new();
    let mut model = both(&mut machine);
    model.relate("bad", "docs");
    machine.publish(&model);
    let bad = "bad.demo.localhost";
    until("the way to a related unit", || {
        (asked(&machine, bad, "01") == 200).then_some(())
    });
    // Longer than the supervisor waits before it writes.
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(spans(&model).is_empty(), "nobody wants to hear of it");

    model.document.traces = true;
    machine.publish(&model);
    assert_eq!(asked(&machine, bad, "00"), 200);
    assert_eq!(asked(&machine, bad, "01"), 200);
    let all = until("all spans", || {
        Some(spans(&model)).filter(|spans| spans.len() >= 4)
    });
    assert_eq!(all.len(), 4, "{all:?}");
    let find = |part: Part, unit: &str| {
        let mut found = all
            .iter()
            .filter(|of| of.span.part == part && of.unit.as_str() == unit);
        found
            .next()
            .unwrap_or_else(|| panic!("{part:?} of {unit}: {all:?}"))
            .span
            .clone()
    };
    let gate = find(Part::Gate, "bad/0");
    let instance = find(Part::Instance, "bad/0");
    let call = find(Part::Call, "bad/0");
    let called = find(Part::Instance, "docs/0");
    assert_eq!(gate.parent, Some(CLIENT));
    assert_eq!(instance.parent, Some(gate.context.span()));
    assert_eq!(call.parent, Some(instance.context.span()));
    assert_eq!(called.parent, Some(call.context.span()));
    for span in [&gate, &instance, &call, &called] {
        assert_eq!(format!("{:032x}", span.context.trace()), TRACE);
        assert_eq!(
            (span.status, span.method.as_str()),
            (200, "GET"),
            "{span:?}"
        );
    }
    assert_eq!(
        (gate.authority.as_str(), gate.path.as_str()),
        (bad, "/e/docs-0.internal")
    );
    assert_eq!(
        (call.authority.as_str(), call.path.as_str()),
        ("docs-0.internal", "/")
    );
    assert!(gate.started_at <= instance.started_at && instance.started_at <= call.started_at);

    // Who has no trace is given one, of a share in each second.
    let begun = until("a trace that the gate began", || {
        assert_eq!(machine.get(bad, "/good").status, 200);
        spans(&model)
            .into_iter()
            .find(|of| of.span.parent.is_none())
    });
    assert_ne!(format!("{:032x}", begun.span.context.trace()), TRACE);
    // What a service refuses is in the span of its instance, if this one is within the share.
    until("why it failed", || {
        assert_eq!(machine.get(bad, "/trap").status, 500);
        let crashed = |of: &OfUnit| {
            let why = of.span.failure.as_deref();
            why.is_some_and(|why| why.contains("crashed"))
        };
        spans(&model).iter().any(crashed).then_some(())
    });
}
