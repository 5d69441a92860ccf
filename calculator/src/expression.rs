//! Trees as people write them, read: nested sets and sums, `{0;{2};{3;{2}}}+2`. Blanks may stand
//! anywhere but inside a number, as in `{0; {2}; {3; {2}}} + 2`.

use std::str::FromStr;

use sprig_trees::{CanonicalTree, CanonicalTrees, Forest, Sums, Tree};

/// Longest text that is read, in bytes.
const MAX_TEXT: usize = 65_536;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// The largest Nim-heap that is read.
const MAX_HEAP: u16 = 200;

/// A game as it is written: a sum of Nim-heaps and of sets of options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression(Vec<Term>);

/// What a sum is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Term {
    Heap(u16),
    Options(Vec<Expression>),
}

/// A text that is no tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct ExpressionError {
    /// The column of the first character that is wrong, counted from 1.
    pub column: usize,
    /// What is wrong there, and what to do.
    pub problem: ExpressionProblem,
}

/// What can be wrong with the text of a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExpressionProblem {
    /// The text is too long.
    #[error("the text is {0} bytes long; at most {MAX_TEXT} are read")]
    TooLong(usize),
    /// The sets are nested too deeply.
    #[error(
        "sets are nested deeper than {MAX_DEPTH}; give their options names of Nim-heaps where they are some"
    )]
    TooDeep,
    /// A heap that is too large.
    #[error("Nim-heaps from 0 to {MAX_HEAP} are read")]
    Heap,
    /// Neither a number nor a set.
    #[error("a number or `{{` must stand here, as in `{{0;{{2}}}}+2`")]
    Term,
    /// A set that does not end.
    #[error("`;` or `}}` must stand here: the set is not closed")]
    Open,
    /// Something behind the end.
    #[error("the tree ends before this; join trees with `+`")]
    Rest,
}

impl FromStr for Expression {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Self, ExpressionError> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        if text.len() > MAX_TEXT {
            return reader.fail(ExpressionProblem::TooLong(text.len()));
        }
        let read = reader.sum(0)?;
        reader.skip_blanks();
        if reader.at < text.len() { reader.fail(ExpressionProblem::Rest) } else { Ok(read) }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, problem: ExpressionProblem) -> Result<T, ExpressionError> {
        let before = &self.text[..self.at.min(self.text.len())];
        Err(ExpressionError {
            column: 1 + String::from_utf8_lossy(before).chars().count(),
            problem,
        })
    }

    fn skip_blanks(&mut self) {
        let rest = self.text[self.at..].iter();
        self.at += rest.take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn take(&mut self, wanted: u8) -> bool {
        self.skip_blanks();
        let found = self.text.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let mut terms = vec![self.term(depth)?];
        while self.take(b'+') {
            terms.push(self.term(depth)?);
        }
        Ok(Expression(terms))
    }

    fn term(&mut self, depth: usize) -> Result<Term, ExpressionError> {
        if depth > MAX_DEPTH {
            return self.fail(ExpressionProblem::TooDeep);
        }
        self.skip_blanks();
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            let number = std::str::from_utf8(&self.text[self.at..self.at + digits]);
            let heap = number.ok().and_then(|number| number.parse().ok());
            let Some(heap) = heap.filter(|heap| *heap <= MAX_HEAP) else {
                return self.fail(ExpressionProblem::Heap);
            };
            self.at += digits;
            return Ok(Term::Heap(heap));
        }
        if !self.take(b'{') {
            return self.fail(ExpressionProblem::Term);
        }
        let mut options = Vec::new();
        if self.take(b'}') {
            return Ok(Term::Options(options));
        }
        loop {
            options.push(self.sum(depth + 1)?);
            if self.take(b'}') {
                return Ok(Term::Options(options));
            }
            if !self.take(b';') && !self.take(b',') {
                return self.fail(ExpressionProblem::Open);
            }
        }
    }
}

/// A sum that would lead to more trees than are allowed.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error(
    "the sum leads to as many as {bound:.0e} trees, more than {allowed:.0e}; ask for its parts one by one"
)]
pub struct SumTooLarge {
    /// At most this many trees.
    pub bound: f64,
    /// The most that are allowed.
    pub allowed: f64,
}

