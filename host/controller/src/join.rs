//! Makes another process of a controller that is there: its directory, with the identity and the
//! keys of the first, on the same database. It starts nothing. `controller.json` is written last,
//! so that what was cut short can be repeated.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use periapt_model::ModelUuid;
use periapt_secrets::KEY_FILE;
use periapt_store::{Store, StoreError, StoreOptions};

use crate::bootstrap::{free_port, store_options};
use crate::config::ControllerConfig;
use crate::error::file;
use crate::{ControllerError, location, pki, private};

/// How the process is to be.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// Directory of a process of the controller. It may run.
    pub from: PathBuf,
    /// Made if it is not there. It may be that of a process that was removed.
    pub data_dir: PathBuf,
    pub address: IpAddr,
    /// Zero picks a free one, which then stays.
    pub port: u16,
}

/// What a client needs to know of it.
#[derive(Clone, Debug)]
pub struct JoinResult {
    pub uuid: ModelUuid,
    pub name: String,
    pub node: u32,
    /// `host:port` of this process.
    pub api_endpoint: String,
    pub ca_pem: String,
}

/// Makes the directory.
///
/// # Errors
/// No controller in `from`, one whose data are in a file or in a database that is not this
/// controller's, a directory that is taken, a port that is taken, files, the store.
pub async fn join(options: JoinOptions) -> Result<JoinResult, ControllerError> {
    let from = std::path::absolute(&options.from).map_err(file("find", &options.from))?;
    let first = ControllerConfig::read(&from)?;
    let Some(database) = first.database.clone() else {
        return Err(ControllerError::OneProcess(from));
    };
    let directory = &options.data_dir;
    private::claim(directory)?;
    let before = match ControllerConfig::path(directory).exists() {
        true => Some(ControllerConfig::read(directory)?),
        false => None,
    };
    if before
        .as_ref()
        .is_some_and(|known| known.uuid != first.uuid)
    {
        return Err(ControllerError::AlreadyThere(directory.clone()));
    }
    let _lock = super::lock(directory)?;
    let port = free_port(options.address, options.port)?;

    let store = Store::open(StoreOptions {
        existing: true,
        ..store_options(directory, Some(&database))
    })
    .await?;
    let numbered = async {
        match before {
            Some(before) if !is_removed(&store, before.node).await? => {
                Err(ControllerError::AlreadyThere(directory.clone()))
            }
            _ => number(&store, &first).await,
        }
    };
    let numbered = numbered.await;
    store.close().await;
    let node = numbered?;

    let authority = pki::load(&from)?;
    pki::store(directory, &authority)?;
    // After the number was taken: a key that replaces this one is handed on to this process as well.
    copy_keys(&from, directory)?;

    let config = ControllerConfig {
        node,
        address: options.address,
        port,
        agents_directory: Some(first.agents_directory(&from)),
        ..first
    };
    location::mark(directory)?;
    config.write(directory)?;
    Ok(JoinResult {
        uuid: config.uuid.clone(),
        name: config.name.clone(),
        node: config.node,
        api_endpoint: SocketAddr::new(config.reachable(), port).to_string(),
        ca_pem: authority.ca_pem().to_owned(),
    })
}

/// Takes the keys of secrets along. Where there are none yet, each process makes the same.
fn copy_keys(from: &Path, to: &Path) -> Result<(), ControllerError> {
    let path = from.join(KEY_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(file("read", &path)(error)),
    };
    let path = to.join(KEY_FILE);
    periapt_secrets::put(&path, &text).map_err(file("write", &path))
}

/// Whether the process of a directory was removed, so that another may take its place.
async fn is_removed(store: &Store, node: u32) -> Result<bool, ControllerError> {
    match store.require_controller_node(node).await {
        Err(StoreError::NodeRemoved { .. }) => Ok(true),
        known => Ok(known.map(|()| false)?),
    }
}

async fn number(store: &Store, first: &ControllerConfig) -> Result<u32, ControllerError> {
    if store.get_model(&first.controller_model).await?.is_none() {
        return Err(ControllerError::OtherDatabase);
    }
    Ok(store.add_controller_node().await?)
}
