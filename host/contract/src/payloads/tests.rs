use super::*;
use crate::bounds::{PAYLOAD_LABELS, PAYLOADS};
use crate::{CallErrorCode, HookTxn};

/// A unit of a charm with one class.
struct Unit(Vec<Payload>);

impl PayloadsAnswers for Unit {
    fn payloads(&mut self) -> Result<Vec<Payload>, CallError> {
        Ok(self.0.clone())
    }

    fn payload_classes(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok([("monitor".to_owned(), "process".to_owned())].into())
    }
}

fn payload(id: &str) -> Payload {
    Payload {
        class: "monitor".to_owned(),
        id: id.to_owned(),
        kind: "process".to_owned(),
        status: PayloadStatus::Running,
        labels: Vec::new(),
    }
}

#[test]
fn what_is_registered_changed_and_forgotten_is_one_change() {
    let mut unit = Unit(vec![payload("old"), payload("same")]);
    let mut txn = HookTxn::default();
    txn.payload_register(&mut unit, payload("new")).unwrap();
    txn.payload_register(&mut unit, payload("same")).unwrap();
    txn.payload_register(&mut unit, payload("passing")).unwrap();
    let stopped = PayloadStatus::Stopped;
    txn.payload_status_set(&mut unit, &payload("new").key(), stopped)
        .unwrap();
    for gone in ["old", "passing", "never"] {
        txn.payload_unregister(&mut unit, &payload(gone).key())
            .unwrap();
    }
    let changes = txn.into_effects().payloads;
    let new = Payload {
        status: stopped,
        ..payload("new")
    };
    let expected = Changes {
        put: vec![new.clone()],
        gone: vec![payload("old").key()],
    };
    assert_eq!(changes, expected);
    assert_eq!(changes.applied(&unit.0), [new, payload("same")]);
    assert_eq!(
        changes.words(),
        [
            "unregistered payload monitor old",
            "payload monitor new is stopped"
        ]
    );
    let written = serde_json::to_string(&changes).unwrap();
    let read: Changes = serde_json::from_str(&written).unwrap();
    assert_eq!(read, changes);
}

#[test]
fn payloads_that_cannot_be_are_refused() {
    let mut unit = Unit(Vec::new());
    let mut txn = HookTxn::default();
    let long = "x".repeat(257);
    let other = |change: &dyn Fn(&mut Payload)| {
        let mut payload = payload("a");
        change(&mut payload);
        payload
    };
    let labels = PAYLOAD_LABELS.length() + 1;
    for (payload, code) in [
        (
            other(&|payload| payload.class = "nothing".to_owned()),
            CallErrorCode::NotFound,
        ),
        (
            other(&|payload| payload.kind = "docker".to_owned()),
            CallErrorCode::Invalid,
        ),
        (payload(""), CallErrorCode::Invalid),
        (payload("two words"), CallErrorCode::Invalid),
        (payload(&long), CallErrorCode::Limit),
        (
            other(&|payload| payload.labels = vec![String::new()]),
            CallErrorCode::Invalid,
        ),
        (
            other(&|payload| payload.labels = vec!["a".to_owned(); labels]),
            CallErrorCode::Limit,
        ),
    ] {
        let refused = txn.payload_register(&mut unit, payload.clone());
        assert_eq!(refused.unwrap_err().code, code, "{payload:?}");
    }
    let unknown = txn.payload_status_set(&mut unit, &payload("a").key(), PayloadStatus::Starting);
    assert_eq!(unknown.unwrap_err().code, CallErrorCode::NotFound);
    for number in 0..PAYLOADS.most {
        txn.payload_register(&mut unit, payload(&number.to_string()))
            .unwrap();
    }
    let more = txn.payload_register(&mut unit, payload("more"));
    assert_eq!(more.unwrap_err().code, CallErrorCode::Limit);
    txn.payload_register(&mut unit, payload("0")).unwrap();
}
