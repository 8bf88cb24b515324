//! **auditconfigupdater**: the audit log's settings, and the pen that writes it.
//!
//! Trigger: the controller's configuration changes. Action: it puts the settings in force: the
//! API server reads them with each change it records. Effect: auditing switched on at run time
//! records the next change to `audit.log`; switched off, nothing is appended any more and the
//! file is closed. It writes no record itself.

use periapt_engine::{Manifold, Outputs, ResultExt, TaskWorker};
use periapt_server::{AuditConfig, Recorder};
use periapt_store::{Interest, Store, namespace};

use super::{agent, changestream, dbaccessor};
use crate::ControllerContext;

#[cfg(test)]
mod tests;

pub const NAME: &str = "audit-config-updater";

/// The file's name within the data directory.
pub const FILE: &str = "audit.log";

/// Lends the [`Recorder`] with its first settings in force.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let store: Store = context.get(dbaccessor::NAME)?;
        context.require(changestream::NAME)?;
        let interest = Interest::any_model().all(namespace::CONTROLLER_CONFIG);
        let mut changes = store.changes().subscribe(interest);
        let recorder = Recorder::start(
            store.clone(),
            Some(controller.data_dir.join(FILE)),
            controller.store_users.clone(),
        );
        let values = store
            .controller_config()
            .await
            .while_doing("reading the controller's configuration")?;
        recorder.configure(AuditConfig::read(&values));
        let lent = Outputs::of(recorder.clone());
        Ok(TaskWorker::lending(lent, move |worker| async move {
            loop {
                let mut report = recorder.report();
                report["auditing-enabled"] = recorder.config().enabled.into();
                worker.set_report(report);
                worker
                    .or_dying(changes.next())
                    .await?
                    .while_doing("watching the controller's configuration")?;
                let values = store
                    .controller_config()
                    .await
                    .while_doing("reading the controller's configuration")?;
                let config = AuditConfig::read(&values);
                if *recorder.config() != config {
                    tracing::info!(
                        enabled = config.enabled,
                        capture_args = config.capture_args,
                        "audit settings changed"
                    );
                    recorder.configure(config);
                }
            }
        }))
    })
    .needs([agent::NAME, dbaccessor::NAME, changestream::NAME])
}
