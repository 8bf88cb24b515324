//! What a subscriber wants to hear of.

/// A model, or all models, and the keys in it. Built by chaining:
/// `Interest::model(&uuid).key(namespace::UNIT, "site/0").all(namespace::CHARM)`.
#[derive(Clone, Debug)]
pub struct Interest {
    pub(super) model: Option<String>,
    pub(super) wants: Vec<Want>,
}

#[derive(Clone, Debug)]
pub(super) enum Want {
    Key(&'static str, String),
    All(&'static str),
    Everything,
}

impl Interest {
    /// Changes of one model.
    pub fn model(model: &(impl AsRef<str> + ?Sized)) -> Self {
        Self {
            model: Some(model.as_ref().to_owned()),
            wants: Vec::new(),
        }
    }

    /// Changes of whatever model.
    pub fn any_model() -> Self {
        Self {
            model: None,
            wants: Vec::new(),
        }
    }

    /// One key of a namespace.
    #[must_use]
    pub fn key(mut self, namespace: &'static str, key: impl ToString) -> Self {
        self.wants.push(Want::Key(namespace, key.to_string()));
        self
    }

    /// Several keys of a namespace.
    #[must_use]
    pub fn keys<K: ToString>(
        mut self,
        namespace: &'static str,
        keys: impl IntoIterator<Item = K>,
    ) -> Self {
        self.wants.extend(
            keys.into_iter()
                .map(|key| Want::Key(namespace, key.to_string())),
        );
        self
    }

    /// Every key of a namespace.
    #[must_use]
    pub fn all(mut self, namespace: &'static str) -> Self {
        self.wants.push(Want::All(namespace));
        self
    }

    /// Every key of every namespace.
    #[must_use]
    pub fn everything(mut self) -> Self {
        self.wants.push(Want::Everything);
        self
    }
}
