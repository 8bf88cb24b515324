//! The index of a charm repository: which revisions of which charms it has, by the digests of their
//! archives, and which one each channel is at.
//!
//! A repository is a directory with this file and the archives beside it, so that any web server can
//! hand it out. The text of an index is a function of what is in it: the same charms published in the
//! same order give the same bytes. What an application could be refreshed to is a function of the index
//! as well. Nothing here reads or writes a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::url::check_name;
use crate::Digest;
use crate::name::NameError;
use crate::nearest::suggestion;

#[cfg(test)]
mod tests;

/// What the index is called in its directory.
pub const INDEX: &str = "index.json";
/// The channel of whoever names none.
pub const CHANNEL: &str = "stable";
/// The only form of an index so far.
const FORMAT: u32 = 1;
const CHANNEL_BYTES: usize = 64;
/// Ranges of revisions that a refusal names.
const RANGES: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Index {
    format: u32,
    charms: BTreeMap<String, Releases>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Releases {
    /// The revision that each channel is at.
    channels: BTreeMap<String, u32>,
    revisions: BTreeMap<u32, Release>,
}

/// One revision of a charm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Release {
    pub sha256: Digest,
    /// Bytes of the archive.
    pub size: u64,
}

impl Release {
    /// The archive's name in the repository's directory.
    pub fn file(&self) -> String {
        format!("{}.charm", self.sha256)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepositoryError {
    #[error("the index cannot be read: {0}")]
    Unreadable(String),
    #[error("the index has format {0}, but this program reads format {FORMAT}")]
    Format(u32),
    #[error(
        "channel \"{channel}\" of charm \"{charm}\" is at revision {revision}, which does not exist"
    )]
    Dangling {
        charm: String,
        channel: String,
        revision: u32,
    },
    #[error("\"{}\" is not a charm's name: {}", .0.value, .0.rule)]
    Name(NameError),
    #[error(
        "channel \"{0}\" is not a valid name: begin with a letter, then use letters, digits, dashes, dots or slashes"
    )]
    Channel(String),
    #[error("revision {revision} of charm \"{charm}\" is not newer than {newest}, the newest one")]
    NotNewer {
        charm: String,
        revision: u32,
        newest: u32,
    },
    #[error("this archive of charm \"{charm}\" is already revision {found}, not {revision}")]
    OtherRevision {
        charm: String,
        revision: u32,
        found: u32,
    },
    #[error(
        "channel \"{channel}\" of charm \"{charm}\" is at revision {newest}, but this archive is revision {revision}"
    )]
    ChannelIsNewer {
        charm: String,
        channel: String,
        revision: u32,
        newest: u32,
    },
    #[error("charm \"{charm}\" has reached the highest revision number")]
    Full { charm: String },
    #[error("there is no charm \"{charm}\"{hint}")]
    NoCharm { charm: String, hint: String },
    #[error("charm \"{charm}\" has no channel \"{channel}\"{hint}")]
    NoChannel {
        charm: String,
        channel: String,
        hint: String,
    },
    #[error("charm \"{charm}\" has no revision {revision}; it has {there}")]
    NoRevision {
        charm: String,
        revision: u32,
        there: String,
    },
}

impl Default for Index {
    fn default() -> Self {
        Self {
            format: FORMAT,
            charms: BTreeMap::new(),
        }
    }
}

impl Index {
    /// Reads an index, and holds that every channel is at a revision that there is.
    pub fn read(text: &str) -> Result<Self, RepositoryError> {
        let index: Self = serde_json::from_str(text)
            .map_err(|error| RepositoryError::Unreadable(error.to_string()))?;
        if index.format != FORMAT {
            return Err(RepositoryError::Format(index.format));
        }
        for (charm, releases) in &index.charms {
            check_name(charm).map_err(RepositoryError::Name)?;
            for (channel, revision) in &releases.channels {
                check_channel(channel)?;
                if !releases.revisions.contains_key(revision) {
                    return Err(RepositoryError::Dangling {
                        charm: charm.clone(),
                        channel: channel.clone(),
                        revision: *revision,
                    });
                }
            }
        }
        Ok(index)
    }

