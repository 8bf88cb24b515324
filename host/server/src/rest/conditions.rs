//! `ETag` and `If-Match`: which definition a route is about, and at which version somebody
//! wants to change it.
//!
//! A tag names the version of the definition, what people set: not the statuses that are shown
//! with it. So it is good for `If-Match`, and answers are never shortened to "not modified".

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_model::Refusal;
use periapt_store::{Definition, Expected, Guard, namespace, version_tag};
use periapt_wire::Problem;

use super::At;
use super::gate::Admitted;
use super::problem::Answer;
use super::route::Route;
use crate::access::Named;
use crate::state::ServerState;

/// What a route is about; the versions of the namespaces in [`namespace`] are counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    Model,
    ModelConfig,
    Application,
    ApplicationConfig,
    Unit,
    Machine,
    Relation,
}

/// Whether the answer shows the definition itself, so that its tag belongs there.
pub(super) fn shows_definition(route: &Route) -> bool {
    let shows = matches!(route.method, "GET" | "PATCH") || route.path.ends_with("/refresh");
    route.about.is_some() && shows
}

/// The version of what is shown goes out with it, and what is changed is changed at an expected one.
pub(super) async fn check(
    State((state, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    let outcome = match route.changes() {
        true => change(route, request, next).await,
        false => show(&state, route, request, next).await,
    };
    outcome.unwrap_or_else(IntoResponse::into_response)
}

/// The version is read before what is shown: a tag may be too old, never too new.
async fn show(
    state: &ServerState,
    route: &Route,
    request: Request,
    next: Next,
) -> Result<Response, Answer> {
    let version = match definition(route, request.extensions()) {
        Some(definition) => Some(state.store().version(&definition).await?),
        None => None,
    };
    let mut response = next.run(request).await;
    tag(&mut response, version);
    Ok(response)
}

/// What is expected is checked by the store, in the transaction of the change.
async fn change(route: &Route, mut request: Request, next: Next) -> Result<Response, Answer> {
    let expected = expected(request.headers())?;
    if expected.is_some() && route.about.is_none() {
        return Err(not_conditional());
    }
    let shown = shows_definition(route);
    let definition = definition(route, request.extensions());
    let guard = request
        .extensions_mut()
        .remove::<Guard>()
        .unwrap_or_default();
    let guard = match definition {
        Some(definition) => guard.about(definition, expected, shown),
        None => guard,
    };
    request.extensions_mut().insert(guard.clone());
    let mut response = next.run(request).await;
    if shown {
        tag(&mut response, guard.version());
    }
    Ok(response)
}

fn tag(response: &mut Response, version: Option<u64>) {
    if let (Some(version), true) = (version, response.status().is_success())
        && let Ok(tag) = HeaderValue::try_from(version_tag(version))
    {
        response.headers_mut().insert(header::ETAG, tag);
    }
}

/// The definition that a request is about. Names that cannot be read and models that do not
/// exist are the handler's to refuse.
fn definition(route: &Route, extensions: &Extensions) -> Option<Definition> {
    let about = route.about?;
    let named = extensions.get::<Named>()?;
    let Admitted(model) = extensions.get()?;
    let (namespace, key) = match about {
        About::Model => (namespace::MODEL, model.to_string()),
        About::ModelConfig => (namespace::MODEL_CONFIG, String::new()),
        About::Application => (namespace::APPLICATION, named.get("name").to_owned()),
        About::ApplicationConfig => (namespace::APPLICATION_CONFIG, named.get("name").to_owned()),
        About::Unit => (
            namespace::UNIT,
            format!("{}/{}", named.get("name"), named.get("number")),
        ),
        About::Relation => (namespace::RELATION, named.get("relation").to_owned()),
        About::Machine => (namespace::MACHINE, named.get("machine").replace('-', "/")),
    };
    Some(Definition::new(model, namespace, key))
}

/// What `If-Match` demands; none without the header.
fn expected(headers: &HeaderMap) -> Result<Option<Expected>, Answer> {
    let mut tags = Vec::new();
    for value in headers.get_all(header::IF_MATCH) {
        let text = value.to_str().unwrap_or_default();
        if text.trim() == "*" {
            return Ok(Some(Expected::Any));
        }
        for tag in text.split(',').map(str::trim) {
            tags.push(tag.to_owned());
        }
    }
    if tags.is_empty() {
        return Ok(None);
    }
    let mut versions = Vec::new();
    for tag in tags {
        let quoted = tag
            .strip_prefix("W/")
            .unwrap_or(&tag)
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .ok_or_else(|| {
                Answer(
                    Problem::new(Refusal::IfMatchInvalid)
                        .titled("The If-Match header cannot be read")
                        .why(format!("{tag} is not a tag in quotation marks")),
                )
            })?;
        // A weak tag, or one that is no number of ours, matches nothing.
        if let (Ok(version), false) = (quoted.parse(), tag.starts_with("W/")) {
            versions.push(version);
        }
    }
    Ok(Some(Expected::OneOf(versions)))
}

/// The answer to `If-Match` where there is nothing that could match.
fn not_conditional() -> Answer {
    Answer(
        Problem::new(Refusal::IfMatchUnsupported)
            .titled("This request cannot be conditional")
            .why("the resource at this address has no version"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Expected>, String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_MATCH, text.parse().unwrap());
        expected(&headers).map_err(|Answer(problem)| problem.code)
    }

    #[test]
    fn tags_are_read_as_http_writes_them() {
        assert_eq!(expected(&HeaderMap::new()).unwrap(), None);
        assert_eq!(read("*"), Ok(Some(Expected::Any)));
        assert_eq!(read("\"7\""), Ok(Some(Expected::OneOf(vec![7]))));
        assert_eq!(read("\"7\", \"8\""), Ok(Some(Expected::OneOf(vec![7, 8]))));
        assert_eq!(read("W/\"7\""), Ok(Some(Expected::OneOf(vec![]))));
        assert_eq!(
            read("\"of another server\""),
            Ok(Some(Expected::OneOf(vec![])))
        );
        for odd in ["7", "\"7", "7\"", "", "W/7"] {
            assert_eq!(read(odd), Err("if-match-invalid".to_owned()), "{odd}");
        }
    }
}
