//! A misère certificate, mutated a thousand times: what is accepted is a proof.
//!
//! What is a proof is decided by the definition and the card procedure, with trees that are plain
//! sets, without the quick rules of `proof`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Cursor;

use crate::common::Random;
use sprig_certificate::{Claim, Header, Loss, Play, Reader, checksum};
use sprig_engine::Position;
use sprig_oracle::proof::alone;
use sprig_oracle::proof::misere::{Base, Checker, Losses};
use sprig_oracle::{Key, child_keys, key};

type Certificate = (Header, Vec<Loss>);

/// A certificate of seven spots on the trees of four, without its checksum: what a search on these
/// trees found.
const TEXT: &str = "\
sprig certificate 1
play misere
base 0*4
position 0*7
claim loss
facts 15
0*7
0*2.A|0*2.A+ABC|ABD|EC|ED
0*5+1
0*2.A|0*4.A
0*2.1aAa|0*3.A
0*2.A|ABC|BC+1+2AB|AB
0*4.2+1
0*2.A|ABC|BC+ABC|ABD|EC|ED
0.AB|0*3.AB
0*2.A|0*2.A+1
0*3.A|1aAa+1
0.AB|0*2.C|CAB
0*3.AB|2AB
0*2.2.A|1aAa+1
0*3.A|2A+1
";

/// Reads a text, to which its checksum is added.
fn read(text: &str) -> Option<Certificate> {
    let mut reader = Reader::open(Cursor::new(text.to_owned() + &checksum(text))).ok()?;
    let mut losses = Vec::new();
    while let Some(entry) = reader.next_entry().ok()? {
        losses.push(entry.text.parse().ok()?);
    }
    Some((reader.header().clone(), losses))
}

fn base_of(header: &Header) -> &Position {
    match &header.play {
        Play::Misere { base } => base,
        Play::Normal => panic!("no mutation makes it normal play that can be read"),
    }
}

/// The verdict of the quick rules. Bases are kept.
fn accepts((header, nodes): &Certificate, bases: &mut HashMap<Position, Base>) -> bool {
    let base = bases.entry(base_of(header).clone()).or_insert_with_key(|base| {
        Base::of(base, alone, |_, _| true).expect("no mutation makes the base too large")
    });
    let mut losses = Losses::new(base.clone());
    if nodes.iter().any(|node| losses.add(&node.lands, &node.sums).is_err()) {
        return false;
    }
    let checker = Checker::new(&losses);
    let follows = match header.claim {
        Claim::Win => checker.check_win(&header.position),
        Claim::Loss => checker.check_loss(&header.position),
        Claim::Nimber(_) => return false,
    };
    follows.is_ok() && (0..nodes.len()).all(|number| checker.check(number).is_ok())
}

/// Trees by number, each a set of such numbers.
type Tree = usize;

/// A sum: lands that are not in the base, and trees.
#[derive(Clone)]
struct Sum {
    lands: Vec<Key>,
    trees: Vec<Tree>,
}

/// The verdict by definition. Two sums are the same if they have the same lands and the trees have
/// the same sum.
#[derive(Default)]
struct Slow {
    trees: Vec<BTreeSet<Tree>>,
    numbers: BTreeMap<BTreeSet<Tree>, Tree>,
    sums: HashMap<(Tree, Tree), Tree>,
    options: HashMap<Key, BTreeSet<Key>>,
    base: HashMap<Key, Tree>,
    listed: BTreeSet<(Vec<Key>, Tree)>,
}

impl Slow {
    fn options(&mut self, position: &Key) -> BTreeSet<Key> {
        let options = self.options.entry(position.clone());
        options.or_insert_with(|| child_keys(position.position())).clone()
    }

    fn is_loss(&self, tree: Tree) -> bool {
        let options = &self.trees[tree];
        !options.is_empty() && options.iter().all(|&option| !self.is_loss(option))
    }

    /// A set of trees, with reversible moves left out as long as there are any.
    fn reduced(&mut self, set: BTreeSet<Tree>) -> Tree {
        let candidates: BTreeSet<Tree> =
            set.iter().flat_map(|&tree| self.trees[tree].clone()).collect();
        let reducer = candidates.into_iter().find(|&tree| {
            let kept = &self.trees[tree];
            kept.is_subset(&set)
                && set.difference(kept).all(|&other| self.trees[other].contains(&tree))
                && (!kept.is_empty() || set.iter().any(|&option| self.is_loss(option)))
        });
        reducer.unwrap_or_else(|| {
            let next = self.trees.len();
            let number = *self.numbers.entry(set.clone()).or_insert(next);
            if number == next {
                self.trees.push(set);
            }
            number
        })
    }

    fn add(&mut self, a: Tree, b: Tree) -> Tree {
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.sums.get(&pair) {
            return known;
        }
        let mut options = BTreeSet::new();
        for (moved, other) in [(a, b), (b, a)] {
            for option in self.trees[moved].clone() {
                options.insert(self.add(option, other));
            }
        }
        let sum = self.reduced(options);
        self.sums.insert(pair, sum);
        sum
    }

    fn added(&mut self, trees: &[Tree]) -> Tree {
        let zero = self.reduced(BTreeSet::new());
        trees.iter().fold(zero, |sum, &tree| self.add(sum, tree))
    }

    /// The tree of a position, by its whole game tree.
    fn tree(&mut self, position: &Key) -> Tree {
        if let Some(&known) = self.base.get(position) {
            return known;
        }
        let options = self.options(position);
        let trees = options.iter().map(|option| self.tree(option)).collect();
        let tree = self.reduced(trees);
        self.base.insert(position.clone(), tree);
        tree
    }