impl Expression {
    /// The RCTs of the options, if this is one set. An option may come several times.
    ///
    /// # Errors
    /// [`SumTooLarge`].
    pub fn options(
        &self,
        forest: &mut Forest,
        sums: &mut Sums,
        allowed: f64,
    ) -> Result<Option<Vec<Tree>>, SumTooLarge> {
        match &self.0[..] {
            [Term::Options(options)] => options
                .iter()
                .map(|option| option.tree(forest, sums, allowed))
                .collect::<Result<_, _>>()
                .map(Some),
            _ => Ok(None),
        }
    }

    /// The RCTs of all that stands in the text: of the whole, of its terms, their options and so
    /// on.
    ///
    /// # Errors
    /// [`SumTooLarge`].
    pub fn parts(
        &self,
        forest: &mut Forest,
        sums: &mut Sums,
        allowed: f64,
    ) -> Result<Vec<Tree>, SumTooLarge> {
        let mut parts = vec![self.tree(forest, sums, allowed)?];
        for term in &self.0 {
            match term {
                Term::Heap(heap) => parts.push(nim_heap(forest, *heap)),
                Term::Options(options) => {
                    for option in options {
                        parts.extend(option.parts(forest, sums, allowed)?);
                    }
                }
            }
        }
        Ok(parts)
    }

    /// The canonical tree: duplicates fall away, reversible moves stay. No sum on the way may lead
    /// to more than `allowed` trees.
    ///
    /// # Errors
    /// [`SumTooLarge`].
    pub fn canonical(
        &self,
        trees: &mut CanonicalTrees,
        allowed: f64,
    ) -> Result<CanonicalTree, SumTooLarge> {
        let mut total = trees.of(&[]);
        for (number, term) in self.0.iter().enumerate() {
            let tree = match term {
                Term::Heap(heap) => {
                    let mut heaps = Vec::new();
                    for _ in 0..*heap {
                        heaps.push(trees.of(&heaps));
                    }
                    trees.of(&heaps)
                }
                Term::Options(options) => {
                    let options: Result<Vec<_>, _> =
                        options.iter().map(|option| option.canonical(trees, allowed)).collect();
                    trees.of(&options?)
                }
            };
            let bound = trees.below(total) as f64 * trees.below(tree) as f64;
            if number > 0 && bound > allowed {
                return Err(SumTooLarge { bound, allowed });
            }
            total = trees.add(total, tree);
        }
        Ok(total)
    }

    /// The RCT. No sum on the way may lead to more than `allowed` trees.
    ///
    /// # Errors
    /// [`SumTooLarge`].
    pub fn tree(
        &self,
        forest: &mut Forest,
        sums: &mut Sums,
        allowed: f64,
    ) -> Result<Tree, SumTooLarge> {
        let mut total = Tree::ZERO;
        for term in &self.0 {
            let tree = match term {
                Term::Heap(heap) => nim_heap(forest, *heap),
                Term::Options(options) => {
                    let options: Result<Vec<Tree>, _> =
                        options.iter().map(|option| option.tree(forest, sums, allowed)).collect();
                    forest.reduce(&mut options?)
                }
            };
            total = add(forest, sums, total, tree, allowed)?;
        }
        Ok(total)
    }
}

/// The sum of two trees, unless it is too large.
///
/// # Errors
/// [`SumTooLarge`].
pub fn add(
    forest: &mut Forest,
    sums: &mut Sums,
    a: Tree,
    b: Tree,
    allowed: f64,
) -> Result<Tree, SumTooLarge> {
    let bound = Sums::bound(forest, &[a, b]);
    if bound > allowed {
        return Err(SumTooLarge { bound, allowed });
    }
    Ok(sums.add(forest, a, b))
}

/// The Nim-heap of this size.
pub fn nim_heap(forest: &mut Forest, size: u16) -> Tree {
    let mut heaps = Vec::new();
    for _ in 0..size {
        let next = forest.reduce(&mut heaps.clone());
        heaps.push(next);
    }
    forest.reduce(&mut heaps)
}
