//! The methods about incidents, the timeline and single runs of hooks.

use periapt_wire::rest::{
    HookDetails, IncidentAnswer, IncidentInfo, IncidentQuery, Page, SilenceIncident, SilenceInfo,
    TimelineEntry, TimelineQuery, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{RestClient, RestError};

impl RestClient {
    /// What is wrong in a model, the worst first.
    pub async fn incidents(
        &self,
        model: &str,
        query: &IncidentQuery,
    ) -> Result<Vec<IncidentInfo>, RestError> {
        self.list(&paths::INCIDENTS.at([model]), query).await
    }

    /// Retries the failed hooks of an incident.
    pub async fn retry_incident(&self, model: &str, id: &str) -> Result<IncidentAnswer, RestError> {
        self.post(&paths::INCIDENT_RETRY.at([model, id]), &Empty {})
            .await
    }

    /// Skips the failed hooks of an incident.
    pub async fn skip_incident(&self, model: &str, id: &str) -> Result<IncidentAnswer, RestError> {
        self.post(&paths::INCIDENT_SKIP.at([model, id]), &Empty {})
            .await
    }

    /// Keeps an incident quiet.
    pub async fn silence_incident(
        &self,
        model: &str,
        id: &str,
        silence: &SilenceIncident,
    ) -> Result<SilenceInfo, RestError> {
        self.post(&paths::INCIDENT_SILENCE.at([model, id]), silence)
            .await
    }

    /// Has an incident heard of again.
    pub async fn end_silence(&self, model: &str, id: &str) -> Result<Empty, RestError> {
        self.remove(&paths::INCIDENT_SILENCE.at([model, id])).await
    }

    /// A page of what changed in a model, newest first.
    pub async fn timeline(
        &self,
        model: &str,
        query: &TimelineQuery,
    ) -> Result<Page<TimelineEntry>, RestError> {
        let path = paths::MODEL_TIMELINE.at([model]);
        self.json(Method::GET, &path, |request| request.query(query))
            .await
    }

    /// All that is known of one run of a hook.
    pub async fn hook_report(&self, model: &str, id: i64) -> Result<HookDetails, RestError> {
        self.get(&paths::HOOK_REPORT.at([model, &id.to_string()]))
            .await
    }
}