    /// The index as its file has it.
    pub fn write(&self) -> Result<String, RepositoryError> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|error| RepositoryError::Unreadable(error.to_string()))
    }

    /// Puts an archive of `charm` into `channel`; its revision. An archive that is there keeps its
    /// revision; another one gets the next, or `wanted`, which must be newer than all there are. A
    /// channel never goes back.
    pub fn publish(
        &mut self,
        charm: &str,
        channel: &str,
        release: Release,
        wanted: Option<u32>,
    ) -> Result<u32, RepositoryError> {
        check_name(charm).map_err(RepositoryError::Name)?;
        check_channel(channel)?;
        let none = Releases::default();
        let there = self.charms.get(charm).unwrap_or(&none);
        let revision = there.number(charm, &release, wanted)?;
        if let Some(&newest) = there.channels.get(channel)
            && newest > revision
        {
            return Err(RepositoryError::ChannelIsNewer {
                charm: charm.to_owned(),
                channel: channel.to_owned(),
                revision,
                newest,
            });
        }
        let releases = self.charms.entry(charm.to_owned()).or_default();
        releases.revisions.insert(revision, release);
        releases.channels.insert(channel.to_owned(), revision);
        Ok(revision)
    }

    /// Each charm by name, with its channels and the revision that each is at.
    pub fn charms(&self) -> impl Iterator<Item = (&str, Vec<(&str, u32, &Release)>)> {
        let known = self.charms.keys();
        known.filter_map(|name| Some((name.as_str(), self.channels(name).ok()?)))
    }

    fn releases(&self, charm: &str) -> Result<&Releases, RepositoryError> {
        self.charms
            .get(charm)
            .ok_or_else(|| RepositoryError::NoCharm {
                charm: charm.to_owned(),
                hint: suggestion(charm, self.charms.keys().map(String::as_str)),
            })
    }

    /// The channels of a charm by their names, each with the revision that it is at.
    ///
    /// # Errors
    /// No such charm; the nearest name is told.
    pub fn channels(&self, charm: &str) -> Result<Vec<(&str, u32, &Release)>, RepositoryError> {
        let releases = self.releases(charm)?;
        let channels = releases.channels.iter().filter_map(|(channel, revision)| {
            let release = releases.revisions.get(revision)?;
            Some((channel.as_str(), *revision, release))
        });
        Ok(channels.collect())
    }

    /// The revision that a channel of a charm is at.
    ///
    /// # Errors
    /// No such charm or channel; the nearest name is told.
    pub fn newest(&self, charm: &str, channel: &str) -> Result<(u32, &Release), RepositoryError> {
        let releases = self.releases(charm)?;
        let found = releases.channels.get(channel);
        found
            .and_then(|revision| Some((*revision, releases.revisions.get(revision)?)))
            .ok_or_else(|| RepositoryError::NoChannel {
                charm: charm.to_owned(),
                channel: channel.to_owned(),
                hint: suggestion(channel, releases.channels.keys().map(String::as_str)),
            })
    }

    /// The revision `wanted` of a charm, or the one that its channel is at. The channel has to exist either
    /// way, since an application follows it afterwards.
    ///
    /// # Errors
    /// No such charm, channel or revision; the nearest name, or the revisions that exist, are told.
    pub fn find(
        &self,
        charm: &str,
        channel: &str,
        wanted: Option<u32>,
    ) -> Result<(u32, &Release), RepositoryError> {
        let newest = self.newest(charm, channel)?;
        let Some(wanted) = wanted else {
            return Ok(newest);
        };
        let releases = self.releases(charm)?;
        let found = releases.revisions.get(&wanted);
        found
            .map(|release| (wanted, release))
            .ok_or_else(|| RepositoryError::NoRevision {
                charm: charm.to_owned(),
                revision: wanted,
                there: ranges(releases.revisions.keys().copied()),
            })
    }

    /// All revisions of a charm, older ones included, in ascending order.
    ///
    /// # Errors
    /// No such charm; the nearest name is told.
    pub fn revisions(&self, charm: &str) -> Result<Vec<u32>, RepositoryError> {
        let releases = self.releases(charm)?;
        Ok(releases.revisions.keys().copied().collect())
    }

    /// The revision of `charm` that is the archive `sha256`; none for an archive of elsewhere.
    #[must_use]
    pub fn revision_of(&self, charm: &str, sha256: &str) -> Option<u32> {
        let sha256 = sha256.parse::<Digest>().ok()?;
        let mut revisions = self.charms.get(charm)?.revisions.iter();
        let found = revisions.find(|(_, release)| release.sha256 == sha256);
        found.map(|(revision, _)| *revision)
    }

    /// What an application with the archive `sha256` of `charm` could be refreshed to: where its channel
    /// is, unless the archive is that revision or a later one of the repository. Who has no `channel` is
    /// told of [`CHANNEL`], and only if the archive is from here.
    #[must_use]
    pub fn upgrade(&self, charm: &str, channel: Option<&str>, sha256: &str) -> Option<u32> {
        let releases = self.charms.get(charm)?;
        let newest = *releases.channels.get(channel.unwrap_or(CHANNEL))?;
        match self.revision_of(charm, sha256) {
            Some(own) => (own < newest).then_some(newest),
            None => channel.map(|_| newest),
        }
    }
}

