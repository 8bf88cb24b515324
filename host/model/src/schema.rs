//! How names look in the description of the API: text with the pattern of their grammar.

/// Describes a type that is written as text.
macro_rules! text_schema {
    ($type:ty, $name:expr, $rule:expr, $pattern:expr, $example:expr) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some($rule))
                    .pattern(Some($pattern))
                    .examples([$example])
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    };
}
pub(crate) use text_schema;
