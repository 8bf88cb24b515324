//! Who may know how the model's cloud lets its provider in. Nothing of it waits for the commit.

use crate::CallError;

/// Whether a unit may ask for the credential of its model's cloud: only where an operator said that the
/// application is trusted with it.
///
/// # Errors
/// `Denied` where nobody did.
pub fn require_trust(trusted: bool) -> Result<(), CallError> {
    match trusted {
        true => Ok(()),
        false => Err(CallError::denied(
            "the application is not trusted with the cloud's credential; an operator may trust it",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallErrorCode;

    #[test]
    fn the_credential_is_for_trusted_applications() {
        assert_eq!(require_trust(true), Ok(()));
        let denied = require_trust(false).unwrap_err();
        assert_eq!(denied.code, CallErrorCode::Denied);
    }
}
