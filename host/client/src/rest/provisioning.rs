//! The methods about what a model's provider may do, and about trying it again.

use periapt_model::MachineId;
use periapt_wire::rest::{ChangeCredential, MachineInfo, ModelCredential};
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
        let path = ["v1", "models", model, "machines", &id, "retry-provisioning"];
        self.post(&path, &Empty {}).await
    }

    /// Whether the model's provider may make instances.
    pub async fn credential(&self, model: &str) -> Result<ModelCredential, RestError> {
        self.get(&["v1", "models", model, "credential"]).await
    }

    pub async fn change_credential(
        &self,
        model: &str,
        change: &ChangeCredential,
    ) -> Result<ModelCredential, RestError> {
        self.put(&["v1", "models", model, "credential"], change)
            .await
    }
}
