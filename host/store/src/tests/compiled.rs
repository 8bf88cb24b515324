//! Compiled charms that are damaged in the database.

use crate::DatabaseError;
use crate::StoreError;
use crate::db::params;
use crate::testing::{application, fixtures, form};

#[tokio::test]
async fn a_damaged_blob_is_never_handed_out_and_a_forgotten_compiled_form_is_pending_again() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(0).await;
        let info = store
            .application_charm(&model, &application("site"))
            .await
            .expect("charm");
        let compiled = vec![7_u8; 3 << 20];
        let digest = store.put_blob(compiled.clone().into()).await.expect("blob");
        store
            .put_compiled(&info.sha256, form("engine", &digest))
            .await
            .expect("compiled");
        // One byte of the second part.
        let mut part = vec![7_u8; 1 << 20];
        part[4711] = 8;
        let damaged = digest.clone();
        store
            .write_aside(move |tx| {
                Box::pin(async move {
                    let sql = "UPDATE blob_chunk SET data = $1 WHERE digest = $2 AND position = 1";
                    tx.db.execute(sql, params![part, damaged]).await?;
                    Ok(())
                })
            })
            .await
            .expect("damaged");
        let read = store.get_blob(&digest).await;
        assert!(
            matches!(
                read,
                Err(StoreError::Database(DatabaseError::Corrupt { .. }))
            ),
            "{read:?}"
        );

        store.forget_compiled(&digest).await.expect("forgotten");
        assert_eq!(store.get_blob(&digest).await.expect("read"), None);
        assert_eq!(
            store
                .pending_charms(&model, "engine")
                .await
                .expect("pending"),
            [application("site")]
        );
        // Compiling again mends it.
        assert_eq!(
            store.put_blob(compiled.clone().into()).await.expect("blob"),
            digest
        );
        store
            .put_compiled(&info.sha256, form("engine", &digest))
            .await
            .expect("compiled");
        assert_eq!(
            store.get_blob(&digest).await.expect("read").as_deref(),
            Some(compiled.as_slice())
        );
    }
}
