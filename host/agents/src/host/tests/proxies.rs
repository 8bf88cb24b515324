//! proxyupdater: "when `juju-http-proxy` is set, then the next hook sees JUJU_CHARM_HTTP_PROXY …, with
//! API hosts in no-proxy".

use super::*;

fn variable(host: &Host, hook: &str, name: &str) -> Option<String> {
    let seen = host.sandbox.seen();
    let last = seen.iter().rev().find(|call| call.hook == hook)?;
    let mut variables = last.environment.iter();
    let (_, value) = variables.find(|(key, _)| key == name)?;
    Some(value.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_hook_sees_the_models_proxies_with_the_api_hosts_in_no_proxy() {
    let host = Host::new(false);
    let controller = &host.controller;
    let set =
        |key: &str, text: &str| controller.set_model_config(key, Value::Text(text.to_owned()));
    set("juju-http-proxy", "http://proxy.example:3128");
    controller.set_addresses(&["192.0.2.1:17070"]);
    controller.add_machine(&machine());
    controller.add_unit(&unit(0), &machine(), "local:site-0");
    let running = host.run();
    host.until("deployed", |controller| idle(controller, &unit(0)))
        .await;
    let proxy = variable(&host, "install", "JUJU_CHARM_HTTP_PROXY");
    assert_eq!(proxy.as_deref(), Some("http://proxy.example:3128"));
    let none = variable(&host, "install", "JUJU_CHARM_NO_PROXY").unwrap();
    assert!(none.split(',').any(|host| host == "192.0.2.1"), "{none}");
    assert_eq!(variable(&host, "install", "http_proxy"), None);

    // Another set, and a controller that is elsewhere: nothing restarts, and a hook that follows has them.
    set("juju-http-proxy", "");
    set("http-proxy", "http://other.example");
    controller.set_addresses(&["192.0.2.2:17070"]);
    let changed = async {
        for number in 0.. {
            controller.set_title(&unit(0), &format!("title {number}"));
            tokio::time::sleep(Duration::from_millis(20)).await;
            let none = variable(&host, "config-changed", "no_proxy").unwrap_or_default();
            if none.split(',').any(|host| host == "192.0.2.2") {
                return;
            }
        }
    };
    let changed = tokio::time::timeout(LIMIT, changed).await;
    assert!(changed.is_ok(), "hooks {:?}", host.sandbox.hooks());
    let proxy = variable(&host, "config-changed", "HTTP_PROXY");
    assert_eq!(proxy.as_deref(), Some("http://other.example"));
    let gone = variable(&host, "config-changed", "JUJU_CHARM_HTTP_PROXY");
    assert_eq!(gone, None);
    let installs = host
        .sandbox
        .hooks()
        .iter()
        .filter(|hook| *hook == "install")
        .count();
    assert_eq!(installs, 1);
    host.context.stopping.cancel();
    let ended = tokio::time::timeout(LIMIT, running).await.expect("stops");
    assert_eq!(ended.unwrap().unwrap(), ExitReason::Stopped);
}
