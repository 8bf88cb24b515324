//! Serves the page that the charm wrote, as it was committed, and behaves as badly as a handler can where it is
//! asked to.

use std::hint::black_box;
use std::path::Path;
use std::process::abort;

use periapt_http::{Body, Handler, Request, Response};

/// Where the charm's capability puts the page.
const PAGE: &str = "/page";
/// What is asked for at a time, until there is no more.
const PIECE_BYTES: usize = 1 << 20;

/// Answers with the files below [`PAGE`].
pub struct Server;

impl Handler for Server {
    fn handle(request: Request) -> Response {
        match request.path() {
            "/traps" => abort(),
            "/loops" => loop {
                black_box(());
            },
            "/allocates" => allocate(),
            "/streams" => Response::text(Body::written(|client| {
                loop {
                    client.write_all(&[b'x'; 4096])?;
                }
            })),
            _ => static_files::answer(Path::new(PAGE), &request),
        }
    }
}

/// Takes memory until the request is ended for it.
fn allocate() -> ! {
    let mut taken = Vec::new();
    loop {
        taken.push(black_box(vec![1_u8; PIECE_BYTES]));
    }
}

periapt_http::export!(Server);
