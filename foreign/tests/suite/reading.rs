//! Which files can be read, and what is said of others.

use sprig_foreign::{ForeignError, Name, Reader, Record};

fn read(text: impl AsRef<[u8]>) -> Vec<Result<(u64, Record), ForeignError>> {
    Reader::new(text.as_ref()).collect()
}

/// The line, the column and the message of the first mistake.
fn mistake(text: impl AsRef<[u8]>) -> (u64, usize, String) {
    match read(text).into_iter().find_map(Result::err) {
        Some(ForeignError::Line { line, column, problem }) => (line, column, problem.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sections_follow_each_other() {
    let file = "\n[Position+Rct]\n0*2 3-1-L\r\n! 0\n\n[Rct+Rcts_children]\n3-1-L 2\n  4-2-W  0-0+1-L 3 3-1-L \n[Positions+Nimber]\n0*3 1\n[WinLoss_Misere:Losing_Position]\n0*4\n[Misere_Complex:Losing_Position+Rcts]\n0*8+0*7 1 3-1-L 3-1-L\n! 1";
    let records: Vec<_> = read(file).into_iter().map(|record| record.expect("sound")).collect();
    let lines: Vec<_> = records.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 4, 7, 8, 10, 12, 14, 15]);
    let Record::Tree { options, .. } = &records[3].1 else { panic!("{:?}", records[3]) };
    assert_eq!(options[..2], [Name::Heap(1), Name::Heap(3)]);
    let Record::Loss { position, one: true, rcts } = &records[6].1 else {
        panic!("{:?}", records[6])
    };
    assert_eq!((position.0.len(), rcts.len()), (2, 2));
    assert!(
        matches!(&records[7].1, Record::Loss { position, one: true, rcts } if position.0.is_empty() && rcts.is_empty())
    );
}

#[test]
fn the_first_line_tells_the_format() {
    let key = "5b1c2d3e4f5061728394a5b6c7d8e9f0";
    for file in [
        "[Positions+Nimber]\n0*3 1\n".to_owned(),
        "{\"land\":\"0*3\",\"nimber\":1}\n".to_owned(),
        "{ \"nimber\": 1, \"land\": \"0.0.0.}]!\" }".to_owned(),
        "land,nimber\n0*3,1\n".to_owned(),
        "land,nimber\r\n\"0*3\",\"1\"\r\n".to_owned(),
    ] {
        let records = read(&file);
        assert!(
            matches!(&records[..], [Ok((_, Record::Nimber { nimber, .. }))] if nimber.get() == 1),
            "{file}: {records:?}"
        );
    }
    for file in [
        format!("rct,options\n{key},{key} {key}\n"),
        format!("{{\"rct\":\"{key}\",\"options\":[\"{key}\",\"{key}\"]}}"),
    ] {
        let records = read(&file);
        assert!(
            matches!(&records[..], [Ok((_, Record::Tree { options, .. }))] if options.len() == 2),
            "{records:?}"
        );
    }
    for file in [
        format!("loss,one,rcts\n0*8,1,{key}\n"),
        format!("{{\"loss\":\"0*8\",\"one\":true,\"rcts\":[\"{key}\"]}}"),
    ] {
        let records = read(&file);
        assert!(
            matches!(&records[..], [Ok((_, Record::Loss { one: true, rcts, .. }))] if rcts.len() == 1),
            "{records:?}"
        );
    }
    let records = read("loss,one,rcts\n0*8,0,\n");
    assert!(
        matches!(&records[..], [Ok((_, Record::Loss { one: false, rcts, .. }))] if rcts.is_empty()),
        "{records:?}"
    );
    assert!(read("").is_empty());
}

#[test]
fn mistakes_name_their_place() {
    for (file, line, column, message) in [
        ("0*3 1\n", 1, 1, "no header"),
        ("[Positions]\n", 1, 1, "unknown header `[Positions]`"),
        ("\n\n[Positions+Nimber]\n0*3 1\n[Sums]\n", 5, 1, "unknown header `[Sums]`"),
        ("[Positions+Nimber]\n0*3 1\n0*x 1\n", 3, 2, "`*` must stand between"),
        ("[Positions+Nimber]\n 0*2.AB|A 1\n", 2, 7, "letter `B` occurs once"),
        ("[Positions+Nimber]\n0*3\n", 2, 4, "the line ends where a nimber should follow"),
        ("[Positions+Nimber]\n0*3 x\n", 2, 5, "`x` is no nimber"),
        ("[Positions+Nimber]\n0*3 64\n", 2, 5, "`64` is no nimber"),
        ("[Positions+Nimber]\n0*3 +1\n", 2, 5, "`+1` is no nimber"),
        ("[Positions+Nimber]\n0*3 1 2\n", 2, 7, "unexpected `2`"),
        ("[Positions+Nimber]\n0*3 1\n\u{e9} 1\n", 3, 1, "unexpected character"),
        ("[WinLoss_Misere:Losing_Position]\n0*2 0\n", 2, 5, "unexpected `0`"),
        ("[Position+Rct]\n0*2 3-1\n", 2, 5, "`3-1` names no RCT"),
        ("[Rct+Rcts_children]\n3-1-L 2 x\n", 2, 9, "`x` names no RCT"),
        ("[Misere_Complex:Losing_Position+Rcts]\n0*8 2\n", 2, 5, "`2` is neither 0 nor 1"),
        ("land,nimber\n0*3,1,2\n", 2, 7, "unexpected `2`"),
        ("land,nimber\n0*3\n", 2, 4, "a nimber should follow"),
        ("land,rct\n0*2,3-1-L\n", 2, 5, "32 hexadecimal digits"),
        ("rct,options\n5b1c2d3e4f5061728394a5b6c7d8e9f0,2\n", 2, 34, "`2` names no RCT"),
        ("land,nimbers\n", 1, 1, "no header"),
        ("{\"land\":\"0*3\",\"nimber\":1\n", 1, 24, "the line is not JSON"),
        ("{\"land\":\"0*3\",\"nimber\":64}\n", 1, 24, "`64` is no nimber"),
        ("{\"land\":\"0*3\",\"number\":1}\n", 1, 1, "make no fact"),
        ("{\"land\":\"0*x\",\"nimber\":1}\n", 1, 11, "`*` must stand"),
        ("{\"land\":\"0*3\",\"nimber\":1}\n[Positions+Nimber]\n", 2, 2, "is not JSON"),
    ] {
        let (at_line, at_column, said) = mistake(file);
        assert_eq!((at_line, at_column), (line, column), "{file:?}: {said}");
        assert!(said.contains(message), "{file:?}: {said}");
        assert!(!said.contains('\n'), "{said:?}");
    }
    let (line, column, said) = mistake(b"[Positions+Nimber]\n0*3\xff 1\n");
    assert_eq!((line, column), (2, 4), "{said}");
}

#[test]
fn a_file_without_lines_is_refused_before_it_fills_memory() {
    let (line, _, said) = mistake(vec![b'0'; 20 << 20]);
    assert_eq!(line, 1);
    assert!(said.contains("longer than 16 MiB"), "{said}");
}

#[test]
fn after_a_bad_line_reading_goes_on() {
    let records = read("[Positions+Nimber]\n0*3 x\n0*3 1\n");
    assert!(matches!(&records[..], [Err(_), Ok((3, _))]), "{records:?}");
}
