//! `grant` and `revoke`: of models with `read`, `write` and `admin`, of the controller with
//! `login` and `superuser`.

use periapt_wire::rest::{ControllerAccess, ModelPermission};

use crate::arguments::Access;
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::{Session, split};

/// What an access word and the models beside it mean together.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Controller(ControllerAccess),
    Models(ModelPermission, Vec<String>),
}

pub async fn grant(context: &Context, arguments: Access) -> Outcome {
    let wanted = wanted(&arguments)?;
    let session = Session::open(&context.files, &arguments.controller).await?;
    let (client, user) = (&session.client, &arguments.user);
    match wanted {
        Wanted::Controller(access) => {
            client.grant(user, access).await?;
        }
        Wanted::Models(access, models) => {
            for model in models {
                client.grant_model(&model, user, access).await?;
            }
        }
    }
    Ok(())
}

pub async fn revoke(context: &Context, arguments: Access) -> Outcome {
    let wanted = wanted(&arguments)?;
    let session = Session::open(&context.files, &arguments.controller).await?;
    let (client, user) = (&session.client, &arguments.user);
    match wanted {
        Wanted::Controller(access) => {
            client.revoke(user, access).await?;
        }
        Wanted::Models(access, models) => {
            for model in models {
                client.revoke_model(&model, user, access).await?;
            }
        }
    }
    Ok(())
}

fn wanted(arguments: &Access) -> Outcome<Wanted> {
    let word = arguments.access.as_str();
    if let Ok(access) = word.parse::<ControllerAccess>() {
        if arguments.models.is_empty() {
            return Ok(Wanted::Controller(access));
        }
        return Err(
            Failure::usage(format!("\"{word}\" is an access level of the controller"))
                .why("it does not apply to models, but models were named")
                .advice("name no model, or use read, write or admin"),
        );
    }
    let access = word.parse::<ModelPermission>().map_err(|_| {
        Failure::usage(format!("\"{word}\" is no access"))
            .why("models have read, write and admin; the controller has login and superuser")
            .advice("use one of these")
    })?;
    if arguments.models.is_empty() {
        return Err(
            Failure::usage(format!("\"{word}\" is an access level of models"))
                .why("no model was named")
                .advice(format!(
                    "periapt grant {} {word} MODEL, or use login or superuser",
                    arguments.user
                )),
        );
    }
    let models = arguments
        .models
        .iter()
        .map(|model| split(model).1.unwrap_or(model).to_owned())
        .collect();
    Ok(Wanted::Models(access, models))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::ControllerChoice;

    fn access(word: &str, models: &[&str]) -> Outcome<Wanted> {
        wanted(&Access {
            user: "bob".to_owned(),
            access: word.to_owned(),
            models: models.iter().map(|model| (*model).to_owned()).collect(),
            controller: ControllerChoice::default(),
        })
    }

    #[test]
    fn the_word_says_whether_models_must_be_named() {
        assert_eq!(
            access("superuser", &[]),
            Ok(Wanted::Controller(ControllerAccess::Superuser))
        );
        assert_eq!(
            access("write", &["demo", "admin/other"]),
            Ok(Wanted::Models(
                ModelPermission::Write,
                vec!["demo".to_owned(), "other".to_owned()]
            ))
        );
        for (word, models) in [
            ("superuser", &["demo"] as &[&str]),
            ("read", &[]),
            ("all", &[]),
        ] {
            assert!(access(word, models).is_err(), "{word}");
        }
    }
}
