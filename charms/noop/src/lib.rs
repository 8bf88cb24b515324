//! The smallest charm: it implements every hook and does nothing in any of them. What a hook
//! of it takes is what the host itself takes.

use periapt_charm::{Charm, Hook};

#[derive(Default)]
pub struct Noop;

impl Charm for Noop {
    type Config = ();
    const HOOKS: &'static [Hook] = Hook::ALL;
}

periapt_charm::export!(Noop);

#[cfg(test)]
mod tests {
    use periapt_charm::testing::{Harness, Outcome};

    use super::*;

    #[test]
    fn every_hook_runs_and_leaves_nothing() {
        let mut harness = Harness::<Noop>::new();
        for hook in Hook::ALL {
            assert_eq!(harness.run(*hook).expect("succeeds"), Outcome::Ran);
        }
        assert!(harness.log().is_empty() && harness.ports().is_empty());
    }
}
