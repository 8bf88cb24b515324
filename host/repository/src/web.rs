//! A repository that a web server hands out.

use std::time::Duration;

use periapt_outbound::{Client, Failure, Method, StatusCode};

use crate::Fault;

/// Its address is shown beside it.
const SERVER: &str = "the server";

/// For a whole index, since somebody waits for it.
pub(super) const OF_INDEX: Duration = Duration::from_secs(20);

/// For a whole archive, however slowly it comes.
pub(super) const OF_ARCHIVE: Duration = Duration::from_secs(600);

pub(super) struct Web {
    http: Client,
    address: String,
}

impl Web {
    pub(super) fn new(address: &str) -> Result<Self, Fault> {
        let http = Client::new(SERVER, address, None, OF_ARCHIVE);
        let http = http.map_err(|failure| Fault::Unreadable {
            file: address.to_owned(),
            why: failure.to_string(),
        })?;
        Ok(Self {
            http,
            address: address.trim_end_matches('/').to_owned(),
        })
    }

    /// A file of at most so many bytes; none where there is none.
    pub(super) async fn get(
        &self,
        name: &str,
        most: u64,
        patience: Duration,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let file = format!("{}/{name}", self.address);
        let failed = |failure: Failure| match failure {
            Failure::TooMuch(_) => Fault::TooLarge {
                file: file.clone(),
                most,
            },
            failure => Fault::Unreadable {
                file: file.clone(),
                why: failure.to_string(),
            },
        };
        let request = self.http.request(Method::GET, &file).timeout(patience);
        let answer = self.http.send(request).await.map_err(failed)?;
        match answer.status() {
            StatusCode::OK => self.http.body(answer, most).await.map(Some).map_err(failed),
            StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
            status => Err(failed(Failure::refused(SERVER, status, ""))),
        }
    }
}
