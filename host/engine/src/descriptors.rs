//! How many files and connections this process may have open.
//!
//! Systems give a process few to begin with, for the sake of programs that count them in a bit
//! set, and let it take more by itself. Controllers, agents and the supervisor of workloads take what they
//! may, once, before they open anything; what they can serve follows from what they got.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Takes as many as this process may have.
pub fn raise() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // A process that may not is no worse off, and says so where it counts.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// As many as this process may have open now.
#[must_use]
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_takes_what_it_may_have() {
        raise();
        let most = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
        assert_eq!(limit(), most);
    }
}
