//! The smallest charm: it implements every hook and does nothing in any of them. What a hook
//! of it takes is what the host itself takes.

use periapt_charm::{Charm, Hook};

#[derive(Default)]
pub struct Noop;

#[periapt_charm::charm]
impl Charm for Noop {
    type Config = ();
    const HOOKS: &'static [Hook] = Hook::ALL;
}

periapt_charm::export!(Noop);

#[cfg(test)]
mod tests {
    use periapt_charm::testing::{Harness, Outcome};
    use periapt_charm::{Event, MeterColor, MeterStatus, SecretEvent};

    use super::*;

    #[test]
    fn every_hook_runs_and_leaves_nothing() {
        let mut harness = Harness::<Noop>::new();
        let secret = SecretEvent {
            id: "secret:00000000000000000000".to_owned(),
            label: String::new(),
            revision: None,
        };
        for hook in Hook::ALL {
            let event = match hook {
                Hook::MeterStatusChanged => MeterStatus::event(MeterColor::Green, ""),
                Hook::SecretChanged
                | Hook::SecretExpired
                | Hook::SecretRotate
                | Hook::SecretRemove => secret.event(*hook),
                hook => Event::new(*hook),
            };
            assert_eq!(harness.run_event(&event).expect("succeeds"), Outcome::Ran);
        }
        assert!(harness.log().is_empty() && harness.ports().is_empty());
    }
}
