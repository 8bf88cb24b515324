use periapt_database::CHUNK;
use periapt_model::Digest;

use crate::Store;
use crate::testing::fixtures;

async fn chunks(store: &Store) -> u64 {
    let sql = "SELECT COUNT(*) FROM blob_chunk";
    let mut db = store.glance().await.unwrap();
    db.count(sql, vec![]).await.unwrap()
}

#[tokio::test]
async fn bytes_come_out_as_they_went_in_and_leave_nothing() {
    for fixture in fixtures().await {
        for size in [0, 1, CHUNK - 1, CHUNK, 3 * CHUNK + 7] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            let mut staging = fixture.store.stage();
            for part in bytes.chunks(100_000) {
                staging.push(part).await.unwrap();
            }
            assert_eq!(staging.size(), size as u64);
            assert_eq!(staging.digest(), Digest::of(&bytes));
            assert_eq!(staging.take().await.unwrap(), bytes);
            assert_eq!(chunks(&fixture.store).await, 0);
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_kept_is_there_by_its_digest_however_often_it_comes() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        for size in [0, 1, CHUNK, 2 * CHUNK + 7] {
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            let before = chunks(store).await;
            for _ in 0..2 {
                let mut staging = store.stage();
                for part in bytes.chunks(100_000) {
                    staging.push(part).await.unwrap();
                }
                let digest = staging.keep().await.unwrap();
                assert_eq!(digest, Digest::of(&bytes).to_string());
                assert_eq!(store.get_blob(&digest).await.unwrap().unwrap(), bytes);
            }
            let kept = size.div_ceil(CHUNK) as u64;
            assert_eq!(chunks(store).await - before, kept);
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_abandoned_upload_leaves_nothing() {
    for fixture in fixtures().await {
        let mut staging = fixture.store.stage();
        staging.push(&vec![7; 2 * CHUNK]).await.unwrap();
        assert_eq!(chunks(&fixture.store).await, 2);
        drop(staging);
        while chunks(&fixture.store).await > 0 {
            tokio::task::yield_now().await;
        }
        fixture.end().await;
    }
}
