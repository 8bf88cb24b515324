//! The methods about backups.

use periapt_model::digest::Digester;
use periapt_wire::rest::{Backup, ListQuery, paths};
use reqwest::Method;

use super::shapes::each_part;
use super::{RestClient, RestError, body};

/// A backup takes as long as reading and writing everything takes.
const BACKUP: std::time::Duration = std::time::Duration::from_secs(3600);

impl RestClient {
    pub async fn backups(&self) -> Result<Vec<Backup>, RestError> {
        self.list(&paths::BACKUPS.at([]), &ListQuery::default())
            .await
    }

    /// Has the controller make a backup; the answer comes once it is there.
    pub async fn create_backup(&self) -> Result<Backup, RestError> {
        let path = paths::BACKUPS.at([]);
        let made = self.send(Method::POST, &path, |request| request.timeout(BACKUP));
        body(made.await?).await
    }

    /// Hands the bytes of a backup to `take`, in order.
    ///
    /// # Errors
    /// What the controller says, what `take` says as `Interrupted`, and `Unexpected` for bytes
    /// that are not the backup's.
    pub async fn download_backup(
        &self,
        backup: &Backup,
        mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<(), RestError> {
        let path = paths::BACKUP.at([&backup.id]);
        let answer = self.send(Method::GET, &path, |request| request.timeout(BACKUP));
        let mut digester = Digester::default();
        each_part(answer.await?, |part| {
            digester.update(part);
            take(part)
        })
        .await?;
        let found = digester.digest();
        match found == backup.sha256 {
            true => Ok(()),
            false => Err(RestError::Unexpected(format!(
                "backup {} should have the SHA-256 {} and has {found}",
                backup.id, backup.sha256
            ))),
        }
    }

    pub async fn remove_backup(&self, id: &str) -> Result<Backup, RestError> {
        self.remove(&paths::BACKUP.at([id])).await
    }
}
