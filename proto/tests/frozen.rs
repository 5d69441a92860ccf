//! The promises of version 3 of the messages hold: a program that speaks it is understood by this
//! one.

use std::collections::BTreeMap;

use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorSet};

/// Everything that a message, enum or service promises, by its full name, in words that can be
/// compared.
type Promises = BTreeMap<String, String>;

fn promises(folder: &str) -> Promises {
    let root = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = ["workers", "clients"].map(|name| format!("sprig/v1/{name}.proto"));
    let set = protox::compile(files, [root]).expect("it compiles");
    of_files(&set)
}

fn of_files(set: &FileDescriptorSet) -> Promises {
    let mut promises = Promises::new();
    for file in &set.file {
        let package = file.package();
        for message in &file.message_type {
            of_message(&mut promises, package, message);
        }
        for choice in &file.enum_type {
            of_enum(&mut promises, package, choice);
        }
        for service in &file.service {
            for method in &service.method {
                let name = format!("{package}.{}.{}", service.name(), method.name());
                let stream = |is: bool| if is { "stream " } else { "" };
                let said = format!(
                    "{}{} -> {}{}",
                    stream(method.client_streaming()),
                    method.input_type(),
                    stream(method.server_streaming()),
                    method.output_type()
                );
                promises.insert(name, said);
            }
        }
    }
    promises
}

fn of_message(promises: &mut Promises, scope: &str, message: &DescriptorProto) {
    let name = format!("{scope}.{}", message.name());
    promises.insert(name.clone(), "message".into());
    for field in &message.field {
        let choice = field.oneof_index.filter(|_| !field.proto3_optional());
        let choice = choice.map(|index| message.oneof_decl[index as usize].name().to_owned());
        let said = format!(
            "{} {:?} {:?} {} in {choice:?}, optional: {}",
            field.name(),
            field.label(),
            field.r#type(),
            field.type_name(),
            field.proto3_optional(),
        );
        promises.insert(format!("{name}#{}", field.number()), said);
    }
    // A number or name that was taken back is not used again.
    for range in &message.reserved_range {
        for number in range.start()..range.end() {
            promises.insert(format!("{name}#{number}"), "reserved".into());
        }
    }
    message.nested_type.iter().for_each(|inner| of_message(promises, &name, inner));
    message.enum_type.iter().for_each(|inner| of_enum(promises, &name, inner));
}

fn of_enum(promises: &mut Promises, scope: &str, choice: &EnumDescriptorProto) {
    let name = format!("{scope}.{}", choice.name());
    for value in &choice.value {
        promises.insert(format!("{name}#{}", value.number()), value.name().to_owned());
    }
}

/// The promises of `frozen` that the messages of `now` break.
fn broken(frozen: &Promises, now: &Promises) -> Vec<String> {
    let differing = frozen.iter().filter(|(what, said)| now.get(*what) != Some(*said));
    differing.map(|(what, said)| format!("{what}: {said} -> {:?}", now.get(what))).collect()
}

#[test]
fn messages_that_were_published_stay_what_they_are() {
    let (frozen, now) = (promises("frozen/3"), promises("proto"));
    assert!(frozen.len() > 200, "{} promises", frozen.len());
    let broken = broken(&frozen, &now);
    assert!(
        broken.is_empty(),
        "an old peer would misunderstand this; if that must be, raise PROTOCOL_VERSION and \
         OLDEST_PROTOCOL, and freeze the new messages: {broken:#?}"
    );
}

#[test]
fn a_change_that_an_old_peer_would_misunderstand_is_found() {
    let now = promises("proto");
    for (what, said) in [
        ("sprig.v1.Goal#1", "another name"),
        ("sprig.v1.Goal#4", "a number given away"),
        ("sprig.v1.Play#1", "PLAY_MISERE"),
        ("sprig.v1.Clients.Submit", ".sprig.v1.Job -> .sprig.v1.Job"),
    ] {
        let mut changed = now.clone();
        assert!(changed.insert(what.into(), said.into()).is_some(), "{what} is promised");
        assert_eq!(broken(&now, &changed).len(), 1, "{what}");
        changed.remove(what);
        assert_eq!(broken(&now, &changed).len(), 1, "{what}");
        // New promises break nothing.
        assert_eq!(broken(&changed, &now), [""; 0], "{what}");
    }
}

#[test]
fn every_choice_has_a_zero_that_says_nothing() {
    let zeros = promises("proto");
    let zeros: Vec<_> = zeros
        .iter()
        .filter(|(what, said)| what.ends_with("#0") && !said.contains("LABEL"))
        .collect();
    assert!(zeros.len() >= 3, "{zeros:?}");
    for (what, said) in zeros {
        assert!(said.ends_with("_UNSPECIFIED"), "{what} is {said}");
    }
}
