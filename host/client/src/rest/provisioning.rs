//! The methods about what a model's provider may do, and about trying it again.

use periapt_model::MachineId;
use periapt_wire::rest::{ChangeCredential, MachineInfo, ModelCredential, paths};
use periapt_wire::rpc::Empty;

use super::{RestClient, RestError};

impl RestClient {
    /// Has a machine that its provider gave up tried again.
    pub async fn retry_provisioning(
        &self,
        model: &str,
        machine: &MachineId,
    ) -> Result<MachineInfo, RestError> {
        let id = machine.as_str().replace('/', "-");
        let path = paths::MACHINE_RETRY_PROVISIONING.at([model, &id]);
        self.post(&path, &Empty {}).await
    }

    /// Whether the model's provider may make instances.
    pub async fn credential(&self, model: &str) -> Result<ModelCredential, RestError> {
        self.get(&paths::MODEL_CREDENTIAL.at([model])).await
    }

    pub async fn change_credential(
        &self,
        model: &str,
        change: &ChangeCredential,
    ) -> Result<ModelCredential, RestError> {
        self.put(&paths::MODEL_CREDENTIAL.at([model]), change).await
    }
}
