//! Generates the wire types and services. Needs no `protoc`.

use prost_types::field_descriptor_proto::Type;

/// What is kept encoded.
const ENCODED: &str = ".sprig.v1.FactBatch.facts";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let files =
        ["workers", "clients", "followers", "copies"].map(|name| format!("sprig/v1/{name}.proto"));
    let mut descriptors = protox::compile(files, ["proto"])?;
    // A coordinator encodes each fact once, and tells it to hundreds of workers. On the wire a message
    // within another one is its bytes.
    let files = descriptors.file.iter_mut().flat_map(|file| &mut file.message_type);
    let batches = files.filter(|message| message.name() == "FactBatch");
    for facts in batches.flat_map(|message| &mut message.field).filter(|it| it.name() == "facts") {
        facts.set_type(Type::Bytes);
        facts.type_name = None;
    }
    tonic_prost_build::configure().bytes(ENCODED).compile_fds(descriptors)?;
    Ok(())
}
