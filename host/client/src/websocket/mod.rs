//! The websocket connection of an agent or a person: dialled, logged in, watched over.
//!
//! A connection is good from the moment [`dial`] returns it until `broken` fires; it never
//! reconnects by itself. Whoever holds it (the api-caller worker, a command) decides what a lost
//! connection means.

mod link;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use periapt_engine::{Clock, SharedClock, SystemClock};
use periapt_model::{ModelUuid, Tag};
use periapt_wire::juju::admin::Login;
use periapt_wire::rpc::{Json, WATCHER_FACADE, WATCHER_NEXT, WATCHER_STOP};
use periapt_wire::{ApiConnection, CallError, Caller};
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_util::sync::CancellationToken;

use crate::rest::{Authorization, RestClient, RestError};
use crate::tls::{self, TrustError};
use link::Link;

/// How long one address may take to accept a connection.
const DIAL: Duration = Duration::from_secs(3);
/// How long TLS, the upgrade and the login may take together, once connected.
const LOGIN: Duration = Duration::from_secs(60);
/// The head start of each address over the next one.
const STAGGER: Duration = Duration::from_millis(200);
/// A quiet connection is asked for a sign of life this often, and given as long to answer.
const PING: Duration = Duration::from_secs(15);

/// Where the controller is and who is calling.
#[derive(Clone)]
pub struct ApiInfo {
    /// `HOST:PORT`, the best one first.
    pub addresses: Vec<String>,
    /// The only certificate authority trusted.
    pub ca_pem: String,
    /// The model to talk about; none for the controller as a whole.
    pub model: Option<ModelUuid>,
    pub tag: Tag,
    pub password: String,
}

impl fmt::Debug for ApiInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiInfo")
            .field("addresses", &self.addresses)
            .field("model", &self.model)
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}

/// Connects to the first address that answers and logs in.
///
/// `Disconnected` means that no address answered (or none in time), `Refused` that the controller
/// turned the login down.
pub async fn dial(info: ApiInfo) -> Result<ApiConnection, CallError> {
    dial_with(info, SystemClock::shared()).await
}

/// [`dial`] on a clock of the caller's choice.
pub async fn dial_with(info: ApiInfo, clock: SharedClock) -> Result<ApiConnection, CallError> {
    let config = Arc::new(tls::client_config(&info.ca_pem).map_err(unusable)?);
    let (address, stream) = first_to_answer(&info.addresses, &*clock).await?;
    let open = async {
        let socket = upgrade(&info, &address, stream, config).await?;
        let caller = WebsocketCaller::new(&info, address, socket, clock.clone());
        let connection = ApiConnection::new(Arc::new(caller.clone()));
        log_in(&info, &connection).await?;
        caller.link.keep_alive(PING);
        Ok(connection)
    };
    match periapt_engine::clock::timeout(&*clock, LOGIN, open).await {
        Some(outcome) => outcome,
        None => Err(CallError::Disconnected(format!(
            "the controller did not complete the login within {} s",
            LOGIN.as_secs()
        ))),
    }
}

/// Tries the addresses one after the other, each with a head start over the next.
async fn first_to_answer(
    addresses: &[String],
    clock: &dyn Clock,
) -> Result<(String, TcpStream), CallError> {
    let mut waiting = addresses.iter();
    let mut trying = FuturesUnordered::new();
    let mut failures = Vec::new();
    loop {
        if let Some(address) = waiting.next() {
            trying.push(connect(address, clock));
        } else if trying.is_empty() {
            break;
        }
        let more = waiting.len() > 0;
        tokio::select! {
            Some(outcome) = trying.next() => match outcome {
                Ok(answered) => return Ok(answered),
                Err(failure) => failures.push(failure),
            },
            () = clock.sleep(STAGGER), if more => {}
        }
    }
    if failures.is_empty() {
        return Err(unusable(TrustError::NoAddress));
    }
    Err(CallError::Disconnected(failures.join("; ")))
}

/// One address; the failure names it.
async fn connect(address: &str, clock: &dyn Clock) -> Result<(String, TcpStream), String> {
    let (host, port) = tls::split_address(address).map_err(|error| error.to_string())?;
    match periapt_engine::clock::timeout(clock, DIAL, TcpStream::connect((host, port))).await {
        Some(Ok(stream)) => {
            // Calls are small and waited for.
            let _ = stream.set_nodelay(true);
            Ok((address.to_owned(), stream))
        }
        Some(Err(error)) => Err(format!("{address}: {error}")),
        None => Err(format!("{address}: no answer within {} s", DIAL.as_secs())),
    }
}

type Socket = WebSocketStream<TlsStream<TcpStream>>;

