use super::*;

struct Site(PathBuf);

impl Site {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("site-server-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("notes")).unwrap();
        fs::write(path.join("index.html"), "<h1>Home</h1>").unwrap();
        fs::write(path.join("notes/a b.txt"), "note").unwrap();
        Self(path)
    }

    fn get(&self, target: &str) -> Response {
        answer(&self.0, &Request::get(target))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn pages_are_found_below_the_site() {
    let site = Site::new("found");
    let home = site.get("/");
    assert_eq!(home.code(), 200);
    assert_eq!(
        home.headers().get("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(home.into_body().into_bytes(100).unwrap(), b"<h1>Home</h1>");
    let note = site.get("/notes/a%20b.txt?x=1");
    assert_eq!(note.into_body().into_bytes(100).unwrap(), b"note");
    assert_eq!(
        site.get("/notes").headers().get("location"),
        Some("/notes/")
    );
}

#[test]
fn what_is_not_there_is_said_by_the_sites_own_page() {
    let site = Site::new("missing");
    for target in [
        "/none",
        "/notes/",
        "/index.html/",
        "/../index.html",
        "/%2e%2e/x",
        "/%zz",
    ] {
        assert_eq!(site.get(target).code(), 404, "{target}");
    }
    fs::write(site.0.join(NOT_FOUND), "lost").unwrap();
    assert_eq!(
        site.get("/none").into_body().into_bytes(100).unwrap(),
        b"lost"
    );
}

#[test]
fn a_known_page_is_not_sent_again() {
    let site = Site::new("known");
    let tag = site.get("/").headers().get("etag").unwrap().to_owned();
    let again = Request::get("/").header("if-none-match", format!("\"1\", {tag}"));
    assert_eq!(answer(&site.0, &again).code(), 304);
    fs::write(site.0.join("index.html"), "<h1>Changed</h1>").unwrap();
    assert_eq!(answer(&site.0, &again).code(), 200);
    let post = Request::post("/", "x");
    assert_eq!(answer(&site.0, &post).code(), 405);
}
