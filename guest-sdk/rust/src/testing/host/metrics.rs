//! Metrics of the unit under test, and the restricted context in which they are added.

use std::cell::RefCell;

use periapt_contract::CallError;
use periapt_contract::metrics::MetricsAnswers;

use super::TestHost;
use crate::HostError;
use crate::metrics::MetricsHost;

impl MetricsAnswers for TestHost {
    fn add_metric(
        &mut self,
        name: String,
        value: f64,
        labels: Vec<(String, String)>,
    ) -> Result<(), CallError> {
        match &mut self.collecting {
            Some(collected) => collected.add(name, value, labels),
            None => {
                self.unrestricted()?;
                NoHook.add_metric(name, value, labels)
            }
        }
    }
}

/// Any other hook, whose answer is the contract's.
struct NoHook;

impl MetricsAnswers for NoHook {}

impl TestHost {
    /// A `collect-metrics` ended: what it added is kept if that was well.
    pub fn collected(&mut self, well: bool) {
        if let Some(collected) = self.collecting.take().filter(|_| well) {
            self.samples = collected.into_samples();
        }
    }

    /// Refuses what a restricted context does not allow.
    pub fn unrestricted(&self) -> Result<(), CallError> {
        match self.restricted {
            None => Ok(()),
            Some(hook) => Err(CallError::restricted(hook.as_str())),
        }
    }
}

impl MetricsHost for RefCell<TestHost> {
    fn add_metric(
        &self,
        name: &str,
        value: f64,
        labels: &[(String, String)],
    ) -> Result<(), HostError> {
        let mut host = self.borrow_mut();
        Ok(MetricsAnswers::add_metric(
            &mut *host,
            name.to_owned(),
            value,
            labels.to_vec(),
        )?)
    }
}
