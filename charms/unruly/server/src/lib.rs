//! Serves the page that the charm wrote, as it was committed.

use std::path::Path;

use periapt_http::{Handler, Request, Response};

/// Where the charm's capability puts the page.
const PAGE: &str = "/page";

/// Answers with the files below [`PAGE`].
pub struct Server;

impl Handler for Server {
    fn handle(request: Request) -> Response {
        static_files::answer(Path::new(PAGE), &request)
    }
}

periapt_http::export!(Server);
