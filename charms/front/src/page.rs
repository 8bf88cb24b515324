//! The page as HTML. Everything on it was written by others, so all of it is text.

/// One site on the page.
pub struct Entry {
    pub title: String,
    pub application: String,
    pub pages: u32,
    /// Where the site is; its `{port}` is that of who asks for the page.
    pub link: Option<String>,
    /// The units that have it.
    pub units: Vec<String>,
}

pub fn render(title: &str, entries: &[Entry]) -> String {
    let rows: String = entries.iter().map(row).collect();
    let body = match entries {
        [] => "<p>No sites yet.</p>\n".to_owned(),
        _ => format!("<ul>\n{rows}</ul>\n"),
    };
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n</head>\n\
         <body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

fn row(entry: &Entry) -> String {
    let pages = match entry.pages {
        1 => "1 page".to_owned(),
        count => format!("{count} pages"),
    };
    let title = escape(&entry.title);
    let title = match &entry.link {
        Some(link) => format!("<a href=\"{}\"><strong>{title}</strong></a>", escape(link)),
        None => format!("<strong>{title}</strong>"),
    };
    format!(
        "<li>{title} ({}): {pages} on {}</li>\n",
        escape(&entry.application),
        escape(&entry.units.join(", ")),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
