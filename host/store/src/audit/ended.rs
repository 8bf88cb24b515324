//! How a change is told once its end is known: what was refused was tried, and not done.
//!
//! The words of a record are made before anybody knows how it ends, as `removed` and `machine 10`. They are kept
//! as they are and turned where they are read, so that records of before are told right as well.

use super::INTERRUPTED;

/// What was done, with what was tried where that was refused.
#[rustfmt::skip]
const VERBS: &[(&str, &str)] = &[
    ("acknowledged", "acknowledge"), ("added", "add"), ("annotated", "annotate"), ("attached", "attach"),
    ("called", "call"), ("cancelled", "cancel"), ("changed", "change"), ("constrained", "constrain"),
    ("deployed", "deploy"), ("destroyed", "destroy"), ("detached", "detach"), ("disabled", "disable"),
    ("enabled", "enable"), ("ended the silence of", "end the silence of"), ("exposed", "expose"),
    ("granted", "grant"), ("imported", "import"), ("integrated", "integrate"), ("invalidated", "invalidate"),
    ("invited", "invite"), ("listed", "list"), ("looked for", "look for"), ("made", "make"), ("planned", "plan"),
    ("ran", "run"), ("read", "read"), ("refreshed", "refresh"), ("registered", "register"), ("removed", "remove"),
    ("replaced", "replace"), ("resumed", "resume"), ("retried", "retry"), ("revealed", "reveal"),
    ("revoked", "revoke"), ("scaled", "scale"), ("set", "set"), ("signed in", "sign in"),
    ("signed out", "sign out"), ("silenced", "silence"), ("skipped", "skip"), ("started", "start"),
    ("stopped", "stop"), ("stopped trusting", "stop trusting"), ("suspended", "suspend"), ("tested", "test"),
    ("took", "take"), ("trusted", "trust"), ("unexposed", "unexpose"), ("uploaded", "upload"),
    ("validated", "validate"),
];

/// The verb of a record that ended so: `removed`, and `tried to remove` where it was refused.
#[must_use]
pub fn told(verb: &str, result: &str) -> String {
    let tried = VERBS.iter().find(|(done, _)| *done == verb);
    match tried {
        // What was interrupted had changed something: the record was written with it.
        Some((_, tried)) if !fine(result) && result != INTERRUPTED => format!("tried to {tried}"),
        _ => verb.to_owned(),
    }
}

/// Whether a record with this result ended well.
pub(crate) fn fine(result: &str) -> bool {
    result == "ok" || result.starts_with(['2', '3'])
}

/// How a record ended that did not end well: `refused (409)`.
pub(crate) fn outcome(result: &str) -> String {
    match result {
        INTERRUPTED => INTERRUPTED.to_owned(),
        result if result.starts_with('5') => format!("failed ({result})"),
        result => format!("refused ({result})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_was_tried_and_not_done() {
        assert_eq!(told("removed", "200"), "removed");
        assert_eq!(told("removed", "ok"), "removed");
        assert_eq!(told("removed", "409"), "tried to remove");
        assert_eq!(told("called", "not-found"), "tried to call");
        assert_eq!(told("removed", INTERRUPTED), "removed");
        assert_eq!(
            told("could not sign in", "token-invalid"),
            "could not sign in"
        );
        assert_eq!(told("", "409"), "");
        assert_eq!(outcome("409"), "refused (409)");
        assert_eq!(outcome("503"), "failed (503)");
        assert_eq!(outcome(INTERRUPTED), "interrupted");
    }
}
