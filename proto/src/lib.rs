//! The wire: protobuf messages, gRPC services and checked conversions.
