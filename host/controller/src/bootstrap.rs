//! Makes a controller: its directory, keys, store, first user and its own model. It starts
//! nothing. `controller.json` is written last, so a bootstrap that was cut short can be repeated.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use periapt_engine::SystemClock;
use periapt_model::hook::Limits;
use periapt_model::{ModelUuid, UserName};
use periapt_server::authority::Authority;
use periapt_store::{CONTROLLER_CLOUD, Store, StoreError, StoreOptions};
use periapt_wire::rest::AddModel;
use rand::Rng;

use crate::config::ControllerConfig;
use crate::{ControllerError, location, pki, private};

/// The first user.
pub const ADMIN: &str = "admin";

/// The model in which the controller itself would live.
pub const CONTROLLER_MODEL: &str = "controller";

/// How the controller is to be.
#[derive(Clone, Debug)]
pub struct BootstrapOptions {
    /// Made if it is not there.
    pub data_dir: PathBuf,
    pub name: String,
    pub address: IpAddr,
    /// Zero picks a free one, which then stays.
    pub port: u16,
    /// URL of a PostgreSQL database; none for SQLite in the data directory.
    pub database: Option<String>,
    /// None makes one up.
    pub admin_password: Option<String>,
    pub limits: Limits,
    /// Collector of traces, `http://host:4318`.
    pub otlp_endpoint: Option<String>,
}

/// What a client needs to know of a new controller.
#[derive(Clone, Debug)]
pub struct BootstrapResult {
    pub uuid: ModelUuid,
    pub name: String,
    /// `host:port`.
    pub api_endpoints: Vec<String>,
    pub ca_pem: String,
    pub cloud: String,
    pub admin_user: String,
    pub admin_password: String,
    pub controller_model: ModelUuid,
}

/// Makes the controller.
///
/// # Errors
/// A controller that is there or runs already, a directory of somebody else, a port that is taken,
/// files, the store.
pub async fn bootstrap(options: BootstrapOptions) -> Result<BootstrapResult, ControllerError> {
    let directory = &options.data_dir;
    private::claim(directory)?;
    let _lock = super::lock(directory)?;
    if ControllerConfig::path(directory).exists() {
        return Err(ControllerError::AlreadyThere(directory.clone()));
    }
    refuse_leftovers(directory)?;
    let port = free_port(options.address, options.port)?;

    let authority = Authority::generate(&options.name)?;
    pki::store(directory, &authority)?;

    let store = Store::open(store_options(directory, options.database.as_deref())).await?;
    let admin: UserName = ADMIN.parse().map_err(internal)?;
    let password = options
        .admin_password
        .clone()
        .unwrap_or_else(generated_password);
    let made = first_entities(&store, &admin, &password).await;
    store.close().await;
    let controller_model = made?;

    let config = ControllerConfig {
        uuid: random_uuid()?,
        name: options.name.clone(),
        address: options.address,
        port,
        controller_api_port: None,
        database: options.database.clone(),
        controller_model: controller_model.clone(),
        node: 0,
        agents_directory: None,
        limits: options.limits.clone(),
        slow_query_ms: 1000,
        otlp_endpoint: options.otlp_endpoint.clone(),
    };
    location::mark(directory)?;
    config.write(directory)?;
    private::close(directory)?;
    Ok(BootstrapResult {
        uuid: config.uuid.clone(),
        name: config.name.clone(),
        api_endpoints: vec![SocketAddr::new(config.reachable(), port).to_string()],
        ca_pem: authority.ca_pem().to_owned(),
        cloud: CONTROLLER_CLOUD.to_owned(),
        admin_user: ADMIN.to_owned(),
        admin_password: password,
        controller_model,
    })
}

/// A folder where agents of an earlier controller still are is not begun anew: they would be
/// taken for nobody's.
fn refuse_leftovers(directory: &Path) -> Result<(), ControllerError> {
    let agents = directory.join("agents");
    match std::fs::read_dir(&agents).map(|entries| entries.count()) {
        Ok(1..) => Err(ControllerError::LeftOver(agents)),
        _ => Ok(()),
    }
}

async fn first_entities(
    store: &Store,
    admin: &UserName,
    password: &str,
) -> Result<ModelUuid, ControllerError> {
    store.set_password(admin, password).await?;
    let model = AddModel::new(CONTROLLER_MODEL.parse().map_err(internal)?);
    match store.add_model(model, admin).await {
        Ok(model) => Ok(model.uuid),
        // Left by a bootstrap that was cut short.
        Err(StoreError::AlreadyExists { .. }) => {
            Ok(store.model_by_name_or_uuid(CONTROLLER_MODEL).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Where the controller in `directory` keeps its rows.
pub(super) fn store_options(directory: &Path, database: Option<&str>) -> StoreOptions {
    let clock = SystemClock::shared();
    match database {
        Some(url) => StoreOptions::postgres(url, clock),
        None => StoreOptions::sqlite(directory.join("controller.db"), clock),
    }
}

pub(super) fn free_port(address: IpAddr, port: u16) -> Result<u16, ControllerError> {
    let address = SocketAddr::new(address, port);
    TcpListener::bind(address)
        .and_then(|listener| listener.local_addr())
        .map(|bound| bound.port())
        .map_err(|source| ControllerError::Port { address, source })
}

/// 24 letters and digits from the operating system: about 142 bits.
#[expect(clippy::disallowed_methods, reason = "before there is an engine")]
fn generated_password() -> String {
    rand::rng()
        .sample_iter(rand::distr::Alphanumeric)
        .take(24)
        .map(char::from)
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "before there is an engine")]
fn random_uuid() -> Result<ModelUuid, ControllerError> {
    uuid::Uuid::new_v4().to_string().parse().map_err(internal)
}

fn internal(error: periapt_model::NameError) -> ControllerError {
    ControllerError::Internal(error.to_string())
}
