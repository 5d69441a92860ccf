//! A plane map filled with threads until every face is a triangle.
//!
//! Curves get inner points, every walk around a face gets a ring of auxiliary points beside it, and
//! the rings of a face are joined. The result is a triangulation without double edges, inside a
//! frame, which has a plane straight-line drawing.

use crate::map::{Dart, Map};
use crate::relax::LOOP;

/// Corners of the frame.
pub(crate) const FRAME: usize = 16;

/// What a point of the web is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// A vertex of the map.
    Vertex(usize),
    /// An inner point of a curve.
    Bend,
    /// A corner of the frame.
    Frame,
    /// A thread, which is only there to fill a face.
    Thread,
}

/// A triangle, counter-clockwise, and the face that it is a part of.
pub(crate) type Triangle = ([usize; 3], usize);

/// A triangulated map.
pub(crate) struct Web {
    pub nodes: Vec<Node>,
    pub triangles: Vec<Triangle>,
    /// The points of each curve, from end to end.
    pub chains: Vec<Vec<usize>>,
}

/// What a face has inside apart from its outermost walk.
enum Inner {
    Ring(Vec<usize>),
    Alone(usize),
}

impl Inner {
    fn weight(&self) -> usize {
        match self {
            Self::Ring(ring) => ring.len(),
            Self::Alone(_) => 4,
        }
    }
}

impl Web {
    /// Fills a map whose face `outer` surrounds all others.
    pub fn of(map: &Map, outer: usize) -> Self {
        let mut nodes: Vec<Node> = (0..map.vertices.len()).map(Node::Vertex).collect();
        let mut chains = Vec::new();
        for &[from, to] in &map.curves {
            let mut chain = vec![from];
            for _ in 0..if from == to { LOOP } else { 2 } {
                chain.push(nodes.len());
                nodes.push(Node::Bend);
            }
            chain.push(to);
            chains.push(chain);
        }
        let mut web = Self { nodes, triangles: Vec::new(), chains };
        let frame = (0..FRAME).map(|_| web.add(Node::Frame)).collect();
        web.fill(map, outer, frame);
        web
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Fills all faces, from the outer one inwards.
    fn fill(&mut self, map: &Map, outer: usize, frame: Vec<usize>) {
        // Each face with the walk through which it was reached.
        let mut waiting = vec![(outer, None)];
        let mut is_met = vec![false; map.faces.len()];
        is_met[outer] = true;
        while let Some((f, entry)) = waiting.pop() {
            let face = &map.faces[f];
            let mut inner = Vec::new();
            let mut rim = Some(frame.clone()).filter(|_| f == outer);
            for (w, walk) in face.walks.iter().enumerate() {
                for &dart in walk {
                    let beyond = map.left[dart ^ 1];
                    if !is_met[beyond] {
                        is_met[beyond] = true;
                        let back = |walk: &Vec<Dart>| walk.contains(&(dart ^ 1));
                        let entry = map.faces[beyond].walks.iter().position(back);
                        waiting.push((beyond, entry));
                    }
                }
                let ring = self.ring(walk, f);
                if entry == Some(w) {
                    rim = Some(ring);
                } else {
                    inner.push(Inner::Ring(ring));
                }
            }
            inner.extend(face.alone.iter().map(|&vertex| Inner::Alone(vertex)));
            self.fill_face(rim.expect("every face is reached through a walk"), inner, f);
        }
    }

    /// The points of a walk.
    fn points(&self, walk: &[Dart]) -> Vec<usize> {
        let mut points = Vec::new();
        for &dart in walk {
            let chain = &self.chains[dart / 2];
            let inner = chain.len() - 1;
            if dart % 2 == 0 {
                points.extend(&chain[..inner]);
            } else {
                points.extend(chain[1..].iter().rev());
            }
        }
        points
    }

    /// A ring beside a walk, with one point for each segment. It is walked in the same direction.
    fn ring(&mut self, walk: &[Dart], face: usize) -> Vec<usize> {
        let points = self.points(walk);
        let count = points.len();
        let ring: Vec<usize> = points.iter().map(|_| self.add(Node::Thread)).collect();
        for i in 0..count {
            let j = (i + 1) % count;
            self.triangles.push(([points[i], points[j], ring[i]], face));
            self.triangles.push(([points[j], ring[j], ring[i]], face));
        }
        ring
    }

    /// Fills what is left of a face inside `rim`.
    fn fill_face(&mut self, rim: Vec<usize>, inner: Vec<Inner>, face: usize) {
        match inner.len() {
            0 => {
                let hub = self.add(Node::Thread);
                self.fan(&rim, hub, face);
            }
            1 => self.surround(&rim, &inner[0], face),
            count => {
                let total: usize = inner.iter().map(Inner::weight).sum();
                let rim = if rim.len() < 3 * count || rim.len() < total {
                    let wider: Vec<usize> =
                        (0..total.max(3 * count)).map(|_| self.add(Node::Thread)).collect();
                    self.strip(&rim, &wider, face);
                    wider
                } else {
                    rim
                };
                let hub = self.add(Node::Thread);
                let (mut start, mut before) = (0, 0);
                for (i, thing) in inner.iter().enumerate() {
                    before += thing.weight();
                    let left = count - 1 - i;
                    let end = (before * rim.len() / total).clamp(start + 1, rim.len() - left);
                    let mut sector: Vec<usize> =
                        (start..=end).map(|k| rim[k % rim.len()]).collect();
                    sector.push(hub);
                    self.surround(&sector, thing, face);
                    start = end;
                }
            }
        }
    }

    fn surround(&mut self, rim: &[usize], inner: &Inner, face: usize) {
        match inner {
            Inner::Alone(vertex) => self.fan(rim, *vertex, face),
            Inner::Ring(ring) => {
                let turned: Vec<usize> = ring.iter().rev().copied().collect();
                self.strip(rim, &turned, face);
            }
        }
    }

    fn fan(&mut self, rim: &[usize], hub: usize, face: usize) {
        for i in 0..rim.len() {
            self.triangles.push(([rim[i], rim[(i + 1) % rim.len()], hub], face));
        }
    }

    /// Fills between two rings, both given counter-clockwise.
    fn strip(&mut self, outside: &[usize], inside: &[usize], face: usize) {
        let (n, m) = (outside.len(), inside.len());
        let (mut i, mut j) = (0, 0);
        while i + j < n + m {
            let (a, b) = (outside[i % n], inside[j % m]);
            if j == m || (i < n && (2 * i + 1) * m <= (2 * j + 1) * n) {
                i += 1;
                self.triangles.push(([a, outside[i % n], b], face));
            } else {
                j += 1;
                self.triangles.push(([inside[j % m], b, a], face));
            }
        }
    }
}
