//! Sums in normal play.

/// Drops equal parts of a sum in pairs: in normal play A + A has nimber 0, whatever A is. Leaves
/// the others sorted.
pub fn cancel<T: Ord>(parts: &mut Vec<T>) {
    if parts.len() < 2 {
        return;
    }
    parts.sort_unstable();
    let mut kept = 0;
    for i in 0..parts.len() {
        if kept > 0 && parts[kept - 1] == parts[i] {
            kept -= 1;
        } else {
            parts.swap(kept, i);
            kept += 1;
        }
    }
    parts.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::cancel;

    #[test]
    fn an_odd_number_of_equal_parts_leaves_one_and_an_even_number_none() {
        let cancelled = |parts: &[u8]| {
            let mut parts = parts.to_vec();
            cancel(&mut parts);
            parts
        };
        assert_eq!(cancelled(&[]), []);
        assert_eq!(cancelled(&[7]), [7]);
        assert_eq!(cancelled(&[7, 7]), []);
        assert_eq!(cancelled(&[3, 1, 3, 2, 3, 1]), [2, 3]);
        assert_eq!(cancelled(&[5, 1, 5, 5, 1, 5, 0]), [0]);
    }
}