    fn sum(&self, position: &Key) -> Sum {
        let mut sum = Sum { lands: Vec::new(), trees: Vec::new() };
        for land in &position.position().0 {
            let land = key(&Position(vec![land.clone()]));
            match self.base.get(&land) {
                Some(&tree) => sum.trees.push(tree),
                None => sum.lands.push(land),
            }
        }
        sum
    }

    fn name(&mut self, sum: &Sum) -> (Vec<Key>, Tree) {
        let mut lands = sum.lands.clone();
        lands.sort();
        (lands, self.added(&sum.trees))
    }

    /// Whether a sum is lost, by the list, or by its trees if it has no lands.
    fn is_lost(&mut self, sum: &Sum) -> bool {
        let name = self.name(sum);
        self.listed.contains(&name) || name.0.is_empty() && self.is_loss(name.1)
    }

    fn moves(&mut self, sum: &Sum) -> Vec<Sum> {
        let mut moves = Vec::new();
        for (i, land) in sum.lands.iter().enumerate() {
            for option in self.options(land) {
                let mut next = self.sum(&option);
                next.lands.extend(sum.lands[..i].iter().chain(&sum.lands[i + 1..]).cloned());
                next.trees.extend(&sum.trees);
                moves.push(next);
            }
        }
        for (i, &tree) in sum.trees.iter().enumerate() {
            for option in self.trees[tree].clone() {
                let mut next = sum.clone();
                next.trees[i] = option;
                moves.push(next);
            }
        }
        moves
    }

    fn is_won(&mut self, sum: &Sum) -> bool {
        let (lands, tree) = self.name(sum);
        if lands.is_empty() && !self.is_loss(tree) {
            return true;
        }
        self.moves(sum).iter().any(|next| self.is_lost(next))
    }

    fn accepts(&mut self, (header, nodes): &Certificate) -> bool {
        self.base.clear();
        self.listed.clear();
        self.tree(&key(base_of(header)));
        let mut sums = Vec::new();
        for node in nodes {
            let mut sum = self.sum(&key(&node.lands));
            for added in &node.sums {
                let Sum { lands, trees } = self.sum(&key(added));
                if !lands.is_empty() {
                    return false;
                }
                sum.trees.push(self.added(&trees));
            }
            let name = self.name(&sum);
            self.listed.insert(name);
            sums.push(sum);
        }
        let position = self.sum(&key(&header.position));
        let follows = match header.claim {
            Claim::Win => self.is_won(&position),
            Claim::Loss => self.is_lost(&position),
            Claim::Nimber(_) => false,
        };
        follows
            && sums.iter().all(|sum| {
                let (lands, tree) = self.name(sum);
                if lands.is_empty() && self.is_loss(tree) {
                    return true;
                }
                let moves = self.moves(sum);
                !moves.is_empty() && moves.iter().all(|next| self.is_won(next))
            })
    }
}

/// One thing changed.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first = 6;
    let line = first + random.below(lines.len() - first);
    let mut facts = lines.len() - first;
    let mut spots: Vec<char> = lines[line].chars().collect();
    match random.below(10) {
        0 => {
            lines.remove(line);
            facts -= 1;
        }
        1 => {
            // Truncated, and made to look whole.
            lines.truncate(line);
            facts = lines.len() - first;
        }
        2 => lines.truncate(line),
        3 => {
            lines.push(lines[line].clone());
            facts += 1;
        }
        4 => lines.swap(line, first + random.below(facts)),
        5 => {
            // A letter or another spot swapped with one elsewhere in the node.
            let (i, j) = (random.below(spots.len()), random.below(spots.len()));
            spots.swap(i, j);
            lines[line] = String::from_iter(spots);
        }
        6 => {
            let i = random.below(spots.len());
            spots[i] = ['0', '1', '2', 'A', 'B', 'C', 'a', '.', '|', '+', ' '][random.below(11)];
            lines[line] = String::from_iter(spots);
        }
        7 => {
            spots.remove(random.below(spots.len()));
            lines[line] = String::from_iter(spots);
        }
        8 => {
            // Something added, alone or as a tree.
            let more = ["+22", "+0*2", " 22", " 0*2", " 0*3+0*2", "+0*2.A|2A"][random.below(6)];
            lines[line] += more;
        }
        _ => match random.below(3) {
            0 => {
                lines[2] = ["base 0*3", "base 0*2", "base !", "base 0*4.2"][random.below(4)].into()
            }
            1 => lines[3] = format!("position 0*{}", 2 + random.below(8)),
            _ => lines[4] = ["claim win", "claim loss", "claim nimber 1"][random.below(3)].into(),
        },
    }
    lines[5] = format!("facts {facts}");
    lines.join("\n") + "\n"
}

#[test]
fn a_thousand_mutated_misere_certificates() {
    let (mut slow, mut bases) = (Slow::default(), HashMap::new());
    let whole = read(TEXT).expect("it is whole");
    assert!(accepts(&whole, &mut bases) && slow.accepts(&whole));
    let (mut unreadable, mut refused, mut accepted) = (0, 0, 0);
    for seed in 0..1_000 {
        let mut random = Random(seed);
        let mut changed = std::iter::repeat_with(|| mutated(TEXT, &mut random));
        let mutated = changed.find(|changed| *changed != TEXT).expect("endless");
        let Some(certificate) = read(&mutated) else {
            unreadable += 1;
            continue;
        };
        if accepts(&certificate, &mut bases) {
            assert!(slow.accepts(&certificate), "seed {seed}:\n{mutated}");
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    println!("{unreadable} unreadable, {refused} refused, {accepted} still proofs");
    assert!(unreadable > 100 && refused > 400, "{unreadable} unreadable, {refused} refused");
}
