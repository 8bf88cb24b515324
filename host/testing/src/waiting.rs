//! Waiting for a picture of the model, with time passing meanwhile or standing still.

use std::time::{Duration, Instant};

use periapt_engine::Clock;
use periapt_wire::status::{FullStatus, UnitStatus};

use crate::time::{PATIENCE, Passing};
use crate::{Scenario, ScenarioError};

/// Real time that something which waits for no timer takes at most, on a loaded machine.
const AT_ONCE: Duration = Duration::from_secs(60);

impl Scenario {
    /// Waits until the model is as `holds` wants it; time passes meanwhile as needed. `what`
    /// completes the sentence "waited for …".
    pub async fn until(
        &self,
        what: &str,
        holds: impl Fn(&FullStatus) -> bool,
    ) -> Result<FullStatus, ScenarioError> {
        let mut passing = Passing::new(&self.clock, PATIENCE);
        let mut before = String::new();
        loop {
            let status = self.status().await?;
            if holds(&status) {
                return Ok(status);
            }
            let seen = serde_json::to_string(&FullStatus {
                controller_timestamp: String::new(),
                ..status
            })
            .unwrap_or_default();
            let changed = seen != before;
            before = seen;
            if !passing.pass(changed).await {
                return Err(ScenarioError::Never {
                    what: what.to_owned(),
                    model: before,
                });
            }
        }
    }

    /// Waits until the model is as `holds` wants it, while the clock stands still: what comes
    /// then came without any delay.
    pub async fn at_once(
        &self,
        what: &str,
        holds: impl Fn(&FullStatus) -> bool,
    ) -> Result<FullStatus, ScenarioError> {
        let started = Instant::now();
        loop {
            let status = self.status().await?;
            if holds(&status) {
                return Ok(status);
            }
            if started.elapsed() > AT_ONCE {
                return Err(ScenarioError::Never {
                    what: format!("{what}, at once"),
                    model: serde_json::to_string(&status).unwrap_or_default(),
                });
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until `holds` does, whatever it looks at; time passes meanwhile as needed.
    pub async fn until_true<F: Future<Output = Result<bool, ScenarioError>>>(
        &self,
        what: &str,
        holds: impl Fn() -> F,
    ) -> Result<(), ScenarioError> {
        let mut passing = Passing::new(&self.clock, PATIENCE);
        while !holds().await? {
            if !passing.pass(false).await {
                return Err(ScenarioError::Never {
                    what: what.to_owned(),
                    model: String::new(),
                });
            }
        }
        Ok(())
    }

    /// Waits until an application has units, and each is active and idle.
    pub async fn until_active(&self, application: &str) -> Result<FullStatus, ScenarioError> {
        let what = format!("{application} to be active");
        self.until(&what, |status| {
            units(status, application).is_some_and(|units| {
                !units.is_empty()
                    && units.iter().all(|(_, unit)| {
                        unit.workload_status.status == "active"
                            && unit.agent_status.status == "idle"
                    })
            })
        })
        .await
    }

    /// Waits until a unit's workload says this, in `STATUS` or `STATUS: message`.
    pub async fn until_says(&self, unit: &str, text: &str) -> Result<FullStatus, ScenarioError> {
        let (wanted, message) = match text.split_once(": ") {
            Some((status, message)) => (status, Some(message)),
            None => (text, None),
        };
        let application = unit.split('/').next().unwrap_or_default();
        self.until(&format!("{unit} to say \"{text}\""), |status| {
            let units = units(status, application).unwrap_or_default();
            units.iter().any(|(name, found)| {
                *name == unit
                    && found.workload_status.status == wanted
                    && message.is_none_or(|message| found.workload_status.info == message)
            })
        })
        .await
    }

    /// Lets at least so much virtual time pass, in steps after each of which the model may come
    /// to rest.
    pub async fn pass(&self, time: Duration) -> Result<(), ScenarioError> {
        let until = self.clock.monotonic() + time;
        self.until("time to pass", |_| self.clock.monotonic() >= until)
            .await
            .map(|_| ())
    }
}

type Units<'a> = Vec<(&'a str, &'a UnitStatus)>;

/// The units of an application; those of a subordinate one are under their principals.
fn units<'a>(status: &'a FullStatus, application: &str) -> Option<Units<'a>> {
    let mut found = Vec::new();
    let own = |name: &str| name.split('/').next().is_some_and(|own| own == application);
    for principal in status.applications.values() {
        for (name, unit) in principal.units.iter().flatten() {
            if own(name) {
                found.push((name.as_str(), unit));
            }
            let subordinates = unit.subordinates.iter().flatten();
            found.extend(
                subordinates
                    .filter(|(name, _)| own(name))
                    .map(|(name, unit)| (name.as_str(), unit)),
            );
        }
    }
    status
        .applications
        .contains_key(application)
        .then_some(found)
}
