//! Alerts, the rules they come from and the receivers of their messages.
//!
//! Rules and receivers are a superuser's: they make the controller connect to where they say, and look at all models.

use axum::Json;
use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::request::Parts;
use periapt_model::Refusal;
use periapt_model::alert::origin;
use periapt_store::StoredReceiver;
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    AlertDelivery, AlertDeliveryQuery, AlertInfo, AlertQuery, AlertReceiverInfo, AlertRuleInfo,
    ListQuery, NewAlertReceiver, NewAlertRule, Page, SilenceAlertRule, paths,
};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::extract::{Body, Query};
use super::page::page;
use super::problem::{Answer, forbidden};
use super::route::{Row, row};
use crate::alerts as delivering;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(list)),
        row(Visitor::Superuser, routes!(acknowledge)),
        row(Visitor::Superuser, routes!(rules)).lists::<AlertRuleInfo>(),
        row(Visitor::Superuser, routes!(add_rule)).creates(paths::ALERT_RULES, &[]),
        row(Visitor::Superuser, routes!(remove_rule)),
        row(Visitor::Superuser, routes!(silence_rule)),
        row(Visitor::Superuser, routes!(receivers)).lists::<AlertReceiverInfo>(),
        row(Visitor::Superuser, routes!(add_receiver))
            .secret()
            .creates(paths::ALERT_RECEIVERS, &[]),
        row(Visitor::Superuser, routes!(remove_receiver)),
        row(Visitor::Superuser, routes!(test_receiver)),
        row(Visitor::Superuser, routes!(deliveries)),
    ]
}

/// Lists alerts, newest first.
///
/// Those about models that the visitor may read; those about the controller are for superusers.
#[utoipa::path(get, path = paths::ALERTS.text, params(AlertQuery), responses((status = 200, body = Page<AlertInfo>)))]
async fn list(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Query(query): Query<AlertQuery>,
) -> Result<Json<Page<AlertInfo>>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    let reach = state.store().reach(&name).await?;
    Ok(Json(state.store().alerts(&reach, &query).await?))
}

/// Takes an alert on.
///
/// Nobody is told of it any more until it resolves.
#[utoipa::path(post, path = paths::ALERT_ACKNOWLEDGE.text, operation_id = "acknowledgeAlert", responses((status = 200, body = AlertInfo)))]
async fn acknowledge(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Named(alert): Named,
) -> Result<Json<AlertInfo>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    changed(state.store().acknowledge_alert(&alert, &name)).await
}

/// Lists what is watched for.
#[utoipa::path(get, path = paths::ALERT_RULES.text, params(ListQuery), responses((status = 200, body = Page<AlertRuleInfo>)))]
async fn rules(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().alert_rules().await?, &query)
}

/// Adds a rule.
#[utoipa::path(post, path = paths::ALERT_RULES.text, request_body = NewAlertRule, responses((status = 200, body = AlertRuleInfo)))]
async fn add_rule(
    State(state): State<ServerState>,
    Body(request): Body<NewAlertRule>,
) -> Result<Json<AlertRuleInfo>, Answer> {
    changed(state.store().add_alert_rule(request)).await
}

/// Removes a rule.
///
/// Its alerts end, and nobody is told.
#[utoipa::path(delete, path = paths::ALERT_RULE.text, responses((status = 200, body = Empty)))]
async fn remove_rule(
    State(state): State<ServerState>,
    Named(rule): Named,
) -> Result<Json<Empty>, Answer> {
    done(state.store().remove_alert_rule(&rule)).await
}

/// Tells nobody what a rule finds, for a while.
///
/// What still fires when the silence ends is told then.
#[utoipa::path(post, path = paths::ALERT_RULE_SILENCE.text, operation_id = "silenceAlertRule", request_body = SilenceAlertRule, responses((status = 200, body = AlertRuleInfo)))]
async fn silence_rule(
    State(state): State<ServerState>,
    Named(rule): Named,
    Body(request): Body<SilenceAlertRule>,
) -> Result<Json<AlertRuleInfo>, Answer> {
    changed(state.store().silence_alert_rule(&rule, &request)).await
}

/// Lists the receivers of messages, without what is secret in them.
#[utoipa::path(get, path = paths::ALERT_RECEIVERS.text, params(ListQuery), responses((status = 200, body = Page<AlertReceiverInfo>)))]
async fn receivers(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let all = state.store().alert_receivers().await?.into_iter();
    page(all.map(shown).collect(), &query)
}

/// Adds a receiver.
#[utoipa::path(post, path = paths::ALERT_RECEIVERS.text, request_body = NewAlertReceiver, responses((status = 200, body = AlertReceiverInfo)))]
async fn add_receiver(
    State(state): State<ServerState>,
    Body(request): Body<NewAlertReceiver>,
) -> Result<Json<AlertReceiverInfo>, Answer> {
    Ok(Json(shown(state.secrets().add_receiver(request).await?)))
}

/// Removes a receiver that no rule names.
#[utoipa::path(delete, path = paths::ALERT_RECEIVER.text, responses((status = 200, body = Empty)))]
async fn remove_receiver(
    State(state): State<ServerState>,
    Named(receiver): Named,
) -> Result<Json<Empty>, Answer> {
    done(state.store().remove_alert_receiver(&receiver)).await
}

/// Sends a receiver a test message at once.
///
/// What became of it is among the deliveries.
#[utoipa::path(post, path = paths::ALERT_RECEIVER_TEST.text, operation_id = "testAlertReceiver", responses((status = 200, body = AlertDelivery)))]
async fn test_receiver(
    State(state): State<ServerState>,
    Named(receiver): Named,
) -> Result<Json<AlertDelivery>, Answer> {
    let tested = delivering::test(&state, &receiver).await?;
    match tested.state.as_str() {
        "sent" => Ok(Json(tested)),
        _ => Err(Answer(Problem::new(Refusal::AlertReceiverUnavailable).why(
            format!(
                "alert receiver \"{receiver}\" did not accept the message: {}",
                tested.answer
            ),
        ))),
    }
}

/// Lists messages and what became of them, newest first.
#[utoipa::path(get, path = paths::ALERT_DELIVERIES.text, params(AlertDeliveryQuery), responses((status = 200, body = Page<AlertDelivery>)))]
async fn deliveries(
    State(state): State<ServerState>,
    Query(query): Query<AlertDeliveryQuery>,
) -> Result<Json<Page<AlertDelivery>>, Answer> {
    Ok(Json(state.store().alert_deliveries(&query).await?))
}

fn shown(mut receiver: StoredReceiver) -> AlertReceiverInfo {
    // One that was added when addresses were not sealed has all of it.
    if let Some(url) = receiver.config.get_mut("url") {
        *url = origin(url);
    }
    AlertReceiverInfo {
        created_at: jiff::Timestamp::from_microsecond(receiver.created_at)
            .map(|time| time.to_string())
            .unwrap_or_default(),
        name: receiver.name,
        kind: receiver.kind,
        config: receiver.config,
        rules: receiver.rules,
    }
}

/// `{alert}`, `{rule}` or `{receiver}`, as it was written: the store says which there are.
struct Named(String);

impl FromRequestParts<ServerState> for Named {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Named(name)),
            Err(_) => Err(Answer(
                Problem::new(Refusal::PathInvalid).why("the name in the path cannot be read"),
            )),
        }
    }
}
