use super::*;

fn of(values: &mut Values, left: &[Value], right: &[Value]) -> Value {
    values.of(left.to_vec(), right.to_vec()).expect("small")
}

fn integer(values: &mut Values, n: i32) -> Value {
    let mut value = Value::ZERO;
    for _ in 0..n.abs() {
        value = match n > 0 {
            true => of(values, &[value], &[]),
            false => of(values, &[], &[value]),
        };
    }
    value
}

fn text(values: &Values, value: Value) -> String {
    values.text(value, 200).expect("short")
}

#[test]
fn games_of_winning_ways_have_their_names() {
    let mut values = Values::default();
    let [minus, zero, one, two] = [-1, 0, 1, 2].map(|n| integer(&mut values, n));
    let half = of(&mut values, &[zero], &[one]);
    let star = of(&mut values, &[zero], &[zero]);
    let star_2 = of(&mut values, &[zero, star], &[zero, star]);
    let up = of(&mut values, &[zero], &[star]);
    let switch = of(&mut values, &[one], &[minus]);
    // {1 | } = 2; {-1 | 2} = 0; {0, 1 | } = 2: dominated; {1 | 1} = 1*.
    let same = of(&mut values, &[minus], &[two]);
    assert_eq!(same, zero);
    let many = of(&mut values, &[zero, one], &[]);
    assert_eq!(many, two);
    let one_star = of(&mut values, &[one], &[one]);
    for (value, name, class) in [
        (zero, "0", Class::Previous),
        (half, "1/2", Class::Left),
        (minus, "-1", Class::Right),
        (star, "*", Class::Next),
        (star_2, "*2", Class::Next),
        (one_star, "1*", Class::Left),
        (switch, "±1", Class::Next),
        (up, "{0 | *}", Class::Left),
    ] {
        assert_eq!(text(&values, value), name);
        assert_eq!(values.class(value), Ok(class), "{name}");
    }
    // {0 | up} is up + up + *; its move to 0 is reversible nowhere, and * + * = 0.
    let two_up_star = of(&mut values, &[zero], &[up]);
    let sum = values.sum(up, up).expect("small");
    assert_eq!(values.sum(sum, star), Ok(two_up_star));
    assert_eq!(values.sum(star, star), Ok(zero));
    assert_eq!(values.sum(half, half), Ok(one));
    assert_eq!(values.sum(switch, switch), Ok(zero));
}

#[test]
fn hot_games_have_a_temperature() {
    let mut values = Values::default();
    let [minus, zero, one, two, four] = [-1, 0, 1, 2, 4].map(|n| integer(&mut values, n));
    let heat = |values: &mut Values, value| {
        let Heat { mean, temperature } = values.heat(value).expect("small");
        (mean.to_string(), temperature.to_string())
    };
    let expect = |mean: &str, temperature: &str| (mean.to_owned(), temperature.to_owned());
    let star = of(&mut values, &[zero], &[zero]);
    let switch = of(&mut values, &[one], &[minus]);
    let wide = of(&mut values, &[four], &[one]);
    let half = of(&mut values, &[zero], &[one]);
    // {4 || 2 | -1}: the answer to Right's move is worth 3/2 to each, at temperature 3/2.
    let inner = of(&mut values, &[two], &[minus]);
    let outer = of(&mut values, &[four], &[inner]);
    assert_eq!(heat(&mut values, star), expect("0", "0"));
    assert_eq!(heat(&mut values, switch), expect("0", "1"));
    assert_eq!(heat(&mut values, wide), expect("5/2", "3/2"));
    assert_eq!(heat(&mut values, half), expect("1/2", "-1/2"));
    assert_eq!(heat(&mut values, one), expect("1", "-1"));
    // Left wall 4 - t; right wall: left wall of the inner game, 2 - t, and t: 2 up to t = 3/2,
    // then 1/2 + t. They meet at 7/4.
    assert_eq!(heat(&mut values, outer), expect("9/4", "7/4"));
    // A sum is as hot as its hottest part, and means add up.
    let sum = values.sum(switch, wide).expect("small");
    assert_eq!(heat(&mut values, sum), expect("5/2", "3/2"));
}
