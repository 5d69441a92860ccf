//! Certificates, which anybody may hand out: nothing makes their reader panic, in either form, nor the reading of the facts
//! on their lines.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use sprig_certificate::Reader;
use sprig_domain::Node;

fuzz_target!(|bytes: &[u8]| {
    // The bytes of a node, as the database and the wire hold it.
    if let Ok(node) = Node::decode(bytes) {
        assert_eq!(Node::decode(&node.encode()), Ok(node));
    }
    let Ok(mut reader) = Reader::open(Cursor::new(bytes.to_vec())) else { return };
    while let Ok(Some(entry)) = reader.next_entry() {
        assert!(!entry.text.contains('\n'), "an entry is a line");
    }
});
