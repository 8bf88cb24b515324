//! How a facade is declared: once, with its versions, for whom it is, and for each call what it does to
//! the world and its shapes.
//!
//! Facades of our own (`agent`) have one version and members in kebab case, and say no more than that.
//! Those with Juju's names and shapes (`juju`) are served in the versions that clients ask for, so a call
//! may be in some of them only, be for others than the rest, and have members that are spelled otherwise.

#[cfg(test)]
mod tests;

/// Declares a facade, for whom it is, and its methods: `[Effect] Method as Type { fields } -> Reply`.
///
/// ```
/// use periapt_wire::{Call, access::{Effect, Visitor}, rpc::Empty};
///
/// periapt_wire::facade! { "periapt.Doors" 1 for Agents {
///     [Write] Open as OpenDoor { door: String } -> Empty;
/// } }
///
/// assert_eq!((OpenDoor::FACADE, OpenDoor::METHOD), ("periapt.Doors", "Open"));
/// assert_eq!((OpenDoor::VISITOR, OpenDoor::EFFECT), (Visitor::Agents, Effect::Write));
/// ```
///
/// A facade may have several versions. A call is in all of them, or in those after its `in`, and so one
/// method has another shape in another version. It is for whom the facade is, or for whom its own `for`
/// says. Members are spelled in kebab case, those of one call as its `#[names]` say, and a single one as
/// its `#[serde(rename)]` does.
///
/// ```
/// use periapt_wire::{Call, access::Visitor, rest::ModelPermission, rpc::Empty};
///
/// periapt_wire::facade! { "Doors" [6, 7] for Model(Read) {
///     [Read] List as ListDoors {} -> Vec<String>;
///     #[names("PascalCase")]
///     [Write] Open in 6 as OpenDoor6 for Model(Write) { door: String } -> Empty;
///     [Write] Open in 7 as OpenDoor for Model(Write) {
///         door: String,
///         #[serde(rename = "keyURL")]
///         key: String,
///     } -> Empty;
/// } }
///
/// assert_eq!((ListDoors::VERSIONS, OpenDoor6::VERSIONS), (&[6, 7][..], &[6][..]));
/// assert_eq!(OpenDoor::VISITOR, Visitor::Model(ModelPermission::Write));
/// ```
///
/// A call that does not say what it does to the world does not compile:
///
/// ```compile_fail
/// use periapt_wire::rpc::Empty;
///
/// periapt_wire::facade! { "periapt.Doors" 1 for Agents {
///     Open as OpenDoor { door: String } -> Empty;
/// } }
/// ```
///
/// Neither does one of a facade that does not say for whom it is:
///
/// ```compile_fail
/// use periapt_wire::rpc::Empty;
///
/// periapt_wire::facade! { "periapt.Doors" 1 {
///     [Write] Open as OpenDoor { door: String } -> Empty;
/// } }
/// ```
///
/// Nor one in a version that the facade does not have:
///
/// ```compile_fail
/// use periapt_wire::rpc::Empty;
///
/// periapt_wire::facade! { "Doors" [6, 7] for Agents {
///     [Write] Open in 8 as OpenDoor { door: String } -> Empty;
/// } }
/// ```
#[macro_export]
macro_rules! facade {
    ($facade:literal $versions:tt for $visitor:ident $(($permission:ident))? { $(
        $(#[doc = $doc:literal])*
        $(#[names($case:literal)])?
        [$effect:ident] $method:ident $(in $some:tt)? as $type:ident $(for $one:ident $(($ones:ident))?)?
        { $( $(#[$attribute:meta])* $field:ident : $field_type:ty ),* $(,)? } -> $reply:ty;
    )+ }) => {
        /// What a call has that says nothing else.
        const VERSIONS: &[u32] = $crate::facade!(@versions $versions);
        #[allow(dead_code, reason = "each call may say otherwise")]
        const VISITOR: $crate::access::Visitor = $crate::facade!(@visitor $visitor $($permission)?);
        $(
            $crate::facade! { @shape ($($case)?) $(#[doc = $doc])* $type {
                $( $(#[$attribute])* $field : $field_type ),*
            } }

            impl $crate::Call for $type {
                const PLACE: &'static str = module_path!();
                const FACADE: &'static str = $facade;
                const VERSIONS: &'static [u32] = $crate::facade!(@or VERSIONS $(versions $some)?);
                const METHOD: &'static str = stringify!($method);
                const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];
                const VISITOR: $crate::access::Visitor =
                    $crate::facade!(@or VISITOR $(visitor $one $($ones)?)?);
                const EFFECT: $crate::access::Effect = $crate::access::Effect::$effect;
                type Reply = $reply;
            }

            const _: () = assert!(
                $crate::facade::has(VERSIONS, <$type as $crate::Call>::VERSIONS),
                "a call is in a version that its facade does not have",
            );
        )+
        /// How many calls the facade has.
        pub const CALLS: usize = [$(stringify!($type)),+].len();
    };

    (@shape () $($shape:tt)+) => { $crate::facade! { @shape ("kebab-case") $($shape)+ } };
    (@shape ($case:literal) $(#[doc = $doc:literal])* $type:ident {
        $( $(#[$attribute:meta])* $field:ident : $field_type:ty ),*
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = $case)]
        pub struct $type { $( $(#[$attribute])* pub $field: $field_type ),* }
    };

    (@versions [$($version:literal),+]) => { &[$($version),+] };
    (@versions $version:literal) => { &[$version] };
    (@visitor $visitor:ident) => { $crate::access::Visitor::$visitor };
    (@visitor $visitor:ident $permission:ident) => {
        $crate::access::Visitor::$visitor($crate::rest::ModelPermission::$permission)
    };
    (@or $of_facade:ident) => { $of_facade };
    (@or $of_facade:ident versions $versions:tt) => { $crate::facade!(@versions $versions) };
    (@or $of_facade:ident visitor $($visitor:ident)+) => { $crate::facade!(@visitor $($visitor)+) };
}

/// Whether all versions of a call are its facade's.
#[must_use]
pub const fn has(facade: &[u32], call: &[u32]) -> bool {
    let mut at = 0;
    while at < call.len() {
        let mut other = 0;
        while other < facade.len() && facade[other] != call[at] {
            other += 1;
        }
        if other == facade.len() {
            return false;
        }
        at += 1;
    }
    !call.is_empty()
}
