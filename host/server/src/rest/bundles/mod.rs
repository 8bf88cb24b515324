//! Bundles: what is missing of one in a model, doing it, and what the model has become since.
//!
//! The plan is a rule of `periapt_model::bundle`; here a model and the charms of a bundle are read for it, and its steps
//! are taken one after the other, each as the request that a person could have made ([`steps`]): authorised, held back
//! by blocks, and in the audit log. Nothing is planned anew on the way. A controller that stops leaves how far it came,
//! and the next plan is what is still missing.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use periapt_model::block::Change;
use periapt_model::bundle::{AppliedBundle, Bundle, ComparedCharm, Step};
use periapt_model::{ApplicationName, Refusal};
use periapt_store::{Interest, NewApply, namespace};
use periapt_wire::Problem;
use periapt_wire::rest::{
    BundleApply, BundleChange, BundleDrift, BundleExport, BundlePlan, BundleQuery, BundleWait,
    DeployBundle, Page, paths,
};
use utoipa_axum::routes;

use super::blocked;
use super::extract::{Body, Ending, InBundle, InModel, Query};
use super::gate::Pass;
use super::operations::look_until;
use super::problem::Answer;
use super::route::{ADMIN, READ, Row, WRITE, row};
use super::users::person;
use crate::identity::Identity;
use crate::listener::Connection;
use crate::state::ServerState;

mod applies;
mod charms;
mod current;
mod located;
mod plan;
mod run;
mod steps;

pub(crate) use applies::Applies;
use plan::Planned;
use run::Run;
use steps::Taker;

pub(super) fn routes() -> Vec<Row> {
    vec![
        // Of a plan that is carried out every step is held back by itself.
        row(READ, routes!(deploy))
            .may_begin_at(paths::BUNDLE, &["/apply/id"])
            .never_blocked(),
        row(READ, routes!(list)),
        row(READ, routes!(show)),
        row(READ, routes!(export)),
        row(READ, routes!(drift)),
    ]
}

/// Plans a bundle, and carries the plan out unless it is a dry run.
///
/// A dry run is for whoever may read the model; anything else is for those who may change it, and `trust` for its
/// admins. What is carried out is answered with 202: follow it at `.../bundles/{apply}`. What was changed stays when a
/// change fails, and the same bundle sent again goes on from there. A bundle never removes anything.
#[utoipa::path(
    post,
    path = paths::BUNDLES.text,
    operation_id = "deployBundle",
    request_body = DeployBundle,
    responses((status = 200, body = BundlePlan), (status = 202, body = BundlePlan, description = "Being carried out"))
)]
async fn deploy(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Extension(identity): Extension<Identity>,
    Extension(pass): Extension<Pass>,
    connection: Option<Extension<Connection>>,
    Body(request): Body<DeployBundle>,
) -> Result<(StatusCode, Json<BundlePlan>), Answer> {
    if !request.dry_run {
        pass.require(&state, WRITE).await?;
    }
    let user = person(identity.clone())?;
    let planned = plan::plan(&state, &model, &user, &request).await?;
    let changes: Vec<BundleChange> = planned.steps.iter().map(change).collect();
    let mut answer = BundlePlan {
        changes: changes.clone(),
        difference: planned.difference.clone(),
        ignored: planned.bundle.ignored.iter().cloned().collect(),
        trusted: trusted(&planned.steps),
        missing: planned.missing.clone(),
        apply: None,
    };
    if request.dry_run {
        return Ok((StatusCode::OK, Json(answer)));
    }
    if !answer.trusted.is_empty() {
        require_trust(&request, &answer.trusted)?;
        pass.require(&state, ADMIN).await?;
    }
    if !planned.steps.is_empty() {
        blocked::allow(&state, &model, Change::Other).await?;
    }
    planned.require_uploads(&request)?;
    let new = NewApply {
        name: planned.bundle.name.clone(),
        user: user.clone(),
        node: state.controller().node,
        changes,
        applied: applied(&planned)?,
    };
    let over = applies::abandoned(&state, &model).await?;
    let claim = state.applies().claim(&model);
    let apply = state.store().begin_bundle(&model, new, over).await?;
    let taker = Taker {
        state: state.clone(),
        model: model.clone(),
        user,
        identity,
        pass,
        from: connection.map(|Extension(connection)| connection.peer.ip()),
        charms: planned.charms,
        files: request.resources,
        machines: BTreeMap::new(),
        made: Vec::new(),
    };
    Run::new(state.clone(), model, apply.id, claim).start(taker, planned.steps);
    answer.apply = Some(apply);
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

/// Lists the bundles that were applied to a model, newest first, and how far each came.
#[utoipa::path(get, path = paths::BUNDLES.text, params(BundleQuery), responses((status = 200, body = Page<BundleApply>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<BundleQuery>,
) -> Result<Json<Page<BundleApply>>, Answer> {
    let page = state.store().bundles(&model, &query).await?;
    let mut items = Vec::with_capacity(page.items.len());
    for known in page.items {
        items.push(applies::shown(&state, &model, known).await?);
    }
    Ok(Json(Page {
        items,
        next: page.next,
    }))
}

