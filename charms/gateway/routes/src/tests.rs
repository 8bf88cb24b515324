use super::*;

fn table(routes: &str) -> Table {
    let site = |application: &str| Site {
        application: application.to_owned(),
        units: vec![format!("{application}-0.internal:80")],
    };
    Table {
        routes: read(routes).unwrap(),
        sites: vec![site("docs"), site("blog")],
    }
}

fn found(table: &Table, authority: &str, path: &str) -> String {
    match table.find(authority, path) {
        Found::Site { site, prefix } => format!("{} {prefix}", site.application),
        Found::Slash => "slash".to_owned(),
        Found::Nothing => "nothing".to_owned(),
    }
}

#[test]
fn the_longest_path_is_taken_and_a_host_before_any() {
    let table = table("/docs=docs /docs/news/=blog /=blog www.example.com=docs");
    for (authority, path, wanted) in [
        ("gateway.test.localhost:8800", "/docs/a", "docs /docs"),
        ("gateway.test.localhost", "/docs", "slash"),
        ("gateway.test.localhost", "/docsy", "blog "),
        ("gateway.test.localhost", "/docs/news/1", "blog /docs/news"),
        ("gateway.test.localhost", "/", "blog "),
        ("WWW.example.com.:80", "/docs/news/1", "docs "),
        ("blog.example.com", "/docs/", "blog "),
        ("docs", "/", "blog "),
    ] {
        assert_eq!(found(&table, authority, path), wanted, "{authority}{path}");
    }
}

#[test]
fn what_leads_nowhere_is_nothing() {
    let table = table("/docs=docs /gone=gone gone.example.com=gone");
    for (authority, path) in [("x.y", "/"), ("x.y", "/gone/"), ("gone.example.com", "/a")] {
        assert_eq!(
            found(&table, authority, path),
            "nothing",
            "{authority}{path}"
        );
    }
}

#[test]
fn what_cannot_be_read_says_what_to_change() {
    assert_eq!(read("  "), Ok(Vec::new()));
    for (text, says) in [
        ("docs", "form"),
        ("/docs=", "form"),
        ("/docs=Docs/0", "form"),
        ("/a/../b=docs", "path"),
        ("/a//b=docs", "path"),
        ("/a?b=docs", "path"),
        ("example.com:80=docs", "host"),
        ("a..b=docs", "host"),
        ("/docs=docs /docs/=blog", "twice"),
        ("A.example=docs a.example=docs", "twice"),
    ] {
        let advice = read(text).unwrap_err();
        assert!(advice.contains(says), "{text}: {advice}");
    }
}

#[test]
fn the_table_is_read_as_it_was_written() {
    let table = table("/=docs a.example=blog");
    assert_eq!(Table::from_json(&table.to_json()).unwrap(), table);
    assert!(Table::from_json(b"{").is_err());
}
