//! The page as HTML. Everything on it was written by others, so all of it is text.

/// One site on the page.
pub struct Entry {
    pub title: String,
    pub application: String,
    pub pages: u32,
    pub path: String,
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
    format!(
        "<li><strong>{}</strong> ({}): {pages}, {} on {}</li>\n",
        escape(&entry.title),
        escape(&entry.application),
        escape(&entry.path),
        escape(&entry.units.join(", ")),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
