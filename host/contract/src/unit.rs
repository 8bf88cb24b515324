//! Who a charm is. Nothing of it waits for the commit.

use crate::CallError;

/// What an agent answers for `unit`.
pub trait UnitAnswers {
    /// `web/0`.
    fn unit_name(&self) -> String {
        String::new()
    }

    fn model_name(&self) -> String {
        String::new()
    }

    fn model_uuid(&self) -> String {
        String::new()
    }

    fn private_address(&mut self) -> Result<String, CallError> {
        Err(CallError::unanswered())
    }

    fn public_address(&mut self) -> Result<String, CallError> {
        Err(CallError::unanswered())
    }

    /// Takes effect at once.
    fn set_workload_version(&mut self, _version: &str) -> Result<(), CallError> {
        Err(CallError::unanswered())
    }
}

/// The application in the name of a unit or of an application.
pub fn application_of(member: &str) -> &str {
    member.split('/').next().unwrap_or_default()
}
