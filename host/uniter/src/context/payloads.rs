//! Payloads: what the unit's hooks registered, and what its charm declares.

use std::collections::BTreeMap;

use periapt_contract::payloads::Payload;
use periapt_sandbox::{CallError, PayloadsAnswers};

use super::UnitContext;

impl PayloadsAnswers for UnitContext {
    fn payloads(&mut self) -> Result<Vec<Payload>, CallError> {
        Ok(self.snapshot.state.payloads.clone())
    }

    fn payload_classes(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.payload_classes.clone())
    }
}
