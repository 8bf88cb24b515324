//! `ETag` and `If-Match`: which definition a route is about, and at which version somebody
//! wants to change it.
//!
//! A tag names the version of the definition, what people set: not the statuses that are shown
//! with it. So it is good for `If-Match`, and answers are never shortened to "not modified".

use axum::RequestExt;
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use periapt_store::{Definition, Expected, namespace};
use periapt_wire::Problem;

use super::problem::Answer;
use crate::state::ServerState;

/// What a path is about; the versions of the namespaces in [`namespace`] are counted.
enum About {
    Model,
    ModelConfig,
    Application,
    ApplicationConfig,
    Unit,
    Machine,
    Relation,
}

fn about(path: &str) -> Option<About> {
    Some(match path.strip_prefix("/v1/models/{model}")? {
        "" => About::Model,
        "/config" => About::ModelConfig,
        "/applications/{name}" | "/applications/{name}/refresh" | "/applications/{name}/units" => {
            About::Application
        }
        "/applications/{name}/config" => About::ApplicationConfig,
        "/units/{name}/{number}" | "/units/{name}/{number}/resolved" => About::Unit,
        "/machines/{machine}" => About::Machine,
        "/relations/{relation}" => About::Relation,
        _ => return None,
    })
}

/// Whether a request to the route may carry `If-Match`.
pub(super) fn is_conditional(path: &str) -> bool {
    about(path).is_some()
}

/// Whether the answer shows the definition itself, so that its tag belongs there.
pub(super) fn shows_definition(method: &Method, path: &str) -> bool {
    let changed = *method == Method::PATCH || path.ends_with("/refresh");
    is_conditional(path) && (*method == Method::GET || *method == Method::HEAD || changed)
}

/// The definition that a request is about. Names that cannot be read and models that do not
/// exist are the handler's to refuse.
pub(super) async fn definition(
    state: &ServerState,
    path: &str,
    request: &mut Request,
) -> Option<Definition> {
    let about = about(path)?;
    let params = request.extract_parts::<RawPathParams>().await.ok()?;
    let get = |wanted: &str| {
        params
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| value)
            .unwrap_or_default()
    };
    let found = state.store().model_by_name_or_uuid(get("model")).await;
    let model = found.ok()?;
    let (namespace, key) = match about {
        About::Model => (namespace::MODEL, model.to_string()),
        About::ModelConfig => (namespace::MODEL_CONFIG, String::new()),
        About::Application => (namespace::APPLICATION, get("name").to_owned()),
        About::ApplicationConfig => (namespace::APPLICATION_CONFIG, get("name").to_owned()),
        About::Unit => (
            namespace::UNIT,
            format!("{}/{}", get("name"), get("number")),
        ),
        About::Relation => (namespace::RELATION, get("relation").to_owned()),
        About::Machine => (namespace::MACHINE, get("machine").replace('-', "/")),
    };
    Some(Definition::new(&model, namespace, key))
}

/// The tag of a version.
pub(super) fn tag(version: u64) -> HeaderValue {
    HeaderValue::try_from(format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// What `If-Match` demands; none without the header.
pub(super) fn expected(headers: &HeaderMap) -> Result<Option<Expected>, Answer> {
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
                    Problem::new(
                        400,
                        "if-match-invalid",
                        "The If-Match header cannot be read",
                    )
                    .why(format!("{tag} is not a tag in quotation marks"))
                    .advice("send the ETag as it was received, quotation marks included"),
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
pub(super) fn not_conditional() -> Answer {
    Answer(
        Problem::new(
            400,
            "if-match-unsupported",
            "This request cannot be conditional",
        )
        .why("there is no version of what this address changes")
        .advice("leave If-Match out"),
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

    #[test]
    fn every_route_about_a_definition_is_a_route() {
        let conditional = crate::access::ROUTES
            .iter()
            .filter(|route| is_conditional(route.path))
            .count();
        assert_eq!(conditional, 18);
    }
}
