//! One file per subcommand. Each has its arguments, its help with examples, and `run`.

pub mod canon;
pub mod children;
#[cfg(feature = "coordinator")]
pub mod coordinator;
#[cfg(feature = "coordinator")]
pub mod nimber;
pub mod query;
#[cfg(feature = "coordinator")]
pub mod solve;
pub mod status;
pub mod submit;
pub mod worker;
