//! The fields of a head that are of one connection alone, or are the gate's to say: taken out of what strangers
//! and units send before it is passed on.

use std::net::SocketAddr;

use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::request::Parts;

use super::pages::Page;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
/// Of one connection and no other.
const HOPS: [HeaderName; 7] = [
    CONNECTION,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];
/// Fields of what is sent on, without those that the gate adds for serving, which takes no more than 100.
const FIELDS: usize = 90;

/// Makes of what a stranger sent what is sent on.
pub fn forwarded(parts: &mut Parts, peer: SocketAddr) -> Result<(), Page> {
    let headers = &mut parts.headers;
    remove_hops(headers);
    headers.remove(EXPECT);
    headers.remove(FORWARDED);
    let ours: Vec<HeaderName> = headers
        .keys()
        .filter(|name| {
            let name = name.as_str();
            name.starts_with("x-forwarded-") || name.starts_with("periapt-") || name == "x-real-ip"
        })
        .cloned()
        .collect();
    for name in ours {
        headers.remove(name);
    }
    // In HTTP/2 it is a part of the address.
    let named = parts.uri.authority().map(|authority| authority.as_str());
    let named = match (headers.get(HOST), named) {
        (Some(named), _) => named.clone(),
        (None, Some(named)) => HeaderValue::from_str(named).map_err(|_| Page::unclear())?,
        (None, None) => return Err(Page::unclear()),
    };
    headers.insert(HOST, named.clone());
    let from = HeaderValue::from_str(&peer.ip().to_canonical().to_string());
    let from = from.map_err(|_| Page::unclear())?;
    for (name, value) in [
        ("x-forwarded-for", from),
        ("x-forwarded-host", named),
        ("x-forwarded-proto", HeaderValue::from_static("http")),
    ] {
        headers.insert(HeaderName::from_static(name), value);
    }
    match headers.len() > FIELDS {
        true => Err(Page::large()),
        false => Ok(()),
    }
}

/// What is of one connection alone, and what it names so itself.
pub fn remove_hops(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // Without these a request would be for somebody else, or of another length.
        .filter(|name| *name != HOST && *name != CONTENT_LENGTH)
        .collect();
    for name in HOPS.into_iter().chain(named) {
        headers.remove(name);
    }
}
