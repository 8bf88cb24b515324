use super::*;

fn read(pages: &str) -> Result<Site, String> {
    Site::read(&Config {
        title: " Tea ".to_owned(),
        theme: "dark".to_owned(),
        pages: pages.to_owned(),
    })
}

#[test]
fn pages_follow_each_other() {
    let site =
        read("--- index\n# Welcome #\nCome in.\n\n---\n\nA rule above.\n--- about\nNo heading.\n")
            .expect("reads");
    assert_eq!((site.title.as_str(), site.theme), ("Tea", Theme::Dark));
    let titles: Vec<_> = site
        .pages
        .iter()
        .map(|page| (page.name.as_str(), page.title.as_str()))
        .collect();
    assert_eq!(titles, [("index", "Welcome"), ("about", "about")]);
    assert!(site.pages[0].markdown.contains("\n---\n"));
    assert_eq!(site.summary(), "2 pages");
}

#[test]
fn one_page_needs_no_name() {
    let site = read("\n# Hello\n").expect("reads");
    assert_eq!(
        (site.pages[0].name.as_str(), site.summary().as_str()),
        ("index", "1 page")
    );
}

#[test]
fn advice_says_what_to_change() {
    for (pages, hint) in [
        ("", "set pages"),
        ("--- a\n--- a\n", "two pages"),
        ("--- ../etc\n", "rename page \"../etc\""),
        ("--- Über\n", "rename page"),
    ] {
        let advice = read(pages).expect_err(pages);
        assert!(advice.contains(hint), "{advice}");
    }
    let config = |title: &str, theme: &str| Config {
        title: title.to_owned(),
        theme: theme.to_owned(),
        pages: "x".to_owned(),
    };
    assert!(
        Site::read(&config(" ", "auto"))
            .expect_err("no title")
            .contains("title")
    );
    assert!(
        Site::read(&config("T", "pink"))
            .expect_err("no such theme")
            .contains("auto, light or dark")
    );
}
