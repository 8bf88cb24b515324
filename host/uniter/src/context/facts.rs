//! What the snapshot tells a hook of its own unit, and the lines it logs.

use std::collections::BTreeMap;

use periapt_contract::workload::{Container, Layers, Seen};
use periapt_engine::failpoint;
use periapt_model::config::Values;
use periapt_model::hook::AtOnce;
use periapt_model::ports::{Openings, PortRange};
use periapt_sandbox::{
    CallError, ConfigAnswers, LogAnswers, LogLevel, MetricsAnswers, Output, PortsAnswers,
    StateAnswers, UnitAnswers, WorkloadAnswers,
};
use periapt_wire::agent::uniter::SetWorkloadVersion;

use super::{UnitContext, record};
use crate::withheld;
use crate::workloads;

impl UnitAnswers for UnitContext {
    fn unit_name(&self) -> String {
        self.unit.to_string()
    }

    fn model_name(&self) -> String {
        self.model.name.to_string()
    }

    fn model_uuid(&self) -> String {
        self.model.uuid.to_string()
    }

    fn private_address(&mut self) -> Result<String, CallError> {
        let address = self.snapshot.private_address.clone();
        address.ok_or_else(|| CallError::not_found("the unit has no private address yet"))
    }

    fn public_address(&mut self) -> Result<String, CallError> {
        let address = self.snapshot.public_address.clone();
        address.ok_or_else(|| CallError::not_found("the unit has no public address yet"))
    }

    fn set_workload_version(&mut self, version: &str) -> Result<(), CallError> {
        if self.snapshot.workload_version.as_deref() != Some(version) {
            self.call(&SetWorkloadVersion {
                unit: self.unit.clone(),
                version: version.to_owned(),
            })?;
            self.tether
                .tell(AtOnce::WorkloadVersion(version.to_owned()));
            self.snapshot.workload_version = Some(version.to_owned());
        }
        Ok(())
    }
}

impl ConfigAnswers for UnitContext {
    fn config(&self) -> &Values {
        &self.snapshot.config
    }

    fn knows_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }
}

/// A hook of the uniter adds none.
impl MetricsAnswers for UnitContext {}

impl StateAnswers for UnitContext {
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.snapshot.state.charm_state.clone())
    }
}

impl PortsAnswers for UnitContext {
    fn opened_ports(&mut self) -> Result<Openings, CallError> {
        Ok(self.snapshot.state.opened_ports.clone())
    }

    fn declared_ports(&mut self) -> Option<Vec<PortRange>> {
        let bounded = !self.containers.is_empty() || !self.declared_ports.is_empty();
        bounded.then(|| self.declared_ports.clone())
    }

    fn withheld_port(&mut self, range: PortRange) -> Option<String> {
        let withheld = &self.snapshot.withheld;
        let why = withheld::ports(withheld, &self.unit, &self.declared_ports, range);
        self.tether.refuses(why)
    }

    fn port_endpoints(&mut self) -> Result<Vec<String>, CallError> {
        Ok(self.bindings.iter().cloned().collect())
    }
}

impl WorkloadAnswers for UnitContext {
    fn containers(&mut self) -> Result<Vec<Container>, CallError> {
        Ok(self.containers.clone())
    }

    fn layers(&mut self, container: &str) -> Result<Layers, CallError> {
        let committed = self.committed.get(container);
        Ok(committed
            .map(|committed| committed.layers.clone())
            .unwrap_or_default())
    }

    fn seen(&mut self, container: &str) -> Result<Seen, CallError> {
        Ok(workloads::seen_in(
            self.workloads.seen(&self.unit),
            container,
        ))
    }
}

impl LogAnswers for UnitContext {
    fn log(&mut self, level: LogLevel, message: &str) {
        failpoint::reach("uniter-during-execute");
        if !self.tether.severed.is_cancelled() {
            self.lines.write(record(
                &self.clock,
                &self.unit,
                "juju-log",
                level.as_str(),
                message,
            ));
        }
    }

    /// What a command prints is its result; what a hook or an action prints is logged.
    fn output(&mut self, of: Output, line: &str) {
        match self.task.as_ref().filter(|task| task.is_command()) {
            Some(command) => command.print(of, line),
            None => self.log(LogLevel::of(of), line),
        }
    }
}
