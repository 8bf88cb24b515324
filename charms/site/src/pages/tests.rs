use super::*;

fn read(pages: &str) -> Result<Site, String> {
    read_with(pages, Vec::new())
}

fn read_with(pages: &str, kept: Vec<Page>) -> Result<Site, String> {
    let config = Config {
        title: " Tea ".to_owned(),
        theme: "dark".to_owned(),
        pages: pages.to_owned(),
    };
    Site::read(&config, kept)
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
        Site::read(&config(" ", "auto"), Vec::new())
            .expect_err("no title")
            .contains("title")
    );
    assert!(
        Site::read(&config("T", "pink"), Vec::new())
            .expect_err("no such theme")
            .contains("auto, light or dark")
    );
}

#[test]
fn pages_that_were_kept_come_last_and_have_names_of_their_own() {
    let kept = || vec![Page::new("tea", "# All about tea\n".to_owned())];
    let site = read_with("--- index\n# Welcome\n", kept()).expect("reads");
    let titles: Vec<_> = site.pages.iter().map(|page| page.title.as_str()).collect();
    assert_eq!(titles, ["Welcome", "All about tea"]);
    assert_eq!(read_with("", kept()).expect("reads").summary(), "1 page");
    let advice = read_with("--- tea\n", kept()).expect_err("one too many");
    assert!(advice.contains("two pages are called \"tea\""), "{advice}");
}
