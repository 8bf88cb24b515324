//! A site as files: one HTML page each, and a style sheet.
//!
//! What operators write is text, not markup: HTML inside Markdown is shown as it stands, and
//! links go to web addresses, mail and the site itself only.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

use crate::pages::{Page, Site, Theme};

const STYLE: &str = include_str!("style.css");

/// The file of the style sheet.
pub const STYLE_SHEET: &str = "style.css";

/// Names of the files of a site.
pub fn file_names(site: &Site) -> Vec<String> {
    let mut names: Vec<String> = site
        .pages
        .iter()
        .map(|page| format!("{}.html", page.name))
        .collect();
    if site.page("index").is_none() {
        names.push("index.html".to_owned());
    }
    names.push(STYLE_SHEET.to_owned());
    names
}

/// The files of a site with their contents.
pub fn files(site: &Site) -> Vec<(String, String)> {
    let contents = site.pages.iter().map(|page| page_html(site, page));
    let front = site.page("index").is_none().then(|| front_html(site));
    let contents = contents.chain(front).chain([style(site.theme)]);
    file_names(site).into_iter().zip(contents).collect()
}

fn page_html(site: &Site, page: &Page) -> String {
    let mut body = String::new();
    html::push_html(&mut body, events(&page.markdown));
    document(site, &page.title, &page.name, &body)
}

/// The front page of a site that has none of its own: a list of the others.
fn front_html(site: &Site) -> String {
    let entries: String = site
        .pages
        .iter()
        .map(|page| {
            format!(
                "<li><a href=\"{}.html\">{}</a></li>\n",
                page.name,
                escape(&page.title)
            )
        })
        .collect();
    document(
        site,
        &site.title,
        "index",
        &format!("<h1>{}</h1>\n<ul>\n{entries}</ul>\n", escape(&site.title)),
    )
}

fn document(site: &Site, title: &str, current: &str, body: &str) -> String {
    let heading = if title == site.title {
        escape(title)
    } else {
        format!("{} - {}", escape(title), escape(&site.title))
    };
    let mut links = String::new();
    for page in site.pages.iter().filter(|page| page.name != "index") {
        let here = if page.name == current {
            " aria-current=\"page\""
        } else {
            ""
        };
        links.push_str(&format!(
            "<a href=\"{}.html\"{here}>{}</a>\n",
            page.name,
            escape(&page.title)
        ));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{heading}</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n\
         <header>\n<a class=\"title\" href=\"index.html\">{site_title}</a>\n<nav>\n{links}</nav>\n</header>\n\
         <main>\n{body}</main>\n</body>\n</html>\n",
        site_title = escape(&site.title),
    )
}

fn events(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    Parser::new_ext(markdown, options).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url: harmless(dest_url),
            title,
            id,
        }),
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Image {
            link_type,
            dest_url: harmless(dest_url),
            title,
            id,
        }),
        event => event,
    })
}

/// The address, or `#` where it has a scheme that runs or hides something (`javascript:`,
/// `data:`). Browsers skip control characters and spaces, so they are skipped here too.
fn harmless(address: CowStr<'_>) -> CowStr<'_> {
    let plain: String = address
        .chars()
        .filter(|c| !c.is_control() && !c.is_whitespace())
        .collect();
    let before_path = plain.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = before_path
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        None | Some("http" | "https" | "mailto") => address,
        Some(_) => CowStr::Borrowed("#"),
    }
}

fn style(theme: Theme) -> String {
    let scheme = match theme {
        Theme::Auto => "light dark",
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    STYLE.replace("/* scheme */", &format!("color-scheme: {scheme};"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
