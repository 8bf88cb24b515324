//! All requests of a connection, whoever accepted it.

use std::convert::Infallible;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Service, trace};

/// hyper reads into no smaller buffer.
const SMALLEST_BUFFER: usize = 8 << 10;

impl Service {
    /// Answers the requests of a stream one after the other, until it is closed, says nothing for too
    /// long, or an answer had to be cut off. HTTP/1.1. Whoever sends them says which are traced.
    pub async fn serve_connection<S>(&self, stream: S) -> Result<(), hyper::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let limits = self.limits();
        let head = limits.header_bytes as usize;
        let answer = service_fn(|mut request| async {
            trace::take(&mut request);
            Ok::<_, Infallible>(self.answer(request).await)
        });
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head_wait)
            .max_headers(limits.header_count as usize)
            // Of the whole head; a buffer may turn out larger than it was asked to be.
            .max_header_size(head)
            .max_buf_size(head.max(SMALLEST_BUFFER))
            .serve_connection(TokioIo::new(stream), answer)
            .await
    }
}
