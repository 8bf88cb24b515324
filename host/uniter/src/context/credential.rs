//! `credential-get`: asked of the controller, which answers for a trusted application alone.

use periapt_sandbox::{CallError, CloudAccess, CredentialAnswers};
use periapt_wire::agent::uniter::GetCloudAccess;

use super::UnitContext;

impl CredentialAnswers for UnitContext {
    fn trusted(&self) -> bool {
        self.snapshot.trusted
    }

    fn cloud(&mut self) -> Result<CloudAccess, CallError> {
        let unit = self.unit.clone();
        // None where somebody took the trust back since the hook began.
        let known = self.call(&GetCloudAccess { unit })?;
        let known =
            known.ok_or_else(|| CallError::denied("the application is not trusted any more"))?;
        Ok(CloudAccess {
            name: known.name,
            kind: known.kind,
            region: known.region,
            endpoint: known.endpoint,
            auth_type: known.auth_type,
            attributes: known.attributes.into_iter().collect(),
        })
    }
}
