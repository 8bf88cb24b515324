//! The suite every provider passes: what [`Provider`] promises, whatever an instance is.

use std::sync::Arc;

use crate::{InstanceId, InstanceState, Provider, ProviderError, StartInstance};

/// A request for `name` with some configuration.
pub fn request(name: &str) -> StartInstance {
    StartInstance {
        name: name.to_owned(),
        agent_config: b"{\"password\":\"hidden\"}".to_vec(),
    }
}

/// Runs an empty environment through the life of its instances. The environment is destroyed
/// afterwards.
pub async fn run(provider: Arc<dyn Provider>) {
    assert_eq!(provider.instances().await.unwrap(), []);
    assert_eq!(provider.agent_config().await.unwrap(), None);
    provider.check_credential().await.unwrap();

    let first = provider.start_instance(request("0")).await.unwrap();
    assert_eq!(
        (first.name.as_str(), first.state),
        ("0", InstanceState::Running)
    );
    assert!(!first.addresses.is_empty() && first.hardware.contains("arch="));
    let again = provider.start_instance(request("0")).await.unwrap();
    assert_eq!(again, first, "the same name is the same instance");
    let second = provider.start_instance(request("1")).await.unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(
        provider.instances().await.unwrap(),
        [first.clone(), second.clone()]
    );
    assert_eq!(
        provider.agent_config().await.unwrap(),
        Some(request("1").agent_config)
    );
    let next = b"{\"password\":\"hidden\",\"next\":true}".to_vec();
    provider
        .set_agent_config(next.clone(), false)
        .await
        .unwrap();
    assert_eq!(provider.agent_config().await.unwrap(), Some(next));
    let back = request("1").agent_config;
    provider.set_agent_config(back.clone(), true).await.unwrap();
    assert_eq!(provider.agent_config().await.unwrap(), Some(back));
    assert!(
        !format!("{:?}", request("0")).contains("hidden"),
        "a request shows no password"
    );
    assert!(!provider.describe().to_string().contains("hidden"));

    let bad = provider
        .start_instance(request("../../etc"))
        .await
        .unwrap_err();
    assert!(matches!(bad, ProviderError::InvalidName(_)), "{bad}");

    provider.stop_instance(&first.id).await.unwrap();
    provider.stop_instance(&first.id).await.unwrap();
    provider
        .stop_instance(&InstanceId::new("never-there"))
        .await
        .unwrap();
    assert_eq!(provider.instances().await.unwrap(), [second]);

    provider.destroy().await.unwrap();
    assert_eq!(provider.instances().await.unwrap(), []);
    assert_eq!(provider.agent_config().await.unwrap(), None);
    provider.destroy().await.unwrap();
}
