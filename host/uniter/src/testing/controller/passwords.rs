//! The agent's password, as the controller keeps it: the present one, and one that follows it once it
//! is used.

use periapt_wire::CallError;
use periapt_wire::rpc::{Empty, code};
use serde_json::Value;

use super::{Controller, argument, refused, value};

/// None is asked for until one is set.
#[derive(Default)]
pub(super) struct Passwords {
    present: Option<String>,
    next: Option<String>,
    refused: usize,
}

impl Controller {
    /// Makes or replaces the agent's password.
    pub fn set_agent_password(&self, password: &str) {
        self.lock().passwords = Passwords {
            present: Some(password.to_owned()),
            ..Passwords::default()
        };
    }

    /// Whether the agent may log in with it. The first use of a new one ends the one before.
    pub fn is_agent_password(&self, password: &str) -> bool {
        let mut inner = self.lock();
        let passwords = &mut inner.passwords;
        let fits = |one: &Option<String>| one.as_deref() == Some(password);
        if fits(&passwords.next) {
            passwords.present = passwords.next.take();
        }
        let may = passwords.present.is_none() || fits(&passwords.present);
        passwords.refused += usize::from(!may);
        may
    }

    /// Logins that were refused since the password was set.
    pub fn refused_logins(&self) -> usize {
        self.lock().passwords.refused
    }

    pub(super) fn change_password(&self, params: &Value) -> Result<Value, CallError> {
        let present: String = argument(params, "present-password")?;
        let next = argument(params, "password")?;
        let mut inner = self.lock();
        let passwords = &mut inner.passwords;
        if passwords
            .present
            .as_ref()
            .is_some_and(|one| *one != present)
        {
            return Err(refused(code::BAD_REQUEST, "not the present password"));
        }
        passwords.next = Some(next);
        Ok(value(Empty {}))
    }
}
