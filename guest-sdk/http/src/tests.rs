use super::*;

struct Echo;

impl Handler for Echo {
    fn handle(request: Request) -> Response {
        match request.path() {
            "/query" => Response::text(request.query().unwrap_or("none").to_owned()),
            "/count" => Response::text(Body::written(|out| {
                (1..=3).try_for_each(|number| writeln!(out, "{number}"))
            })),
            _ => match request.into_body().into_bytes(5) {
                Ok(bytes) => Response::ok("application/octet-stream", bytes),
                Err(_) => Response::status(413),
            },
        }
    }
}

export!(Echo);

fn text(response: Response) -> String {
    String::from_utf8(response.into_body().into_bytes(1000).unwrap()).unwrap()
}

#[test]
fn a_handler_runs_as_it_is() {
    assert_eq!(text(Echo::handle(Request::get("/query?a=1"))), "a=1");
    assert_eq!(text(Echo::handle(Request::get("/query"))), "none");
    assert_eq!(text(Echo::handle(Request::get("/count"))), "1\n2\n3\n");
    assert_eq!(text(Echo::handle(Request::post("/", "short"))), "short");
    assert_eq!(Echo::handle(Request::post("/", "too long")).code(), 413);
}

#[test]
fn headers_do_not_mind_case_and_keep_their_order() {
    let mut headers = Headers::new();
    headers.append("Vary", "accept");
    headers.append("vary", "cookie");
    headers.set("ETag", "\"1\"");
    assert_eq!(headers.get("VARY"), Some("accept"));
    let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["vary", "vary", "etag"]);
    headers.set("vary", "*");
    assert_eq!(headers.iter().count(), 2);
}

#[test]
fn nothing_is_reached_outside_of_a_component() {
    let error = send(Request::get("/").to("https", "example.com")).unwrap_err();
    assert!(error.to_string().contains("example.com"), "{error}");
    assert!(error.is_unreached());
}
