//! Programs by what they call themselves in `User-Agent`, in words for people.
//!
//! A browser sends a line that names half a dozen other programs; people know it by its name, its version and the
//! system under it. Whatever is no browser is shown as it calls itself. All of it is a claim: it helps people to
//! recognise a program, and no decision depends on it.

/// Products by which browsers are known, in the order in which they are looked for: most browsers claim to be those
/// further down as well.
const BROWSERS: [(&str, &str); 12] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("HeadlessChrome/", "Headless Chrome"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
];

/// Systems by a word of their own; the same holds of their order.
const SYSTEMS: [(&str, &str); 8] = [
    ("Windows", "Windows"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("FreeBSD", "FreeBSD"),
    ("Linux", "Linux"),
];

/// `Firefox 133 on Linux` of a browser, and of any other program what it says.
pub fn named(user_agent: &str) -> String {
    browser(user_agent).unwrap_or_else(|| user_agent.to_owned())
}

fn browser(user_agent: &str) -> Option<String> {
    let claims = user_agent.strip_prefix("Mozilla/5.0 (")?;
    let (system, products) = claims.split_once(')')?;
    let (name, version) = BROWSERS.iter().find_map(|(product, name)| {
        let mut words = products.split_whitespace();
        let version = words.find_map(|word| word.strip_prefix(*product))?;
        Some((*name, version))
    })?;
    let mut shown = name.to_owned();
    let major: String = version.chars().take_while(char::is_ascii_digit).collect();
    if !major.is_empty() {
        shown.push(' ');
        shown.push_str(&major);
    }
    if let Some((_, system)) = SYSTEMS.iter().find(|(word, _)| system.contains(*word)) {
        shown.push_str(" on ");
        shown.push_str(system);
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_with_its_version_and_its_system() {
        for (user_agent, shown) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
                "Firefox 133 on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.70",
                "Edge 131 on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
                "Safari 18 on macOS",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1",
                "Chrome 131 on iOS",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
                "Chrome 131 on Android",
            ),
            (
                "Mozilla/5.0 (Plan 9) Gecko/20100101 Firefox/next",
                "Firefox",
            ),
        ] {
            assert_eq!(named(user_agent), shown);
        }
    }

    #[test]
    fn any_other_program_is_shown_as_it_calls_itself() {
        for user_agent in [
            "",
            "curl/8.11.0",
            "periapt/0.1.0",
            "Mozilla/5.0 (compatible; Watcher/2.1; +https://watcher.example)",
            "Mozilla/5.0 (Linux",
        ] {
            assert_eq!(named(user_agent), user_agent);
        }
    }
}
