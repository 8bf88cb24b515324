//! `payload-register`, `payload-status-set`, `payload-unregister`: what a charm says that it runs by itself.

pub use periapt_contract::PayloadsAnswers;
use periapt_contract::payloads::{Payload, PayloadKey, PayloadStatus};

use super::Permission::Everybody;
use super::Tool;
use super::When::AtCommit;
use crate::world::periapt::charm::payloads as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new(
        "payload-register",
        "payloads",
        "register",
        AtCommit,
        Everybody,
    ),
    Tool::new(
        "payload-status-set",
        "payloads",
        "set-status",
        AtCommit,
        Everybody,
    ),
    Tool::new(
        "payload-unregister",
        "payloads",
        "unregister",
        AtCommit,
        Everybody,
    ),
];

impl wit::Host for HookState {
    fn register(
        &mut self,
        class: String,
        kind: String,
        id: String,
        labels: Vec<String>,
    ) -> Answer<()> {
        let payload = Payload {
            class,
            id,
            kind,
            status: PayloadStatus::Running,
            labels,
        };
        self.transaction(|txn, context| txn.payload_register(context, payload))
    }

    fn set_status(&mut self, class: String, id: String, status: wit::PayloadStatus) -> Answer<()> {
        let status = match status {
            wit::PayloadStatus::Starting => PayloadStatus::Starting,
            wit::PayloadStatus::Running => PayloadStatus::Running,
            wit::PayloadStatus::Stopping => PayloadStatus::Stopping,
            wit::PayloadStatus::Stopped => PayloadStatus::Stopped,
        };
        let key = PayloadKey { class, id };
        self.transaction(|txn, context| txn.payload_status_set(context, &key, status))
    }

    fn unregister(&mut self, class: String, id: String) -> Answer<()> {
        let key = PayloadKey { class, id };
        self.transaction(|txn, context| txn.payload_unregister(context, &key))
    }
}
