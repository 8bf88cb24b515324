//! Named points at which a test can kill the process, to prove what a crash there leaves.
//!
//! `PERIAPT_FAILPOINT=name` kills at the first passage of `name`, `name:3` at the third. The
//! process dies as under `kill -9`: nothing is flushed, no destructor runs. Without the
//! variable a passage costs one atomic load.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Environment variable that arms one failpoint.
pub const VARIABLE: &str = "PERIAPT_FAILPOINT";

struct Armed {
    name: String,
    passages_left: AtomicU64,
}

static ARMED: OnceLock<Option<Armed>> = OnceLock::new();

/// Passes the point `name`; does not return when it is armed and due.
pub fn reach(name: &str) {
    let Some(armed) = ARMED.get_or_init(from_environment) else {
        return;
    };
    if armed.name == name && armed.passages_left.fetch_sub(1, Ordering::SeqCst) == 1 {
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

fn from_environment() -> Option<Armed> {
    parse(&std::env::var(VARIABLE).ok()?)
}

fn parse(text: &str) -> Option<Armed> {
    let (name, passage) = match text.split_once(':') {
        Some((name, passage)) => (name, passage.parse().ok()?),
        None => (text, 1),
    };
    (!name.is_empty() && passage > 0).then(|| Armed {
        name: name.to_owned(),
        passages_left: AtomicU64::new(passage),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_carry_the_passage_it_waits_for() {
        let armed = parse("uniter-after-execute:3").expect("valid");
        assert_eq!(armed.name, "uniter-after-execute");
        assert_eq!(armed.passages_left.load(Ordering::SeqCst), 3);
        assert_eq!(
            parse("x")
                .expect("valid")
                .passages_left
                .load(Ordering::SeqCst),
            1
        );
        assert!(parse("").is_none() && parse("x:0").is_none() && parse("x:y").is_none());
    }
}
