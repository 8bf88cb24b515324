//! What a change that succeeded is answered with: 200 when it is done, 201 with the address of what is new, 202
//! when it has only begun.
//!
//! A route's row says which ([`Place`]); handlers answer as if all were 200. The status is set next to the
//! handler, so that the kept answer and the audit have it; the address is added outside of what answers
//! repeated requests, so that those have it too.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::Value;

use super::At;
use crate::access::Named;

tokio::task_local! {
    static STATUS: u16;
}

/// Where that is which a change made or began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub path: &'static str,
    /// Where the answer has the parts of the path that the request's own path lacks, as JSON pointers. A part
    /// with a slash in it, such as `data/0`, stands for two.
    pub parts: &'static [&'static str],
}

impl Place {
    /// The address; none when the answer does not say all of it.
    fn address(&self, named: &Named, answer: &Value) -> Option<String> {
        let mut told = Vec::new();
        for pointer in self.parts {
            let part = match answer.pointer(pointer)? {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            told.extend(part.split('/').map(str::to_owned));
        }
        let mut told = told.into_iter();
        let mut address = String::new();
        for segment in self.path.split('/').skip(1) {
            address.push('/');
            let name = segment
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            match name.map(|name| named.get(name)) {
                None => address.push_str(segment),
                Some("") => address.push_str(&told.next()?),
                Some(given) => address.push_str(given),
            }
        }
        Some(address)
    }
}

/// The status of the change that is being made.
pub(super) fn status() -> u16 {
    STATUS.try_with(|status| *status).unwrap_or(200)
}

/// Gives an answer that is no refusal the status of its route.
pub(super) async fn said(State((_, route)): State<At>, request: Request, next: Next) -> Response {
    if route.success == 200 {
        return next.run(request).await;
    }
    let mut response = STATUS.scope(route.success, next.run(request)).await;
    if response.status() == StatusCode::OK
        && let Ok(status) = StatusCode::from_u16(route.success)
    {
        *response.status_mut() = status;
    }
    response
}

/// Says in `Location` where to look at what was made or begun.
pub(super) async fn located(
    State((_, route)): State<At>,
    request: Request,
    next: Next,
) -> Response {
    let Some(place) = route.place else {
        return next.run(request).await;
    };
    let named = request.extensions().get::<Named>().cloned();
    let response = next.run(request).await;
    let Some(named) = named.filter(|_| response.status().as_u16() == route.success) else {
        return response;
    };
    let (mut parts, body) = response.into_parts();
    // It is in memory already: answers to changes are documents.
    let bytes = match to_bytes(body, usize::MAX).await {
        Ok(bytes) => bytes,
        Err(error) => {
            tracing::warn!(%error, "an answer broke off");
            return Response::from_parts(parts, Body::empty());
        }
    };
    let answer = serde_json::from_slice(&bytes).unwrap_or_default();
    let address = place.address(&named, &answer);
    if let Some(Ok(address)) = address.map(HeaderValue::try_from) {
        parts.headers.insert(header::LOCATION, address);
    }
    Response::from_parts(parts, Body::from(bytes))
}

#[cfg(test)]
mod tests {
    use periapt_model::ModelUuid;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_is_made_of_the_request_and_the_answer() {
        let model: ModelUuid = "6f1c4d2e-0b1a-4c57-9f0e-2d3c4b5a6978".parse().unwrap();
        let named = Named::by_connection(Some(&model));
        let application = Place {
            path: "/v1/models/{model}/applications/{name}",
            parts: &["/name"],
        };
        assert_eq!(
            application.address(&named, &json!({ "name": "site" })),
            Some(format!("/v1/models/{model}/applications/site"))
        );
        assert_eq!(application.address(&named, &json!({})), None);
        let storage = Place {
            path: "/v1/models/{model}/storage/{name}/{number}",
            parts: &["/id"],
        };
        assert_eq!(
            storage.address(&named, &json!({ "id": "data/3" })),
            Some(format!("/v1/models/{model}/storage/data/3"))
        );
        let operation = Place {
            path: "/v1/models/{model}/operations/{operation}",
            parts: &["/id"],
        };
        assert_eq!(
            operation.address(&named, &json!({ "id": 7 })),
            Some(format!("/v1/models/{model}/operations/7"))
        );
    }
}
