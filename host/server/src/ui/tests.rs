use super::*;

#[test]
fn addresses_of_the_api_are_no_pages() {
    for path in [
        "/v1",
        "/v1/models",
        "/docs/api",
        "/health",
        "/metrics",
        "/ready",
    ] {
        assert!(!serves(&Method::GET, path), "{path}");
    }
    for path in [
        "/",
        "/models",
        "/models/v1/units/site/0",
        "/healthy",
        "/assets/x.js",
    ] {
        assert!(serves(&Method::GET, path), "{path}");
    }
    assert!(!serves(&Method::POST, "/models"));
}

#[test]
fn every_answer_carries_the_policy() {
    for path in ["/", "/models", "/assets/gone.js", "/favicon.svg"] {
        let response = answer(path, &HeaderMap::new());
        let policy = response
            .headers()
            .get(header::CONTENT_SECURITY_POLICY)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        assert!(policy.contains("script-src 'self'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert_eq!(response.headers()["referrer-policy"], "no-referrer");
    }
}

#[test]
fn a_file_that_is_not_there_is_not_answered_with_the_page() {
    for path in [
        "/assets/gone.js",
        "/favicon.ico",
        "/robots.txt",
        "/modelz",
        "/.env",
    ] {
        let response = answer(path, &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        let kind = response.headers()[header::CONTENT_TYPE]
            .to_str()
            .unwrap_or_default();
        assert!(!kind.starts_with("text/html"), "{path}: {kind}");
    }
}

#[test]
fn every_page_of_the_interface_is_a_page_here() {
    let routes = include_str!("../../../../web-ui/src/App.tsx");
    let absolute = routes.split("path=\"/").skip(1);
    let mut begins: Vec<&str> = absolute
        .filter_map(|rest| rest.split(['/', '"']).next())
        .chain([""])
        .collect();
    begins.sort_unstable();
    begins.dedup();
    assert_eq!(begins, PAGES);
    for path in ["/users/a.b", "/models/m/units/site/0", "/sign-in"] {
        assert!(is_page(path.trim_start_matches('/')), "{path}");
    }
}

#[test]
fn a_page_is_the_same_at_every_address_or_says_how_to_build_it() {
    let built = Files::get(PAGE).is_some();
    for path in ["/", "/models", "/models/a/units/b/0"] {
        let response = answer(path, &HeaderMap::new());
        let expected = if built {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        };
        assert_eq!(response.status(), expected, "{path}");
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "text/html; charset=utf-8"
        );
    }
    assert!(MISSING.contains("cargo xtask web"));
}

#[test]
fn encodings_are_taken_by_name_and_refused_by_weight() {
    assert!(takes("gzip, deflate, br", "br"));
    assert!(takes("gzip;q=0.5", "gzip"));
    assert!(!takes("gzip;q=0, br", "gzip"));
    assert!(!takes("deflate", "br"));
    assert!(!takes("", "gzip"));
}

#[test]
fn a_known_tag_is_answered_without_a_body() {
    let Some(page) = Files::get(PAGE) else { return };
    let mut headers = HeaderMap::new();
    headers.insert(
        header::IF_NONE_MATCH,
        HeaderValue::from_str(&tag(&page)).expect("a header"),
    );
    assert_eq!(answer("/", &headers).status(), StatusCode::NOT_MODIFIED);
}
