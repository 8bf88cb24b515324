//! A route of the HTTP API, declared once, beside its handler.
//!
//! Method and path are in the handler's own `#[utoipa::path]`, with everything that describes it. Its row
//! adds for whom it is, without which there is no row, and what else is to be known before the handler
//! runs.

use axum::routing::MethodRouter;
use periapt_model::block::Change;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{ModelPermission, paths};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};
use utoipa_axum::router::UtoipaMethodRouter;

use super::conditions::About;
use super::page::Listed;
use super::success::Place;
use crate::state::ServerState;

pub(super) const READ: Visitor = Visitor::Model(ModelPermission::Read);
pub(super) const WRITE: Visitor = Visitor::Model(ModelPermission::Write);
pub(super) const ADMIN: Visitor = Visitor::Model(ModelPermission::Admin);

/// What is known of a route before its handler runs. `HEAD` is served where `GET` is.
#[derive(Debug)]
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub visitor: Visitor,
    /// What it does to its model, where a block of the model may hold that back.
    pub change: Option<Change>,
    /// The definition that it shows or changes.
    pub(super) about: Option<About>,
    /// Bodies or answers hold a secret.
    pub(crate) secret: bool,
    /// The body is too long to be read before the handler.
    pub(super) upload: bool,
    /// The status of an answer that is no refusal.
    pub success: u16,
    /// Where that is which it makes or begins.
    pub(super) place: Option<Place>,
    during_upgrade: bool,
}

impl Route {
    /// Whether a request to it may change something.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.method != "GET"
    }

    /// Whether it may be visited while the controller is being upgraded: people look, and nobody
    /// changes what the steps work on.
    #[must_use]
    pub fn during_upgrade(&self) -> bool {
        self.during_upgrade || (!self.changes() && self.visitor != Visitor::AgentOfModel)
    }
}

/// Members by which a list can be filtered, and those that it can be cut down to.
pub(super) type Lists = (&'static [&'static str], &'static [&'static str]);

/// A route with its handler and its part of the description.
pub struct Row {
    pub(super) route: Route,
    pub(super) handler: MethodRouter<ServerState>,
    pub(super) operation: Value,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
    pub(super) lists: Option<Lists>,
}

/// The row of one handler, `routes!(handler)`, and for whom it is.
///
/// ```
/// #[utoipa::path(get, path = "/v1/door")]
/// async fn door() {}
///
/// use periapt_server::{access::Visitor, rest::row};
/// let _ = row(Visitor::Login, utoipa_axum::routes!(door));
/// ```
///
/// A route that does not say for whom it is does not compile:
///
/// ```compile_fail
/// #[utoipa::path(get, path = "/v1/door")]
/// async fn door() {}
///
/// use periapt_server::{access::Visitor, rest::row};
/// let _ = row(utoipa_axum::routes!(door));
/// ```
pub fn row(visitor: Visitor, described: UtoipaMethodRouter<ServerState>) -> Row {
    let (schemas, paths, handler) = described;
    let (path, item) = paths.paths.into_iter().next().unwrap_or_default();
    let item = serde_json::to_value(item).unwrap_or_default();
    let item = item.as_object().into_iter().flatten().next();
    let (method, operation) = item.map_or_else(Default::default, |(method, operation)| {
        (method.to_ascii_uppercase(), operation.clone())
    });
    // Whatever says nothing else is a change of the model that it is about.
    let changes_model = method != "GET" && path.starts_with(paths::MODEL.text);
    Row {
        // Rows are made once and live as long as the program.
        route: Route {
            method: method.leak(),
            path: path.leak(),
            visitor,
            change: changes_model.then_some(Change::Other),
            about: None,
            secret: false,
            upload: false,
            success: 200,
            place: None,
            during_upgrade: false,
        },
        handler,
        operation,
        schemas,
        lists: None,
    }
}

impl Row {
    /// It shows or changes this definition: it has an `ETag`, or takes `If-Match`.
    pub(super) fn about(mut self, about: About) -> Self {
        self.route.about = Some(about);
        self
    }

    /// It removes something in a model.
    pub(super) fn removes(mut self) -> Self {
        self.route.change = Some(Change::RemoveObject);
        self
    }

    /// It destroys a model.
    pub(super) fn destroys(mut self) -> Self {
        self.route.change = Some(Change::DestroyModel);
        self
    }

    /// It is possible whatever people disabled in the model.
    pub(super) fn never_blocked(mut self) -> Self {
        self.route.change = None;
        self
    }

    /// The body is no part of what makes two requests the same, and the answer is not kept.
    pub(super) fn secret(mut self) -> Self {
        self.route.secret = true;
        self
    }

    /// The body's length and digest stand for it where two requests are compared.
    pub(super) fn upload(mut self) -> Self {
        self.route.upload = true;
        self
    }

    /// It changes something and is possible all the same while the controller is being upgraded.
    pub(super) fn during_upgrade(mut self) -> Self {
        self.route.during_upgrade = true;
        self
    }

    /// It makes something new, which is then at this path. Where the request's own path lacks a part of it, the
    /// answer has it at one of the pointers, in their order.
    pub(super) fn creates<const N: usize>(
        mut self,
        path: paths::Path<N>,
        parts: &'static [&'static str],
    ) -> Self {
        self.route.success = 201;
        self.route.place = Some(Place {
            path: path.text,
            parts,
        });
        self
    }

    /// It is answered when it has begun; what it is about shows how far it is.
    pub(super) fn begins(mut self) -> Self {
        self.route.success = 202;
        self
    }

    /// The same, of something that has an address of its own.
    pub(super) fn begins_at<const N: usize>(
        self,
        path: paths::Path<N>,
        parts: &'static [&'static str],
    ) -> Self {
        let mut row = self.creates(path, parts);
        row.route.success = 202;
        row
    }

    /// It is a list of these.
    pub(super) fn lists<T: Listed>(mut self) -> Self {
        self.lists = Some((T::FILTERS, T::FIELDS));
        self
    }

    /// A shape that the answer's type does not name.
    pub(super) fn with<T: ToSchema>(mut self) -> Self {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        self
    }
}
