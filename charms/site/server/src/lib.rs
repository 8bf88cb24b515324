//! Serves the pages that the charm renders, as they were committed.

use std::path::Path;

use periapt_http::{Handler, Request, Response};

/// Where the charm's capability puts the site.
const SITE: &str = "/site";

/// Answers with the files below [`SITE`].
pub struct Server;

impl Handler for Server {
    fn handle(request: Request) -> Response {
        static_files::answer(Path::new(SITE), &request)
    }
}

periapt_http::export!(Server);