async fn upgrade(
    info: &ApiInfo,
    address: &str,
    stream: TcpStream,
    config: Arc<ClientConfig>,
) -> Result<Socket, CallError> {
    let lost = |error: &dyn fmt::Display| CallError::Disconnected(format!("{address}: {error}"));
    let name = tls::server_name().map_err(unusable)?;
    let stream = TlsConnector::from(config)
        .connect(name, stream)
        .await
        .map_err(|error| lost(&error))?;
    let path = match &info.model {
        Some(model) => format!("/model/{model}/api"),
        None => "/api".to_owned(),
    };
    let (_, port) = tls::split_address(address).map_err(unusable)?;
    let url = format!("wss://{}:{port}{path}", tls::SERVER_NAME);
    // An agent process holds one connection for years; small buffers suffice.
    let settings = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(16 << 10);
    let (socket, _) = tokio_tungstenite::client_async_with_config(url, stream, Some(settings))
        .await
        .map_err(|error| lost(&error))?;
    Ok(socket)
}

async fn log_in(info: &ApiInfo, connection: &ApiConnection) -> Result<(), CallError> {
    let login = Login {
        auth_tag: Some(info.tag.to_string()),
        credentials: Some(info.password.clone()),
        client_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    };
    let answer = connection.call(&login).await?;
    let expected = info.model.clone().map(Tag::Model);
    if answer.model_tag != expected {
        let text = |tag: &Option<Tag>| tag.as_ref().map_or("no model".to_owned(), Tag::to_string);
        return Err(CallError::Unexpected(format!(
            "asked for {}, the controller answered for {}",
            text(&expected),
            text(&answer.model_tag)
        )));
    }
    Ok(())
}

fn unusable(error: TrustError) -> CallError {
    CallError::Refused {
        code: error.code().to_owned(),
        message: error.to_string(),
    }
}

/// The link, and what is needed for blobs, which travel beside it over HTTPS.
#[derive(Clone)]
struct WebsocketCaller {
    link: Arc<Link>,
    blobs: Arc<Blobs>,
    /// Closes the link with the last clone.
    _closing: Arc<Closing>,
}

struct Blobs {
    info: ApiInfo,
    address: String,
    client: OnceLock<RestClient>,
}

struct Closing(Arc<Link>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.lose("closed by this side");
    }
}

impl WebsocketCaller {
    fn new(info: &ApiInfo, address: String, socket: Socket, clock: SharedClock) -> Self {
        let link = Link::start(socket, clock);
        Self {
            blobs: Arc::new(Blobs {
                info: info.clone(),
                address,
                client: OnceLock::new(),
            }),
            _closing: Arc::new(Closing(link.clone())),
            link,
        }
    }
}

#[async_trait]
impl Caller for WebsocketCaller {
    async fn request(
        &self,
        facade: &str,
        version: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Result<Json, CallError> {
        match (facade, method, id) {
            (WATCHER_FACADE, WATCHER_NEXT, Some(watcher)) => {
                self.link.next_event(version, watcher).await
            }
            (WATCHER_FACADE, WATCHER_STOP, Some(watcher)) => {
                self.link.forget_watcher(&watcher);
                self.link
                    .call(facade, version, method, Some(watcher), params)
                    .await
            }
            (_, _, id) => self.link.call(facade, version, method, id, params).await,
        }
    }

    async fn blob(&self, digest: &str) -> Result<Bytes, CallError> {
        let Blobs {
            info,
            address,
            client,
        } = &*self.blobs;
        let Some(model) = &info.model else {
            return Err(CallError::Unexpected(
                "blobs belong to models, and this connection has none".to_owned(),
            ));
        };
        let client = match client.get() {
            Some(client) => client,
            None => {
                let made = RestClient::new(std::slice::from_ref(address), &info.ca_pem)
                    .map_err(call_error)?
                    .with(Authorization::Basic {
                        user: info.tag.to_string(),
                        password: info.password.clone(),
                    });
                client.get_or_init(|| made)
            }
        };
        client
            .blob(model.as_str(), digest)
            .await
            .map_err(call_error)
    }

    fn broken(&self) -> CancellationToken {
        self.link.broken()
    }
}

fn call_error(error: RestError) -> CallError {
    match error {
        RestError::Problem(problem) => CallError::Refused {
            message: problem.to_string(),
            code: problem.code,
        },
        RestError::Trust(error) => unusable(error),
        RestError::Unreachable { .. } | RestError::Interrupted(_) => {
            CallError::Disconnected(error.to_string())
        }
        RestError::Unexpected(text) => CallError::Unexpected(text),
    }
}
