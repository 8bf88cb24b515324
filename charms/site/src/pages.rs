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

impl Page {
    /// Called by its name until its heading is looked for.
    pub fn new(name: &str, markdown: String) -> Self {
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            markdown,
        }
    }

    fn entitle(&mut self) {
        let mut lines = self.markdown.lines();
        let heading = lines.find_map(|line| line.strip_prefix("# "));
        let heading = heading.map(|text| text.trim().trim_end_matches('#').trim());
        if let Some(heading) = heading.filter(|text| !text.is_empty()) {
            self.title = heading.to_owned();
        }
    }
}

/// A site that can be rendered: it has a title and at least one page, names are unique and safe
/// as file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub title: String,
    pub theme: Theme,
    /// In the order of the configuration, then those that were kept.
    pub pages: Vec<Page>,
}

impl Site {
    /// Reads the configuration, behind whose pages come those that were kept elsewhere. The error is advice: what to
    /// change and to what.
    pub fn read(config: &Config, kept: Vec<Page>) -> Result<Self, String> {
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
        let mut pages = read_pages(&config.pages)?;
        for page in kept {
            add(&mut pages, page)?;
        }
        if pages.is_empty() {
            return Err("set pages: start one with a line \"--- index\"".to_owned());
        }
        pages.iter_mut().for_each(Page::entitle);
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
                let name = name.trim();
                check_name(name)?;
                add(&mut pages, Page::new(name, String::new()))?;
            }
            (None, Some(page)) => {
                page.markdown.push_str(line);
                page.markdown.push('\n');
            }
            (None, None) if line.trim().is_empty() => {}
            // Text before the first name is the front page, so that one page needs no name.
            (None, None) => {
                pages.push(Page::new("index", format!("{line}\n")));
            }
        }
    }
    Ok(pages)
}

fn add(pages: &mut Vec<Page>, page: Page) -> Result<(), String> {
    if pages.iter().any(|other| other.name == page.name) {
        return Err(format!(
            "two pages are called \"{}\": rename one",
            page.name
        ));
    }
    pages.push(page);
    Ok(())
}

/// Whether a page may be called so; the error is advice.
pub fn check_name(name: &str) -> Result<(), String> {
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
