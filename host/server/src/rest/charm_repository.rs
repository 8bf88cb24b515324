//! The controller's charm repository: what it has, and a charm of it for a model.
//!
//! Where it is only a superuser says, so the controller reads it wherever that is. A charm that is taken is
//! checked and compiled like one that a person uploads.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_model::charm::CharmInfo;
use periapt_model::charm::repository::CHANNEL;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{CharmRepository, RepositoryChannel, RepositoryCharm, TakeCharm, paths};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{Body, InModel};
use super::problem::Answer;
use super::route::{Row, WRITE, row};
use super::users::person;
use crate::charm_revisions;
use crate::charms;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(list)),
        // A charm that no application uses yet does nothing.
        row(WRITE, routes!(take))
            .creates(paths::CHARM, &["/url"])
            .never_blocked(),
    ]
}

/// Lists the charms of the controller's charm repository with their channels.
#[utoipa::path(get, path = paths::CHARM_REPOSITORY.text, responses((status = 200, body = CharmRepository)))]
async fn list(State(state): State<ServerState>) -> Result<Json<CharmRepository>, Answer> {
    let store = state.store();
    let place = charm_revisions::place(store).await?;
    let index = charm_revisions::index(store).await?.unwrap_or_default();
    let charms = index.charms().map(|(name, channels)| RepositoryCharm {
        name: name.to_owned(),
        channels: channels
            .into_iter()
            .map(|(channel, revision, release)| RepositoryChannel {
                channel: channel.to_owned(),
                revision,
                bytes: release.size,
                sha256: release.sha256.to_string(),
            })
            .collect(),
    });
    Ok(Json(CharmRepository {
        place,
        charms: charms.collect(),
    }))
}

/// Gives a model a charm of the controller's charm repository.
///
/// The answer comes once the charm is fetched, checked and compiled; the same revision again gives the same
/// charm.
#[utoipa::path(post, path = paths::MODEL_CHARM_REPOSITORY_TAKE.text, operation_id = "takeCharm", request_body = TakeCharm, responses((status = 200, body = CharmInfo)))]
async fn take(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    InModel(model): InModel,
    Body(request): Body<TakeCharm>,
) -> Result<Json<CharmInfo>, Answer> {
    let by = person(identity)?;
    let channel = request.channel.as_deref().unwrap_or(CHANNEL);
    // As many archives are in memory as turns there are.
    let waiting = state.observation().metrics.upload_waits();
    let turn = state.uploads().take(&by).await;
    drop(waiting);
    let store = state.store();
    let taken = charm_revisions::take(store, &request.name, channel, request.revision).await?;
    changed(charms::upload(&state, &model, taken.archive, turn)).await
}