/// Ascending numbers as people read them, `0-3, 7`; of many ranges only the last.
#[must_use]
pub fn ranges(numbers: impl Iterator<Item = u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let left_out = ranges.len().saturating_sub(RANGES);
    let older = (left_out > 0).then(|| "older ones".to_owned());
    let shown = ranges
        .iter()
        .skip(left_out)
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        });
    older
        .into_iter()
        .chain(shown)
        .collect::<Vec<_>>()
        .join(", ")
}

/// How a revision that the repository has is told apart from the model's own, `local:site-0`.
#[must_use]
pub fn shown(charm: &str, revision: u32) -> String {
    format!("repository:{charm}-{revision}")
}

/// Where a repository is, as the controller's option says it: nothing, an absolute path of a directory, or
/// an address over HTTP without a user, a query or a fragment.
pub(crate) fn is_place(text: &str) -> bool {
    let plain = |text: &str| !text.chars().any(|c| c.is_whitespace() || c.is_control());
    match text {
        "" => true,
        path if path.starts_with('/') => !path.chars().any(char::is_control),
        url => address(url).is_some_and(|rest| {
            let host = rest.split('/').next().unwrap_or_default();
            let port = host.rsplit_once(':').map(|(_, port)| port);
            let of_port = |port: &str| port.ends_with(']') || port.parse::<u16>().is_ok();
            plain(rest)
                && !rest.contains(['@', '?', '#'])
                && !host.starts_with(':')
                && !host.is_empty()
                && port.is_none_or(of_port)
        }),
    }
}

/// What follows the scheme of an address over HTTP; none where a directory is meant.
#[must_use]
pub fn address(text: &str) -> Option<&str> {
    text.strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
}

impl Releases {
    /// The revision that an archive has, or is to have.
    fn number(
        &self,
        charm: &str,
        release: &Release,
        wanted: Option<u32>,
    ) -> Result<u32, RepositoryError> {
        let same = self.revisions.iter().find(|(_, known)| *known == release);
        let newest = self.revisions.keys().next_back().copied();
        match (same, wanted, newest) {
            (Some((&found, _)), Some(revision), _) if revision != found => {
                Err(RepositoryError::OtherRevision {
                    charm: charm.to_owned(),
                    revision,
                    found,
                })
            }
            (Some((&found, _)), _, _) => Ok(found),
            (None, Some(revision), Some(newest)) if revision <= newest => {
                Err(RepositoryError::NotNewer {
                    charm: charm.to_owned(),
                    revision,
                    newest,
                })
            }
            (None, Some(revision), _) => Ok(revision),
            (None, None, None) => Ok(0),
            (None, None, Some(newest)) => {
                newest.checked_add(1).ok_or_else(|| RepositoryError::Full {
                    charm: charm.to_owned(),
                })
            }
        }
    }
}

/// Whether this can be a channel's name.
///
/// # Errors
/// It cannot.
pub fn check_channel(channel: &str) -> Result<(), RepositoryError> {
    let sound = channel.len() <= CHANNEL_BYTES
        && channel.starts_with(|c: char| c.is_ascii_alphabetic())
        && channel
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-./".contains(c));
    match sound {
        true => Ok(()),
        false => Err(RepositoryError::Channel(channel.to_owned())),
    }
}
