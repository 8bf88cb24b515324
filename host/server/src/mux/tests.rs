use axum::routing::get;

use super::*;

async fn ask(mux: &Mux, path: &str) -> (u16, String) {
    let response = mux
        .answer(Request::get(path).body(Body::empty()).unwrap())
        .await;
    let status = response.status().as_u16();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20)
        .await
        .unwrap();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

fn says(text: &'static str) -> Router {
    Router::new().fallback(get(move || async move { text }))
}

#[tokio::test]
async fn an_empty_slot_answers_503_with_a_problem() {
    let (status, body) = ask(&Mux::new(), "/v1/models").await;
    assert_eq!(status, 503);
    let problem: Problem = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (503, "api-not-serving")
    );
    assert!(!problem.advice.is_empty());
}

#[tokio::test]
async fn routes_come_and_go_with_their_guards() {
    let mux = Mux::new();
    let guard = mux.add("/", says("first")).unwrap();
    assert_eq!(ask(&mux, "/v1").await, (200, "first".to_owned()));
    assert_eq!(
        mux.add("/", says("other")).err().unwrap().code(),
        "route-taken"
    );
    drop(guard);
    assert_eq!(ask(&mux, "/v1").await.0, 503);
    let _guard = mux.add("/", says("second")).unwrap();
    assert_eq!(ask(&mux, "/v1").await, (200, "second".to_owned()));
    assert_eq!(mux.clients(), 1);
}

#[tokio::test]
async fn the_longest_prefix_on_a_path_boundary_wins() {
    let mux = Mux::new();
    let _all = mux.add("/", says("all")).unwrap();
    let _pages = mux.add("/ui", says("pages")).unwrap();
    assert_eq!(ask(&mux, "/ui").await.1, "pages");
    assert_eq!(ask(&mux, "/ui/app.js").await.1, "pages");
    assert_eq!(ask(&mux, "/uikit").await.1, "all");
    assert_eq!(
        mux.add("ui", says("x")).err().unwrap().code(),
        "route-prefix-invalid"
    );
}
