//! Proxies for the agents of the connection's model.

use periapt_model::proxy::ProxySettings;

crate::facade! { "periapt.ProxyUpdater" 1 for AgentOfModel {
    /// The addresses of the controller are among those that are reached without one. It changes with the
    /// model's configuration and with these addresses, of which others tell.
    [Read] ProxyConfig as GetProxyConfig {} -> ProxySettings;
} }
