//! Shows what the hook counted, as it was committed: a page at `/`, JSON at `/count`, and at `/health`
//! that it answers.

use std::path::Path;
use std::{fs, io};

use periapt_http::{Handler, Method, Request, Response};

#[cfg(test)]
mod tests;

/// Where the charm's capability puts what the hook wrote.
const COUNTER: &str = "/counter";

/// Answers with the count.
pub struct Server;

impl Handler for Server {
    fn handle(request: Request) -> Response {
        answer(Path::new(COUNTER), &request)
    }
}

periapt_http::export!(Server);

fn answer(folder: &Path, request: &Request) -> Response {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return Response::status(405).header("allow", "GET, HEAD");
    }
    let shown = match request.path() {
        // That it answers is all there is to say.
        "/health" => Ok(Response::ok("text/plain; charset=utf-8", "ok\n")),
        "/" => page(folder).map(Response::html),
        "/count" => {
            fs::read(folder.join("count.json")).map(|json| Response::ok("application/json", json))
        }
        _ => return Response::status(404).body("There is no such page.\n"),
    };
    match shown {
        Ok(response) => response.header("cache-control", "no-cache"),
        Err(error) => {
            eprintln!("what the hook wrote cannot be read: {error}");
            Response::status(500)
        }
    }
}

fn page(folder: &Path) -> io::Result<String> {
    let greeting = fs::read_to_string(folder.join("greeting.txt"))?;
    let count: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("count.json"))?)?;
    let unit = escape(count["unit"].as_str().unwrap_or_default());
    let greeting = escape(&greeting);
    let count = &count["count"];
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{greeting}</title>\n</head>\n\
         <body>\n<h1>{greeting}</h1>\n<p><strong>{count}</strong>, counted by {unit}.</p>\n</body>\n</html>\n"
    ))
}

/// What an operator wrote is text.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
