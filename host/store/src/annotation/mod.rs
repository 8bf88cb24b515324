//! What people note of a model and of what is in it. A note goes with what it is about.
//!
//! Nothing else is made of it: agents do not hear of a note, and no version of a definition is raised. Whoever
//! follows events hears that the entity changed.

use periapt_model::annotation::{check, entity};
use periapt_model::bounds::ANNOTATIONS;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Refusal, Tag};
use periapt_wire::rest::{AnnotationQuery, EntityAnnotations, Page, SetAnnotations};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, word};
use crate::error::StoreError;
use crate::page::Paging;
use crate::tables::{Table, tables};
use crate::{Result, Store, application, require_model, unit};

#[cfg(test)]
mod tests;

pub(crate) const TABLES: &[Table] = tables! {
    "annotation",
        Application "entity = 'application-' || $2",
        Unit "entity = 'unit-' || REPLACE($2, '/', '-')",
        Machine "entity = 'machine-' || REPLACE($2, '/', '-')";
};

columns! {
    struct Annotation {
        entity: Tag = "entity" as word,
        key: String = "key",
        value: String = "value",
    }
    const OF_ENTITY = "FROM annotation WHERE model_uuid = $1 AND entity = $2 ORDER BY key";
    /// Of so many entities after one.
    const OF_MODEL = "FROM annotation WHERE model_uuid = $1 AND entity IN (
            SELECT DISTINCT entity FROM annotation WHERE model_uuid = $1 AND entity > $2
            ORDER BY entity LIMIT $3)
        ORDER BY entity, key";
}

impl Store {
    /// What is noted of one entity, or a page of all of which something is noted, by tag.
    pub async fn annotations(
        &self,
        model: &ModelUuid,
        query: &AnnotationQuery,
    ) -> Result<Page<EntityAnnotations>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        if let Some(text) = &query.entity {
            let tag = entity(text)?;
            require(&mut db, model, &tag).await?;
            let items = vec![of_entity(&mut db, model, tag).await?];
            return Ok(Page { items, next: None });
        }
        let paging = Paging::of(query.limit)?;
        let after = query.after.as_deref().unwrap_or_default();
        let rows = db
            .all(OF_MODEL, params![model, after, paging.rows()])
            .await?;
        let mut items: Vec<EntityAnnotations> = Vec::new();
        for row in rows {
            match items.last_mut() {
                Some(last) if last.entity == row.entity => {
                    last.annotations.insert(row.key, row.value);
                }
                _ => items.push(EntityAnnotations {
                    entity: row.entity,
                    annotations: [(row.key, row.value)].into(),
                }),
            }
        }
        Ok(paging.page(items, |last| last.entity.to_string()))
    }

    /// Notes something of an entity, or forgets it; what is noted of it then.
    pub async fn set_annotations(
        &self,
        model: &ModelUuid,
        request: SetAnnotations,
    ) -> Result<EntityAnnotations> {
        let tag = match &request.entity {
            Some(text) => entity(text)?,
            None => Tag::Model(model.clone()),
        };
        for (key, value) in &request.set {
            check(key, value).map_err(|message| StoreError::Refused {
                refusal: Refusal::AnnotationInvalid,
                message,
            })?;
        }
        // Each is a statement of the writer.
        require_room(&tag, request.set.len())?;
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require(&mut tx.db, &model, &tag).await?;
                let mut changed = 0;
                for (key, value) in &request.set {
                    changed += put(tx, &model, &tag, key, value).await?;
                }
                if changed > 0 {
                    tx.touch(&model, namespace::ANNOTATION, tag.to_string());
                }
                let noted = of_entity(&mut tx.db, &model, tag).await?;
                require_room(&noted.entity, noted.annotations.len())?;
                Ok(noted)
            })
        })
        .await
    }
}

/// Writes one down, or forgets it; whether that changed anything.
async fn put(tx: &mut Tx, model: &ModelUuid, tag: &Tag, key: &str, value: &str) -> Result<u64> {
    let tag = tag.to_string();
    if value.is_empty() {
        let sql = "DELETE FROM annotation WHERE model_uuid = $1 AND entity = $2 AND key = $3";
        return Ok(tx.db.execute(sql, params![model, tag, key]).await?);
    }
    let sql = "INSERT INTO annotation (model_uuid, entity, key, value) VALUES ($1, $2, $3, $4)
        ON CONFLICT (model_uuid, entity, key) DO UPDATE SET value = excluded.value
        WHERE annotation.value <> excluded.value";
    Ok(tx.db.execute(sql, params![model, tag, key, value]).await?)
}

fn require_room(tag: &Tag, count: usize) -> Result<()> {
    if !ANNOTATIONS.exceeded_by(count) {
        return Ok(());
    }
    Err(StoreError::Refused {
        refusal: Refusal::AnnotationsExceeded,
        message: format!(
            "{tag} would have {count} annotations, more than the {} allowed",
            ANNOTATIONS.most
        ),
    })
}

/// Fails unless the model has such an entity.
async fn require(db: &mut Session, model: &ModelUuid, tag: &Tag) -> Result<()> {
    match tag {
        Tag::Model(uuid) if uuid == model => require_model(db, model).await.map(|_| ()),
        Tag::Model(other) => Err(StoreError::not_found(Subject::Model, other)),
        Tag::Application(name) => application::require(db, model, name).await,
        Tag::Unit(name) => unit::require(db, model, name).await,
        Tag::Machine(id) => {
            let sql = "SELECT 1 FROM machine WHERE model_uuid = $1 AND id = $2";
            match db.exists(sql, params![model, id]).await? {
                true => Ok(()),
                false => Err(StoreError::not_found(Subject::Machine, id)),
            }
        }
        Tag::Controller(_) | Tag::User(_) | Tag::Agent(..) => Err(StoreError::bad_request(
            format!("{tag} is no model, application, unit or machine"),
        )),
    }
}

async fn of_entity(db: &mut Session, model: &ModelUuid, tag: Tag) -> Result<EntityAnnotations> {
    let rows = db.all(OF_ENTITY, params![model, tag.to_string()]).await?;
    Ok(EntityAnnotations {
        entity: tag,
        annotations: rows.into_iter().map(|row| (row.key, row.value)).collect(),
    })
}