/// Shows one of them, at once or when it has ended or made more changes.
#[utoipa::path(get, path = paths::BUNDLE.text, params(BundleWait), responses((status = 200, body = BundleApply)))]
async fn show(
    State(state): State<ServerState>,
    InBundle(model, id): InBundle,
    Query(query): Query<BundleWait>,
    ending: Ending,
) -> Result<Json<BundleApply>, Answer> {
    let look = || async {
        let known = state.store().bundle(&model, id).await?;
        applies::shown(&state, &model, known).await
    };
    let over = |apply: &BundleApply| {
        let known = query.taken.unwrap_or(apply.taken);
        apply.state.has_ended() || apply.taken > known
    };
    let interest = Interest::model(&model).key(namespace::BUNDLE, id.to_string());
    let found = look_until(&state, interest, query.wait, look, over, ending).await?;
    Ok(Json(found))
}

/// Shows a model as a bundle.
///
/// A charm that was taken from a channel of the controller's charm repository is named as there, with its channel and
/// revision, as long as the repository has it; others as the model names them (`local:site-0`), and
/// `.../charms/{charm}/archive` has their archives.
#[utoipa::path(get, path = paths::BUNDLE_EXPORT.text, responses((status = 200, body = BundleExport)))]
async fn export(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<BundleExport>, Answer> {
    let mut current = current::read(state.store(), &model).await?;
    if current.applications.is_empty() {
        return Err(Answer(
            Problem::new(Refusal::BundleNothingToExport)
                .titled("There is nothing to export")
                .why("the model has no applications"),
        ));
    }
    let exported = current::exported(state.store(), &model, &mut current).await?;
    let bundle = Bundle::of_model(&current.model, &exported);
    let bundle = bundle.text().map_err(|error| unwritten(&error))?;
    Ok(Json(BundleExport { bundle }))
}

/// Shows what became of a model since a bundle was applied to it last.
///
/// Compared both ways: what people changed, added and removed since, and what could not be applied.
#[utoipa::path(get, path = paths::BUNDLE_DRIFT.text, responses((status = 200, body = BundleDrift)))]
async fn drift(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<BundleDrift>, Answer> {
    let Some((known, applied)) = state.store().last_bundle(&model).await? else {
        return Ok(Json(BundleDrift {
            apply: None,
            difference: Default::default(),
        }));
    };
    let current = current::read(state.store(), &model).await?;
    let difference = applied.drift(&current.model);
    Ok(Json(BundleDrift {
        apply: Some(applies::shown(&state, &model, known).await?),
        difference: difference.map_err(|error| unwritten(&error))?,
    }))
}

fn change(step: &Step) -> BundleChange {
    BundleChange {
        kind: step.kind(),
        words: step.told(),
        application: step.application().cloned(),
        endpoints: step.relation(),
        units: step.units(),
    }
}

/// Those that a plan gives the cloud's credential.
fn trusted(steps: &[Step]) -> Vec<ApplicationName> {
    let trusted = steps.iter().filter(|step| step.trusts());
    trusted
        .filter_map(|step| step.application().cloned())
        .collect()
}

/// Trusts no application because a file says so.
fn require_trust(request: &DeployBundle, trusted: &[ApplicationName]) -> Result<(), Answer> {
    if request.trust {
        return Ok(());
    }
    let names: Vec<&str> = trusted.iter().map(|name| name.as_str()).collect();
    let why = format!(
        "the bundle asks to trust {} with the cloud's credential",
        names.join(", ")
    );
    Err(Answer(
        Problem::new(Refusal::BundleTrustMissing)
            .titled("The bundle asks to trust applications")
            .why(why),
    ))
}

fn applied(planned: &Planned) -> Result<AppliedBundle, Answer> {
    let charms = ComparedCharm::all(&planned.known);
    let applied = AppliedBundle::of(&planned.bundle, charms, planned.pairs.clone());
    applied.map_err(|error| unwritten(&error))
}

/// A bundle that cannot be written, or not be read again: a defect.
fn unwritten(error: &periapt_model::bundle::BundleError) -> Answer {
    Answer(Problem::new(Refusal::InternalError).why(error.to_string()))
}
