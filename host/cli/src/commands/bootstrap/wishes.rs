//! What a new controller is asked for with `--config` and `--model-default`. Names and values are checked before there
//! is a controller, since one that lacks what its operator asked for is not what they wanted.

use periapt_client::rest::RestClient;
use periapt_model::config::Values;
use periapt_model::options::{CONTROLLER, MODEL};
use periapt_wire::rest::{ChangeModelDefaults, ConfigChange};

use crate::commands::models::CONTROLLER_MODEL;
use crate::commands::settings;
use crate::failure::{Failure, Outcome};

#[derive(Debug, Default)]
pub struct Wishes {
    controller: Values,
    /// Of the model in which the controller keeps itself.
    own_model: Values,
    defaults: Values,
}

impl Wishes {
    pub fn read(config: &[String], defaults: &[String]) -> Outcome<Self> {
        let mut wishes = Self::default();
        for (name, value) in settings::from_words(config, "")? {
            if CONTROLLER.find(&name).is_ok() {
                CONTROLLER
                    .check(&name, &value)
                    .map_err(|error| unfit("--config", &error.to_string()))?;
                wishes.controller.insert(name, value);
            } else {
                MODEL
                    .check(&name, &value)
                    .map_err(|error| unfit("--config", &error.to_string()))?;
                wishes.own_model.insert(name, value);
            }
        }
        for (name, value) in settings::from_words(defaults, "")? {
            MODEL
                .check(&name, &value)
                .map_err(|error| unfit("--model-default", &error.to_string()))?;
            wishes.defaults.insert(name, value);
        }
        Ok(wishes)
    }

    pub async fn grant(self, client: &RestClient) -> Outcome {
        let change = |set: Values| ConfigChange {
            set,
            reset: Vec::new(),
        };
        if !self.controller.is_empty() {
            client
                .set_controller_config(&change(self.controller))
                .await?;
        }
        if !self.own_model.is_empty() {
            let change = change(self.own_model);
            client.set_model_config(CONTROLLER_MODEL, &change).await?;
        }
        if !self.defaults.is_empty() {
            let change = ChangeModelDefaults {
                cloud: None,
                region: None,
                set: self.defaults,
                reset: Vec::new(),
            };
            client.change_model_defaults(&change).await?;
        }
        Ok(())
    }
}

fn unfit(flag: &str, why: &str) -> Failure {
    Failure::usage(format!("{flag} cannot be used"))
        .why(why)
        .advice("periapt controller-config and periapt model-config list the options")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_go_to_the_controller_or_to_its_model() {
        let config = words("audit-log-max-backups=3 test-mode=true force-wait=2m");
        let wishes = Wishes::read(&config, &words("default-base=ubuntu@24.04")).unwrap();
        let names = |values: &Values| values.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&wishes.controller), ["audit-log-max-backups"]);
        assert_eq!(names(&wishes.own_model), ["force-wait", "test-mode"]);
        assert_eq!(names(&wishes.defaults), ["default-base"]);
        for (config, defaults) in [("nonsense=1", ""), ("force-wait=soon", ""), ("", "x=1")] {
            assert!(Wishes::read(&words(config), &words(defaults)).is_err());
        }
    }
}
