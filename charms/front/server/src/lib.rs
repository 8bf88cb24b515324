//! Serves the page that the charm renders. Its links name the hosts of other sites; at which port
//! these are reached is known only to who asked, so it is put in for each request.

use std::path::Path;

use periapt_http::{Handler, Request, Response};

/// Where the charm's capability puts the page.
const PAGE: &str = "/page";
/// What stands in the page for the port.
const PORT: &str = "{port}";
/// More than the page ever is.
const BYTES: usize = 4 << 20;

/// Answers with the page.
pub struct Server;

impl Handler for Server {
    fn handle(request: Request) -> Response {
        let port = port(request.authority()).to_owned();
        let answer = static_files::answer(Path::new(PAGE), &request);
        let is_page = answer
            .headers()
            .get("content-type")
            .is_some_and(|kind| kind.starts_with("text/html"));
        if answer.code() != 200 || !is_page {
            return answer;
        }
        let tag = answer.headers().get("etag").map(str::to_owned);
        match answer.into_body().into_bytes(BYTES) {
            Ok(bytes) => {
                let page = String::from_utf8_lossy(&bytes).replace(PORT, &port);
                let answer = Response::html(page).header("cache-control", "no-cache");
                match tag {
                    Some(tag) => answer.header("etag", tag),
                    None => answer,
                }
            }
            Err(error) => {
                eprintln!("the page cannot be read: {error}");
                Response::status(500)
            }
        }
    }
}

periapt_http::export!(Server);

/// `:8800` of `front.demo.localhost:8800`, nothing where there is none.
fn port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            &authority[host.len()..]
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::port;

    #[test]
    fn the_port_is_that_of_the_request() {
        assert_eq!(port("front.demo.localhost:8800"), ":8800");
        assert_eq!(port("front.demo.localhost"), "");
        assert_eq!(port("[::1]"), "");
        assert_eq!(port("[::1]:80"), ":80");
    }
}
