# Short names for the scripts; the commands stand there. `just` lists them.

[private]
default:
    @just --list --unsorted

# What every change must pass, or some of its steps: `just check format clippy`
check *steps:
    .ci/run {{ steps }}

# Every test, or those of a crate: `just test -p sprig-engine`
test *options:
    scripts/test {{ options }}

# The tables of the pages from bench/runs, and the reference from the code
pages:
    cargo run --release -p sprig-bench -- pages
    cargo run --release -p sprig -p sprig-proto -- reference docs/reference

# The book of the pages; `just book --serve` shows it
book *options:
    scripts/book {{ options }}

# Whatever reads bytes from outside, each target for some seconds: `just fuzz 60 notation`
fuzz *options:
    scripts/fuzz {{ options }}

# The oldest Rust that must do
test-msrv:
    scripts/test-msrv

# The archive of a release, with manual pages and completions
package *program:
    scripts/package {{ program }}

# Install, build, and prove who wins with 14 spots
demo:
    scripts/demo
