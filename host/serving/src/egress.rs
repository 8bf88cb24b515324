//! What a workload sends: to the authorities that it was granted, over connections that somebody else makes.
//!
//! The address of the request decides, and never a header: a guest that hands on what it was asked with
//! cannot be talked into reaching something else.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use http_body_util::BodyExt;
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri::{PathAndQuery, Scheme};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use periapt_model::workload::trace::Context;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::Listener;
use crate::trace::Call;

/// What a guest wrote of an answer and nobody has taken yet: so many pieces, each of so many bytes at most. With one
/// piece at a time, each would wake a thread that passes it on and then one that writes the next.
const BODY_PIECES: usize = 16;
const BODY_PIECE_BYTES: usize = 64 << 10;

/// A connection to a destination.
pub trait Link: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Link for T {}

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Whether what is spoken over the connection is to be inside of TLS, which is the connector's to do.
    pub tls: bool,
    /// As it was granted, to the letter.
    pub authority: String,
}

/// Makes the connections of workloads. What a name resolves to, and whether that may be reached, is
/// decided here and at this moment.
#[async_trait]
pub trait Connector: Send + Sync {
    /// Whether this may be reached although it was not granted by name.
    fn grants(&self, _: &Destination) -> bool {
        false
    }

    /// A connection on which HTTP/1.1 can be spoken.
    async fn connect(&self, to: &Destination) -> io::Result<Box<dyn Link>>;
}

/// For workloads that send nothing.
pub struct NoNetwork;

#[async_trait]
impl Connector for NoNetwork {
    async fn connect(&self, to: &Destination) -> io::Result<Box<dyn Link>> {
        let refused = format!("{} cannot be reached from here", to.authority);
        Err(io::Error::new(io::ErrorKind::ConnectionRefused, refused))
    }
}

/// The outgoing requests of one incoming one.
pub(crate) struct Egress {
    pub(crate) granted: Arc<[String]>,
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) room: Arc<Semaphore>,
    /// The span of the incoming one, where it is traced, and who hears of what is part of it.
    pub(crate) trace: Option<Context>,
    pub(crate) listener: Arc<dyn Listener>,
}

type Ending = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Sent = Result<(Response<WasiBody>, Ending), Error>;

impl WasiHttpHooks for Egress {
    /// A guest cannot name the host beside the address.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn p2_outgoing_body_buffer_chunks(&mut self) -> usize {
        BODY_PIECES
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        BODY_PIECE_BYTES
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _response_ended: Ending,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let destination = destination(&self.granted, self.connector.as_ref(), &request);
        let (connector, room) = (self.connector.clone(), self.room.clone());
        let (mut head, body) = request.into_parts();
        let call = destination.as_ref().ok().and_then(|to| {
            let (own, listener) = (self.trace, &self.listener);
            Call::begin(own, listener, &mut head, &to.authority)
        });
        let request = Request::from_parts(head, body);
        Box::new(async move {
            let mut call = call;
            let destination = destination?;
            // Whoever asks for too many is told at once: a wait would hold up its own request.
            let place = room
                .try_acquire_owned()
                .map_err(|_| Error::ConnectionLimitReached)?;
            let options = options.unwrap_or_default();
            let connecting = connector.connect(&destination);
            let link = match options.connect_timeout {
                Some(most) => tokio::time::timeout(most, connecting)
                    .await
                    .map_err(|_| Error::ConnectionTimeout)?,
                None => connecting.await,
            };
            let link = TokioIo::new(link.map_err(Error::Connect)?);
            let (mut sender, connection) = hyper::client::conn::http1::handshake(link).await?;
            // Both go on together; the connection ends with the answer's body, or with the guest.
            let connection = wasmtime_wasi::runtime::spawn(connection);
            let sending = sender.send_request(addressed(request, &destination)?);
            let answer = match options.first_byte_timeout {
                Some(most) => tokio::time::timeout(most, sending)
                    .await
                    .map_err(|_| Error::ConnectionReadTimeout)?,
                None => sending.await,
            };
            let answer = answer?;
            if let Some(call) = &mut call {
                call.answered(answer.status());
            }
            let ending: Ending = Box::new(async move {
                let _place = (place, call);
                Ok(connection.await?)
            });
            Ok((
                answer.map(|body| body.map_err(Error::from).boxed_unsync()),
                ending,
            ))
        })
    }
}

/// Whether the request may go where its address says.
pub(crate) fn destination<B>(
    granted: &[String],
    connector: &dyn Connector,
    request: &Request<B>,
) -> Result<Destination, Error> {
    let uri = request.uri();
    let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
    let destination = Destination {
        tls: uri.scheme() == Some(&Scheme::HTTPS),
        authority: authority.as_str().to_owned(),
    };
    let named = granted.contains(&destination.authority);
    match (named || connector.grants(&destination)) && request.method() != Method::CONNECT {
        true => Ok(destination),
        false => Err(Error::HttpRequestDenied),
    }
}

/// As it goes over a connection: the path alone, and the host that was decided on.
fn addressed(mut request: Request<WasiBody>, to: &Destination) -> Result<Request<WasiBody>, Error> {
    let host = HeaderValue::from_str(&to.authority).map_err(|_| Error::HttpRequestUriInvalid)?;
    request.headers_mut().insert(HOST, host);
    let path = request.uri().path_and_query().cloned();
    *request.uri_mut() = Uri::from(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
    Ok(request)
}
