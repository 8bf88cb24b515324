//! Effects: what a hook asked for and what becomes true only when it is committed. They are values,
//! one type for each tool; words are made of them last, for people, and nothing is ever decided by
//! them.

/// What one tool changes when the hook is committed.
pub trait Effect {
    fn changes_nothing(&self) -> bool;

    /// Whether something in it is the leader's alone to change.
    fn needs_leadership(&self) -> bool {
        false
    }

    /// What it changes, for a person: names, never values, which may be secret.
    fn words(&self) -> Vec<String>;
}

/// A map of changes with a type of its own, which is read and made like the map.
macro_rules! changes {
    ($(#[$doc:meta])* $name:ident: $key:ty => $value:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(std::collections::BTreeMap<$key, $value>);

        impl std::ops::Deref for $name {
            type Target = std::collections::BTreeMap<$key, $value>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl FromIterator<($key, $value)> for $name {
            fn from_iter<I: IntoIterator<Item = ($key, $value)>>(changes: I) -> Self {
                Self(changes.into_iter().collect())
            }
        }

        impl<const N: usize> From<[($key, $value); N]> for $name {
            fn from(changes: [($key, $value); N]) -> Self {
                changes.into_iter().collect()
            }
        }

        impl IntoIterator for $name {
            type Item = ($key, $value);
            type IntoIter = std::collections::btree_map::IntoIter<$key, $value>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a> IntoIterator for &'a $name {
            type Item = (&'a $key, &'a $value);
            type IntoIter = std::collections::btree_map::Iter<'a, $key, $value>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.iter()
            }
        }
    };
}
pub(crate) use changes;

#[cfg(test)]
mod tests;
