//! The account that bootstrap wrote, for tests and benches that ask the API themselves.

use anyhow::{Context, Result};
use periapt_client::rest::{Authorization, RestClient};
use periapt_client::websocket::ApiInfo;

use crate::Home;

/// A client logged in with the account that bootstrap wrote.
pub async fn client(home: &Home) -> Result<RestClient> {
    let (address, ca, token) = session(home).await?;
    Ok(RestClient::new(&[address], &ca)?.with(Authorization::Bearer(token)))
}

/// Address and CA of the controller, and a token for it.
pub async fn session(home: &Home) -> Result<(String, String, String)> {
    let (user, account) = account(home)?;
    let client = RestClient::new(&account.addresses, &account.ca_pem)?;
    let token = client.login(&user, &account.password).await?.1.token;
    let address = account.addresses.into_iter().next();
    Ok((address.context("no endpoint")?, account.ca_pem, token))
}

/// The account that bootstrap wrote, by its user's name.
pub fn account(home: &Home) -> Result<(String, ApiInfo)> {
    let read = |file: &str| -> Result<serde_json::Value> {
        let text = std::fs::read_to_string(home.path().join("client").join(file))?;
        Ok(serde_saphyr::from_str(&text)?)
    };
    let (controllers, accounts) = (read("controllers.yaml")?, read("accounts.yaml")?);
    let controller = &controllers["controllers"]["tester"];
    let account = &accounts["controllers"]["tester"];
    let word = |value: &serde_json::Value, what: &'static str| -> Result<String> {
        Ok(value.as_str().context(what)?.to_owned())
    };
    let user = word(&account["user"], "no user")?;
    let info = ApiInfo {
        addresses: vec![word(&controller["api-endpoints"][0], "no endpoint")?],
        ca_pem: word(&controller["ca-cert"], "no CA")?,
        model: None,
        tag: format!("user-{user}").parse()?,
        password: word(&account["password"], "no password")?,
    };
    Ok((user, info))
}
