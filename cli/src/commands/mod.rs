//! One file per subcommand. Each has its arguments, its help with examples, and `run`.

pub mod canon;
pub mod children;
