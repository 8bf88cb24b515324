//! Traces of API calls and hooks, sent to an OpenTelemetry collector that the operator names.
