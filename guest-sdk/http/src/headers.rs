//! The fields of a head, in their order. Names are compared without regard to case.

/// Header fields. A value is bytes; nearly all are text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    fields: Vec<(String, Vec<u8>)>,
}

impl Headers {
    pub fn new() -> Self {
        Self::default()
    }

    /// The first value of this name, where it is text.
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().find(|(own, _)| same(own, name))?;
        std::str::from_utf8(value).ok()
    }

    /// Takes the place of all values of this name.
    pub fn set(&mut self, name: &str, value: impl AsRef<[u8]>) {
        self.fields.retain(|(own, _)| !same(own, name));
        self.append(name, value);
    }

    /// Adds a value to those that are there.
    pub fn append(&mut self, name: &str, value: impl AsRef<[u8]>) {
        self.fields
            .push((name.to_ascii_lowercase(), value.as_ref().to_owned()));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn from_fields(fields: Vec<(String, Vec<u8>)>) -> Self {
        Self { fields }
    }

    #[cfg(target_family = "wasm")]
    pub(crate) fn into_fields(self) -> Vec<(String, Vec<u8>)> {
        self.fields
    }
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}
