//! Answers requests with the files below a folder: those of a charm's state, as they were committed.
//!
//! Nothing is cached here: each request is an instance of its own, and the client is told by `etag` that it
//! has a page already.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use periapt_http::{Body, Method, Request, Response};

#[cfg(test)]
mod tests;

/// The page for what is not there, if the site has one.
const NOT_FOUND: &str = "404.html";

/// The file below `site` that the request names, an `index.html` for a folder, or the site's own
/// `404.html`.
pub fn answer(site: &Path, request: &Request) -> Response {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return Response::status(405).header("allow", "GET, HEAD");
    }
    let Some(path) = below(site, request.path()) else {
        return not_found(site);
    };
    match fs::metadata(&path) {
        // Links of a page are relative to its folder, which must end in a slash for that.
        Ok(found) if found.is_dir() && !request.path().ends_with('/') => {
            Response::status(308).header("location", format!("{}/", request.path()))
        }
        Ok(found) if found.is_dir() => file(site, &path.join("index.html"), request),
        Ok(_) if request.path().ends_with('/') => not_found(site),
        _ => file(site, &path, request),
    }
}

fn file(site: &Path, path: &Path, request: &Request) -> Response {
    let found = fs::metadata(path).and_then(|found| Ok((found, fs::read(path)?)));
    let (found, bytes) = match found {
        Ok((found, bytes)) if found.is_file() => (found, bytes),
        Ok(_) => return not_found(site),
        Err(error) if error.kind() == ErrorKind::NotFound => return not_found(site),
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return Response::status(500);
        }
    };
    let tag = etag(&found);
    let known = request.headers().get("if-none-match");
    if known.is_some_and(|known| known == "*" || known.split(',').any(|one| one.trim() == tag)) {
        return Response::status(304).header("etag", tag);
    }
    Response::ok(content_type(path), bytes)
        .header("etag", tag)
        .header("cache-control", "no-cache")
}

fn not_found(site: &Path) -> Response {
    let mut response = Response::status(404);
    if let Ok(page) = fs::read(site.join(NOT_FOUND)) {
        response = response
            .header("content-type", "text/html; charset=utf-8")
            .body(Body::from(page));
    } else {
        response = response
            .header("content-type", "text/plain; charset=utf-8")
            .body("There is no such page.\n");
    }
    response
}

/// The file for a path of a request. None for what can be none: parts that are not plain names.
fn below(site: &Path, path: &str) -> Option<PathBuf> {
    let mut found = site.to_owned();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let part = decode(part)?;
        if part.starts_with('.') || part.contains(['/', '\\', '\0']) {
            return None;
        }
        found.push(part);
    }
    Some(found)
}

/// `%41` stands for `A`.
fn decode(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// What changes with a page: how long it is and when it was written.
fn etag(found: &Metadata) -> String {
    let written = found
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let written = written.map_or(0, |time| time.as_nanos());
    format!("\"{:x}-{written:x}\"", found.len())
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("webp") => "image/webp",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
