//! Work on files where waiting for a disk holds nobody up.

use crate::error::UniterError;

/// Does `work` on a thread for blocking work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, UniterError> + Send + 'static,
) -> Result<T, UniterError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| UniterError::Thread(error.to_string()))?
}
