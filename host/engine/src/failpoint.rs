//! Named points at which a test can kill or stop the process, to prove what a crash there leaves
//! and what the others make of a process that says nothing more.
//!
//! `PERIAPT_FAILPOINT=name` kills at the first passage of `name`, `name:3` at the third. The
//! process dies as under `kill -9`: nothing is flushed, no destructor runs. With `=stop` behind
//! it the process stops as under `kill -STOP`, and goes on from there when it is told to.
//! Without the variable a passage costs one atomic load.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

/// Environment variable that arms one failpoint.
pub const VARIABLE: &str = "PERIAPT_FAILPOINT";

/// Longer than a signal takes to reach every thread.
const ARRIVAL: Duration = Duration::from_millis(200);

struct Armed {
    name: String,
    passages_left: AtomicU64,
    signal: Signal,
}

static ARMED: OnceLock<Option<Armed>> = OnceLock::new();

/// Passes the point `name`; does not return when it is armed to kill and due.
pub fn reach(name: &str) {
    let Some(armed) = ARMED.get_or_init(from_environment) else {
        return;
    };
    if armed.name == name && armed.passages_left.fetch_sub(1, Ordering::SeqCst) == 1 {
        let _ = kill_process(getpid(), armed.signal);
        // Another thread may be the one that gets the signal, and this one must not pass meanwhile.
        std::thread::sleep(ARRIVAL);
    }
}

fn from_environment() -> Option<Armed> {
    parse(&std::env::var(VARIABLE).ok()?)
}

fn parse(text: &str) -> Option<Armed> {
    let (text, signal) = match text.split_once('=') {
        Some((text, "stop")) => (text, Signal::STOP),
        Some(_) => return None,
        None => (text, Signal::KILL),
    };
    let (name, passage) = match text.split_once(':') {
        Some((name, passage)) => (name, passage.parse().ok()?),
        None => (text, 1),
    };
    (!name.is_empty() && passage > 0).then(|| Armed {
        name: name.to_owned(),
        passages_left: AtomicU64::new(passage),
        signal,
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
        assert_eq!(armed.signal, Signal::KILL);
        let stops = parse("uniter-after-execute:3=stop").expect("valid");
        assert_eq!(stops.signal, Signal::STOP);
        assert!(parse("x=sleep").is_none());
        assert!(parse("").is_none() && parse("x:0").is_none() && parse("x:y").is_none());
    }
}
