use super::*;

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("counter-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(response: Response) -> String {
    String::from_utf8(response.into_body().into_bytes(10_000).unwrap()).unwrap()
}

#[test]
fn the_page_and_the_json_say_the_same() {
    let folder = folder("shown");
    fs::write(folder.join("greeting.txt"), "Tea & <toast>").unwrap();
    fs::write(
        folder.join("count.json"),
        r#"{"unit": "counter/0", "count": 7}"#,
    )
    .unwrap();
    let page = text(answer(&folder, &Request::get("/")));
    assert!(page.contains("<h1>Tea &amp; &lt;toast&gt;</h1>"), "{page}");
    assert!(
        page.contains("<strong>7</strong>, counted by counter/0"),
        "{page}"
    );
    let json = answer(&folder, &Request::get("/count?x=1"));
    assert_eq!(json.headers().get("content-type"), Some("application/json"));
    assert!(text(json).contains("\"count\": 7"));
    assert_eq!(answer(&folder, &Request::get("/other")).code(), 404);
    assert_eq!(answer(&folder, &Request::post("/", "x")).code(), 405);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn without_files_it_fails_and_says_so() {
    let folder = folder("empty");
    assert_eq!(answer(&folder, &Request::get("/")).code(), 500);
    assert_eq!(text(answer(&folder, &Request::get("/health"))), "ok\n");
    fs::remove_dir_all(&folder).unwrap();
}
