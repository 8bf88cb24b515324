//! Hands over what the unit wants of its containers: after each hook that changed it or the unit's
//! files, and whenever the uniter starts.

use std::collections::BTreeMap;
use std::path::Path;

use super::Executor;
use crate::charms::Charm;
use crate::directories;
use crate::error::UniterError;
use crate::files::blocking;
use crate::workloads;

impl Executor {
    /// Hands over what is recorded, as after a start. What fails is logged and comes with the next
    /// hook: a unit whose containers are not told of its newest commit goes on all the same.
    pub async fn hand_over_recorded(&self) {
        let Some(url) = self.local.operation.charm_in_place() else {
            return;
        };
        if self.containers.is_empty() {
            return;
        }
        let url = url.to_owned();
        match self.charm(&url).await {
            Ok(charm) => self.hand_over(&charm).await,
            Err(error) => {
                tracing::warn!(unit = %self.config.unit, %error, "containers are not told of their plan")
            }
        }
    }

    /// Hands over what was committed last.
    pub(super) async fn hand_over(&self, charm: &Charm) {
        if self.containers.is_empty() {
            return;
        }
        if let Err(error) = self.try_hand_over(charm).await {
            self.log(
                "WARNING",
                &format!("its containers were not told of what is committed: {error}"),
            );
        }
    }

    async fn try_hand_over(&self, charm: &Charm) -> Result<(), UniterError> {
        let unit = self.config.unit.clone();
        let process = &self.config.process;
        let mut components = BTreeMap::new();
        for name in workloads::components(&self.containers) {
            let found = process
                .sandbox()
                .component(&self.config.connection, charm.files(), &name)
                .await;
            match found {
                Ok(mut component) => {
                    if let Ok(below) = component.file.strip_prefix(process.directory()) {
                        component.file = below.to_owned();
                    }
                    components.insert(name, component);
                }
                // The service that names it says so.
                Err(error) => {
                    tracing::warn!(%unit, component = %name, %error, "a component is not there")
                }
            }
        }
        let generation = self.local.operation.state_generation;
        let generation = directories::generation(Path::new(""), &unit, generation);
        let desired =
            workloads::desired(&unit, &charm.info, generation, &self.containers, components);
        let workloads = process.workloads().clone();
        blocking(move || workloads.want(desired)).await
    }
}
