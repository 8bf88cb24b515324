//! `ProxyUpdater`: proxies for the agents of the connection's model.

use periapt_model::proxy::ProxySettings;
use periapt_wire::agent::proxy_updater::GetProxyConfig;

use super::agent_host::api_host_ports;

handlers! { for periapt_wire::agent::proxy_updater:
    GetProxyConfig: |session, _| {
        let options = session.store().model_config(session.model()?).await?;
        let settings = ProxySettings::of(&options);
        Ok(settings.without(&api_host_ports(session).await?))
    };
}
