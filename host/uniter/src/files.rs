//! Work on files where waiting for a disk holds nobody up, and names that are safe in paths.

use std::path::{Component, Path};

use crate::error::UniterError;

/// Does `work` on a thread for blocking work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, UniterError> + Send + 'static,
) -> Result<T, UniterError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| UniterError::Thread(error.to_string()))?
}

/// Whether a name is one word of a path, and leads nowhere else.
pub(crate) fn is_word(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!(parts.next(), Some(Component::Normal(part)) if part == name)
}
