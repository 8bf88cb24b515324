//! The shapes that requests have in common.

use periapt_wire::rest::{
    AnnotationQuery, HistoryEntry, IncidentQuery, ListQuery, MOST_ITEMS, Page, PageQuery,
    PayloadQuery, SecretQuery, StorageQuery,
};
use reqwest::{Method, RequestBuilder, Response};
use serde::Serialize;

use super::{ANSWER, RestClient, RestError, UPLOAD, chain};

/// Lines of a history when nothing is said, as `show-status-log` shows.
const LINES: u64 = 20;

/// The query of a list that is told page by page.
pub(super) trait Paged: Serialize {
    fn limit(&mut self) -> &mut Option<u64>;
    fn after(&mut self) -> &mut Option<String>;
}

macro_rules! paged {
    ($($query:ty),*) => {
        $(impl Paged for $query {
            fn limit(&mut self) -> &mut Option<u64> {
                &mut self.limit
            }

            fn after(&mut self) -> &mut Option<String> {
                &mut self.after
            }
        })*
    };
}

paged!(
    AnnotationQuery,
    IncidentQuery,
    ListQuery,
    PayloadQuery,
    SecretQuery,
    StorageQuery
);

impl RestClient {
    pub(super) async fn get<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
    ) -> Result<T, RestError> {
        self.json(Method::GET, path, |request| request).await
    }

    /// All items of a list, read page by page.
    pub(super) async fn list<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        query: &(impl Paged + Clone),
    ) -> Result<Vec<T>, RestError> {
        let mut query = query.clone();
        query.limit().get_or_insert(MOST_ITEMS);
        let mut items = Vec::new();
        loop {
            let asked = |request: RequestBuilder| request.query(&query);
            let page: Page<T> = self.json(Method::GET, path, asked).await?;
            items.extend(page.items);
            match page.next {
                Some(next) => *query.after() = Some(next),
                None => return Ok(items),
            }
        }
    }

    pub(super) async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + ?Sized),
    ) -> Result<T, RestError> {
        self.change(Method::POST, path, |request| {
            request.timeout(ANSWER).json(body)
        })
        .await
    }

    pub(super) async fn patch<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + ?Sized),
    ) -> Result<T, RestError> {
        self.change(Method::PATCH, path, |request| {
            request.timeout(ANSWER).json(body)
        })
        .await
    }

    pub(super) async fn delete<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        removing: Removing,
    ) -> Result<T, RestError> {
        self.change(Method::DELETE, path, |request| {
            removing.said_in(request.timeout(ANSWER))
        })
        .await
    }

    /// The last lines of a history, oldest first, read page by page.
    pub(super) async fn history(
        &self,
        path: &[&str],
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        let mut wanted = limit.unwrap_or(LINES);
        let mut query = PageQuery::default();
        let mut lines = Vec::new();
        while wanted > 0 {
            query.limit = Some(wanted.min(MOST_ITEMS));
            let asked = |request: RequestBuilder| request.query(&query);
            let page: Page<HistoryEntry> = self.json(Method::GET, path, asked).await?;
            wanted = wanted.saturating_sub(page.items.len() as u64);
            lines.extend(page.items);
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        lines.reverse();
        Ok(lines)
    }

    pub(super) async fn text(&self, path: &[&str]) -> Result<String, RestError> {
        let response = self
            .send(Method::GET, path, |request| request.timeout(ANSWER))
            .await?;
        response
            .text()
            .await
            .map_err(|error| RestError::Interrupted(chain(&error)))
    }
}

/// How something is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removing {
    /// Also what does not go by itself.
    pub force: bool,
    /// Bounds the wait of a forced removal; none leaves it to the model.
    pub timeout_ms: Option<u64>,
    /// Whether storage goes as well, with what is in it. Where nobody says so, it is kept; a model that has such
    /// is then not destroyed.
    pub destroy_storage: Option<bool>,
}

impl Removing {
    /// Without a word about storage.
    #[must_use]
    pub fn within(force: bool, timeout_ms: Option<u64>) -> Self {
        Self {
            force,
            timeout_ms,
            destroy_storage: None,
        }
    }

    fn said_in(self, mut request: RequestBuilder) -> RequestBuilder {
        if self.force {
            request = request.query(&[("force", "true")]);
        }
        if let Some(timeout) = self.timeout_ms {
            request = request.query(&[("timeout-ms", timeout)]);
        }
        if let Some(destroy) = self.destroy_storage {
            request = request.query(&[("destroy-storage", destroy)]);
        }
        request
    }
}

/// Hands the bytes of an answer to `take`, in order: each part in its own time, however long all of them take.
pub(super) async fn each_part(
    mut answer: Response,
    mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> Result<(), RestError> {
    loop {
        let part = tokio::time::timeout(UPLOAD, answer.chunk()).await;
        let part = part.map_err(|_| RestError::Interrupted("no more bytes came".to_owned()))?;
        match part.map_err(|error| RestError::Interrupted(chain(&error)))? {
            Some(part) => {
                take(&part).map_err(|error| RestError::Interrupted(error.to_string()))?;
            }
            None => return Ok(()),
        }
    }
}
