use std::cell::RefCell;

use gateway_routes::Site;
use periapt_http::{Method, SendError};

use super::*;

fn table() -> Table {
    let site = |application: &str| Site {
        application: application.to_owned(),
        units: (0..2)
            .map(|number| format!("{application}-{number}.internal:80"))
            .collect(),
    };
    Table {
        routes: gateway_routes::read("/docs=docs /blog=blog").unwrap(),
        sites: vec![site("docs"), site("blog")],
    }
}

fn refused() -> SendError {
    SendError::unreached("ConnectionRefused")
}

#[test]
fn a_request_is_passed_on_without_what_is_of_its_connection() {
    let sent = RefCell::new(Vec::new());
    let request = Request::post("/docs/form?a=1&b=/x", "the body")
        .to("http", "gateway.test.localhost:8800")
        .header("host", "gateway.test.localhost:8800")
        .header("connection", "close, X-Secret")
        .header("x-secret", "of the connection")
        .header("te", "trailers")
        .header("x-forwarded-for", "10.1.1.1");
    let answer = pass::answer(&table(), request, 3, |request| {
        let names: Vec<String> = request
            .headers()
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        let (authority, target) = (request.authority().to_owned(), request.target().to_owned());
        assert_eq!(*request.method(), Method::Post);
        let body = request.into_body().into_bytes(100).unwrap();
        sent.borrow_mut().push((authority, target, names, body));
        Ok(Response::status(303)
            .header("location", "/done")
            .header("keep-alive", "timeout=5")
            .body("moved"))
    });
    let sent = sent.into_inner();
    assert_eq!(sent.len(), 1);
    let (authority, target, names, body) = &sent[0];
    assert_eq!(
        (authority.as_str(), target.as_str()),
        ("docs-1.internal:80", "/form?a=1&b=/x")
    );
    assert_eq!(*names, ["x-forwarded-for"]);
    assert_eq!(body, b"the body");
    assert_eq!(answer.code(), 303);
    assert_eq!(answer.headers().get("location"), Some("/docs/done"));
    assert_eq!(answer.headers().get("keep-alive"), None);
}

/// The code of the answer, and who was asked, where the first unit fails like this.
fn ask(method: Method, failure: &SendError) -> (u16, usize) {
    let tried = RefCell::new(0);
    let request = Request::new(method, "/blog/").to("http", "x");
    let answer = pass::answer(&table(), request, 0, |request| {
        *tried.borrow_mut() += 1;
        match request.authority() {
            "blog-0.internal:80" => Err(failure.clone()),
            _ => Ok(Response::text("a page")),
        }
    });
    (answer.code(), tried.into_inner())
}

#[test]
fn units_that_do_not_answer_are_passed_over_where_that_does_nothing_twice() {
    let lost = SendError::lost("ConnectionTerminated");
    assert_eq!(ask(Method::Post, &refused()), (200, 2));
    assert_eq!(ask(Method::Get, &lost), (200, 2));
    assert_eq!(ask(Method::Post, &lost), (502, 1));
}

#[test]
fn where_none_answers_the_visitor_hears_of_it() {
    let request = Request::get("/docs/").to("http", "x");
    let answer = pass::answer(&table(), request, usize::MAX, |_| Err(refused()));
    assert_eq!(answer.code(), 502);
    let page = answer.into_body().into_bytes(10_000).unwrap();
    assert!(String::from_utf8_lossy(&page).contains("No unit of docs answered."));

    let ask = |path: &str| {
        pass::answer(&table(), Request::get(path).to("http", "x"), 0, |_| {
            Err(refused())
        })
    };
    assert_eq!(ask("/other").code(), 404);
    let slash = ask("/docs?a=1");
    assert_eq!(
        (slash.code(), slash.headers().get("location")),
        (308, Some("/docs/?a=1"))
    );
}
