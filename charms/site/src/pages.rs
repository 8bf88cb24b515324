//! The configuration as a site: checked values, or advice for the operator.

use crate::Config;

#[cfg(test)]
mod tests;

/// The colours of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Auto,
    Light,
    Dark,
}

/// One page as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The file's name without its ending.
    pub name: String,
    /// The first heading, else the name.
    pub title: String,
    pub markdown: String,
}

/// A site that can be rendered: it has a title and at least one page, names are unique and safe
/// as file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub title: String,
    pub theme: Theme,
    /// In the order of the configuration.
    pub pages: Vec<Page>,
}

impl Site {
    /// Reads the configuration. The error is advice: what to change and to what.
    pub fn read(config: &Config) -> Result<Self, String> {
        let title = config.title.trim();
        if title.is_empty() {
            return Err("set title: the site needs one".to_owned());
        }
        let theme = match config.theme.trim() {
            "auto" => Theme::Auto,
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            other => return Err(format!("set theme to auto, light or dark, not \"{other}\"")),
        };
        let pages = read_pages(&config.pages)?;
        Ok(Self {
            title: title.to_owned(),
            theme,
            pages,
        })
    }

    pub fn page(&self, name: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.name == name)
    }

    /// `1 page`, `12 pages`.
    pub fn summary(&self) -> String {
        match self.pages.len() {
            1 => "1 page".to_owned(),
            count => format!("{count} pages"),
        }
    }
}

fn read_pages(text: &str) -> Result<Vec<Page>, String> {
    let mut pages: Vec<Page> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("--- "), pages.last_mut()) {
            (Some(name), _) => {
                let name = name.trim().to_owned();
                check_name(&name)?;
                if pages.iter().any(|page| page.name == name) {
                    return Err(format!("two pages are called \"{name}\": rename one"));
                }
                pages.push(Page {
                    title: name.clone(),
                    name,
                    markdown: String::new(),
                });
            }
            (None, Some(page)) => {
                page.markdown.push_str(line);
                page.markdown.push('\n');
            }
            (None, None) if line.trim().is_empty() => {}
            // Text before the first name is the front page, so that one page needs no name.
            (None, None) => {
                let markdown = format!("{line}\n");
                pages.push(Page {
                    name: "index".to_owned(),
                    title: "index".to_owned(),
                    markdown,
                });
            }
        }
    }
    if pages.is_empty() {
        return Err("set pages: start one with a line \"--- index\"".to_owned());
    }
    for page in &mut pages {
        let heading = page
            .markdown
            .lines()
            .find_map(|line| line.strip_prefix("# "));
        if let Some(heading) = heading
            .map(|text| text.trim().trim_end_matches('#').trim())
            .filter(|text| !text.is_empty())
        {
            page.title = heading.to_owned();
        }
    }
    Ok(pages)
}

fn check_name(name: &str) -> Result<(), String> {
    let sound = (1..=64).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if sound {
        Ok(())
    } else {
        Err(format!(
            "rename page \"{name}\": use lower-case letters, digits and dashes, 64 at most"
        ))
    }
}
