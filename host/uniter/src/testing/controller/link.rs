//! A connection to the controller in memory, which can be cut, held up and made to lose answers.

use async_trait::async_trait;
use bytes::Bytes;
use periapt_wire::rpc::{Empty, Json, WATCHER_FACADE, code, json};
use periapt_wire::{CallError, Caller};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::{Controller, refused, value};

/// One connection.
pub(super) struct Link {
    pub controller: Controller,
    pub broken: CancellationToken,
}

#[async_trait]
impl Caller for Link {
    async fn request(
        &self,
        facade: &str,
        _: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Result<Json, CallError> {
        let params = params.as_deref().map_or("null", RawValue::get);
        let params: Value = serde_json::from_str(params).map_err(unexpected)?;
        let name = name(facade, method);
        let work = async {
            if facade == WATCHER_FACADE {
                let id = id.unwrap_or_default();
                return match method {
                    "Next" => self.controller.next(&id).await.map(value),
                    _ => {
                        self.controller.lock().watchers.remove(&id);
                        Ok(value(Empty {}))
                    }
                };
            }
            if let Some(waiting) = self.controller.lock().held.get_mut(name) {
                *waiting += 1;
            }
            self.controller
                .until(|controller| !controller.lock().held.contains_key(name))
                .await;
            // Before the answer can be seen at work.
            self.controller.lock().calls.push(name.to_owned());
            let refusal = self.controller.lock().refusals.remove(name);
            let answer = match refusal {
                Some(error) => Err(error),
                None => self.controller.answer(name, params).await,
            };
            let lost = self.controller.lock().lost.remove(name);
            self.controller.touch(&[]);
            match lost {
                true => Err(CallError::Disconnected("lost".to_owned())),
                false => answer,
            }
        };
        let answer: Value = tokio::select! {
            biased;
            () = self.broken.cancelled() => Err(CallError::Disconnected("cut".to_owned())),
            answer = work => answer,
        }?;
        json(&answer).map_err(unexpected)
    }

    async fn blob(&self, digest: &str) -> Result<Bytes, CallError> {
        self.controller.lock().calls.push("blob".to_owned());
        self.controller.touch(&[]);
        let blob = self.controller.lock().blobs.get(digest).cloned();
        blob.ok_or_else(|| refused(code::NOT_FOUND, "blob"))
    }

    fn broken(&self) -> CancellationToken {
        self.broken.clone()
    }
}

fn unexpected(error: serde_json::Error) -> CallError {
    CallError::Unexpected(error.to_string())
}

/// Methods by one name each, where facades use the same one.
fn name<'a>(facade: &str, method: &'a str) -> &'a str {
    match (facade, method) {
        ("periapt.ModelConfig", "WatchForModelConfigChanges") => "WatchModelConfig",
        ("periapt.Machiner", "Life") => "MachineLife",
        ("periapt.Machiner", "Watch") => "WatchMachine",
        ("periapt.Machiner", "SetStatus") => "MachineStatus",
        ("periapt.Machiner", "EnsureDead") => "EnsureMachineDead",
        ("periapt.MachineActions", "Watch") => "WatchMachineTasks",
        ("periapt.MachineActions", "Due") => "MachineTasks",
        ("periapt.MachineActions", "Begin") => "BeginMachineTask",
        ("periapt.MachineActions", "End") => "EndMachineTask",
        ("periapt.Reboot", "Watch") => "WatchReboot",
        ("periapt.Reboot", "Get") => "GetReboot",
        ("periapt.Reboot", "Clear") => "ClearReboot",
        ("periapt.Deployer", "SetStatus") => "SetDeployStatus",
        ("periapt.Uniter", "Watch") => "WatchUnit",
        (_, method) => method,
    }
}
