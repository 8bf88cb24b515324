//! `StorageProvisioner`: directories of storage, for whoever makes them and takes them back.

use periapt_store::{Interest, namespace};
use periapt_wire::agent::storage_provisioner::{
    ForgetStorage, GetStorageWork, SetStorageFailed, SetStorageProvisioned, WatchStorageWork,
};
use periapt_wire::rpc::Empty;

use super::watch;

handlers! { for periapt_wire::agent::storage_provisioner:
    WatchStorageWork: |session, _| {
        let model = session.model()?;
        let source = watch::keys(session, Interest::model(model).all(namespace::STORAGE));
        let ids = session.store().storage_ids(model).await?;
        session.watch(source, watch::texts(&ids))
    };
    GetStorageWork: |session, call| Ok(session.store().storage_work(session.model()?, &call.storages).await?);
    SetStorageProvisioned: |session, call| {
        session.store().set_storage_provisioned(session.model()?, &call.storage, call.size).await?;
        Ok(Empty {})
    };
    SetStorageFailed: |session, call| {
        session.store().set_storage_failed(session.model()?, &call.storage, &call.failure).await?;
        Ok(Empty {})
    };
    ForgetStorage: |session, call| {
        session.store().forget_storage(session.model()?, &call.storage).await?;
        Ok(Empty {})
    };
}
