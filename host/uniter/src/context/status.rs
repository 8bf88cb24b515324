//! Statuses: of the unit as the snapshot has it, of the application as its leader says.

use std::sync::atomic::Ordering;

use periapt_model::hook::AtOnce;
use periapt_model::status::{Status, Workload};
use periapt_sandbox::{CallError, StatusAnswers};
use periapt_wire::agent::uniter::{GetApplicationStatus, SetApplicationStatus, SetUnitStatus};

use super::UnitContext;

impl StatusAnswers for UnitContext {
    fn unit_status(&mut self) -> Result<Status<Workload>, CallError> {
        Ok(self.snapshot.workload.clone())
    }

    fn set_unit_status(&mut self, status: Workload, message: &str) -> Result<(), CallError> {
        let status = Status::new(status, message);
        if !says_the_same(&self.snapshot.workload, &status) {
            self.call(&SetUnitStatus {
                unit: self.unit.clone(),
                status: status.clone(),
            })?;
            self.tether.tell(AtOnce::UnitStatus(status.status));
            self.snapshot.workload = status;
        }
        self.tether.status_set.store(true, Ordering::Release);
        Ok(())
    }

    fn application_status(&mut self) -> Result<Status<Workload>, CallError> {
        // Summed up from all units of the application, and seldom wanted: only then asked for.
        if let Some(known) = &self.application {
            return Ok(known.clone());
        }
        let status = self.call(&GetApplicationStatus {
            unit: self.unit.clone(),
        })?;
        self.application = Some(status.clone());
        Ok(status)
    }

    fn set_application_status(&mut self, status: Workload, message: &str) -> Result<(), CallError> {
        let status = Status::new(status, message);
        let leads = self.leads_until;
        let leads = leads.is_some_and(|until| self.clock.monotonic() <= until);
        let known = self.snapshot.application.as_ref().filter(|_| leads);
        if !known.is_some_and(|known| says_the_same(known, &status)) {
            self.call(&SetApplicationStatus {
                unit: self.unit.clone(),
                status: status.clone(),
            })?;
            self.tether.tell(AtOnce::ApplicationStatus(status.status));
            self.snapshot.application = Some(status.clone());
        }
        self.application = Some(status);
        Ok(())
    }
}

/// Whether the one status says what the other does: to set it then changes nothing, not even the
/// history. Since when it is so does not count.
fn says_the_same(one: &Status<Workload>, other: &Status<Workload>) -> bool {
    (one.status, &one.message, &one.data) == (other.status, &other.message, &other.data)
}
