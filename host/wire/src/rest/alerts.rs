//! Alerts: what is watched for, what fires, and who is told.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/alerts` | `AlertQuery` | `Page<AlertInfo>`, newest first, of the models that the visitor may read |
//! | `POST /v1/alerts/{alert}/acknowledge` | | `AlertInfo` |
//! | `GET /v1/alert-rules` | | `[AlertRuleInfo]` |
//! | `POST /v1/alert-rules` with [`NewAlertRule`] | | `AlertRuleInfo` |
//! | `DELETE /v1/alert-rules/{rule}` | | `Empty` |
//! | `POST /v1/alert-rules/{rule}/silence` with [`SilenceAlertRule`] | | `AlertRuleInfo` |
//! | `GET /v1/alert-receivers` | | `[AlertReceiverInfo]` |
//! | `POST /v1/alert-receivers` with [`NewAlertReceiver`] | | `AlertReceiverInfo` |
//! | `DELETE /v1/alert-receivers/{receiver}` | | `Empty` |
//! | `POST /v1/alert-receivers/{receiver}/test` | | `AlertDelivery` |
//! | `GET /v1/alert-deliveries` | `AlertDeliveryQuery` | `Page<AlertDelivery>`, newest first |
//!
//! Times are RFC 3339. Keys and passwords of receivers are written and never read.

use std::collections::BTreeMap;

use periapt_model::alert::Condition;
use serde::{Deserialize, Serialize};

use super::SecretValues;

/// An alert that fires, or that has resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AlertInfo {
    pub id: i64,
    pub rule: String,
    /// The model's name; empty for the controller.
    pub model: String,
    /// `unit/web/0`, `machine/3`, `relation/7`, `storage/data/0`, `hooks` or `disk`.
    pub subject: String,
    /// `firing` or `resolved`.
    pub state: String,
    pub detail: String,
    /// When its condition began.
    pub since: String,
    pub fired_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    /// Who has taken it on; nobody when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<String>,
}

/// All filters must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct AlertQuery {
    /// `firing` or `resolved`; both when left out.
    pub state: Option<String>,
    pub rule: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}

/// What is watched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AlertRuleInfo {
    pub name: String,
    pub condition: Condition,
    /// `5m`, `90%`.
    pub threshold: String,
    /// The one model that is watched; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who is told; nobody but the page when empty.
    pub receivers: Vec<String>,
    /// Nobody is told before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silenced_until: Option<String>,
    /// Alerts of it that fire.
    pub firing: u64,
    pub created_at: String,
}

/// Another rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct NewAlertRule {
    pub name: String,
    /// `unit-error`, `removal-overdue`, `hook-p99` or `disk-full`.
    pub condition: String,
    /// A duration, `5m`, or a percentage of the disk, `90%`.
    pub threshold: String,
    /// A model's name; all models when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub receivers: Vec<String>,
}

/// For how long nobody is told what a rule finds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SilenceAlertRule {
    /// `2h`; `0` ends the silence.
    pub duration: String,
}

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AlertReceiverInfo {
    pub name: String,
    /// `webhook` or `email`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Without what is secret in it.
    pub config: BTreeMap<String, String>,
    /// The rules that tell it something.
    pub rules: Vec<String>,
    pub created_at: String,
}

/// Another receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct NewAlertReceiver {
    pub name: String,
    /// `webhook` or `email`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Of a webhook `url`, `key` and `ca-cert`; of an e-mail `host`, `port`, `encryption`, `from`, `to`, `user`,
    /// `password` and `ca-cert`.
    pub config: SecretValues,
}

/// A message to one receiver, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AlertDelivery {
    pub id: i64,
    /// `test` for one that a person asked for.
    pub rule: String,
    pub receiver: String,
    /// So many alerts began in it.
    pub firing: u64,
    pub resolved: u64,
    /// `waiting`, `sent` or `failed`.
    pub state: String,
    /// How often it was tried.
    pub tried: u64,
    /// What the receiver said last.
    pub answer: String,
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// When it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct AlertDeliveryQuery {
    pub receiver: Option<String>,
    /// 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}
