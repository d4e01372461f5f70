//! Binary trees over intervals, which show how cells are split.

use std::fmt::Write as _;

use super::instance::{Instance, Kind};
use super::number::Number;
use super::semiring::Semiring;
use crate::memory::Grow;
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// Cell (first, last), combined from (first, split) and (split, last).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    /// First point of the cell.
    pub first: u32,
    /// Point where its parts meet.
    pub split: u32,
    /// Last point of the cell.
    pub last: u32,
}

impl Node {
    /// First point, split, last point.
    pub(super) fn points(&self) -> [usize; 3] {
        [self.first, self.split, self.last].map(|point| point as usize)
    }
}

/// A binary tree whose leaves are the pairs of neighbouring points, in order. Every point between
/// the first and the last is the split of exactly one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    points: usize,
    nodes: Vec<Node>,
}

impl Tree {
    /// Creates a tree from the cells that points 1 .. n - 1 split.
    pub(super) fn new(points: usize, cells: &[(u32, u32)]) -> Result<Self> {
        // Sort cells before those inside them, and left parts before right ones. The key is the
        // first point; of equal first points, the cell that is split further right comes first,
        // since it contains the other.
        let bucket = |first: u32| (first as usize).min(points);
        let mut begins: Vec<usize> = memory::zeroed(points + 2)?;
        cells.iter().for_each(|cell| begins[bucket(cell.0) + 1] += 1);
        (0..points).for_each(|first| begins[first + 1] += begins[first]);
        let mut nodes = memory::filled(Node { first: 0, split: 0, last: 0 }, cells.len())?;
        for (index, &(first, last)) in cells.iter().enumerate().rev() {
            let split = index as u32 + 1;
            let place = &mut begins[bucket(first)];
            nodes[*place] = Node { first, split, last };
            *place += 1;
        }
        Ok(Tree { points, nodes })
    }

    /// The tree with these inner nodes in preorder, as [`Tree::nodes`] gives them.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the first node that does not follow from those before it.
    pub fn of_nodes(points: usize, nodes: Vec<Node>) -> Result<Self> {
        if points < 2 || nodes.len() != points - 2 {
            let reason = format!("{} nodes for {points} points", nodes.len());
            return Err(Error::argument("nodes", reason));
        }
        let tree = Tree { points, nodes };
        match tree.first_wrong()? {
            Some(index) => {
                let reason = "does not split the cell whose turn it is, inside its points";
                Err(Error::element("nodes", index, reason))
            }
            None => Ok(tree),
        }
    }

    /// The tree that splits every cell in the middle.
    pub(super) fn balanced(points: usize, monitor: &Monitor) -> Result<Self> {
        let mut nodes = memory::list(points.saturating_sub(2))?;
        let mut open = vec![(0, points as u32 - 1)];
        while let Some((first, last)) = open.pop() {
            if last > first + 1 {
                let split = first + (last - first) / 2;
                monitor.check_step(nodes.len())?;
                nodes.push(Node { first, split, last });
                open.try_push((split, last))?;
                open.try_push((first, split))?;
            }
        }
        Ok(Tree { points, nodes })
    }

    /// The inner nodes in preorder: every node before its parts and the left part before the right
    /// one; the first is the root. A single leaf has none.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.points - 1
    }

    /// Checks that the nodes form a tree.
    fn check(&self) -> Result<()> {
        match self.first_wrong()? {
            Some(_) => Err(Error::internal("the splits do not make up a tree")),
            None => Ok(()),
        }
    }

    /// The first node that does not split the cell whose turn it is in preorder, or the number of
    /// nodes if there are too few or too many.
    fn first_wrong(&self) -> Result<Option<usize>> {
        let mut nodes = self.nodes.iter().enumerate();
        let mut open = vec![(0, self.points as u32 - 1)];
        while let Some((first, last)) = open.pop() {
            if last == first + 1 {
                continue;
            }
            let Some((index, node)) = nodes.next() else { return Ok(Some(self.nodes.len())) };
            if (node.first, node.last) != (first, last) || node.split <= first || node.split >= last
            {
                return Ok(Some(index));
            }
            open.try_push((node.split, last))?;
            open.try_push((first, node.split))?;
        }
        Ok(nodes.next().map(|_| self.nodes.len()))
    }

    /// The tree as a product of its leaves `A1`, `A2`, ..., such as `((A1 A2) A3)`: the
    /// parenthesisation of a matrix chain.
    pub fn parenthesisation(&self) -> String {
        // The rest of the text in reverse order: cells, and the signs between them.
        enum Part {
            Cell(u32, u32),
            Sign(char),
        }
        let mut text = String::new();
        let mut nodes = self.nodes.iter();
        let mut open = vec![Part::Cell(0, self.points as u32 - 1)];
        while let Some(part) = open.pop() {
            match part {
                Part::Sign(sign) => text.push(sign),
                Part::Cell(first, last) if last == first + 1 => {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "A{last}");
                }
                Part::Cell(first, last) => {
                    let Some(node) = nodes.next() else { break };
                    text.push('(');
                    open.push(Part::Sign(')'));
                    open.push(Part::Cell(node.split, last));
                    open.push(Part::Sign(' '));
                    open.push(Part::Cell(first, node.split));
                }
            }
        }
        text
    }

    /// The tree as a graph in the DOT language. Inner nodes are named by their splits, which are
    /// unique. A search tree's nodes are named by the numbers of their keys from 0, and gaps are
    /// left out.
    pub fn dot(&self, kind: Kind) -> String {
        let mut text = String::from("digraph tree {\n  node [shape=circle];\n");
        let keys = kind == Kind::SearchTree;
        let name = |split: u32| if keys { split - 1 } else { split };
        // The splits of the enclosing cells, by first and by last point; the innermost is last.
        let mut parents: Vec<(Node, bool)> = Vec::new();
        let mut lines = |node: Node| {
            let outside = |&&(parent, left): &&(Node, bool)| {
                if left {
                    (node.first, node.last) != (parent.first, parent.split)
                } else {
                    (node.first, node.last) != (parent.split, parent.last)
                }
            };
            while parents.last().as_ref().is_some_and(outside) {
                parents.pop();
            }
            if let Some((parent, _)) = parents.pop() {
                let _ = writeln!(text, "  {} -> {};", name(parent.split), name(node.split));
            } else {
                let _ = writeln!(text, "  {};", name(node.split));
            }
            parents.push((node, false));
            parents.push((node, true));
        };
        self.nodes.iter().for_each(|&node| lines(node));
        if !keys {
            for node in &self.nodes {
                let mut leaf = |number: u32| {
                    let _ = writeln!(
                        text,
                        "  A{number} [shape=plain];\n  {} -> A{number};",
                        node.split
                    );
                };
                if node.split == node.first + 1 {
                    leaf(node.split);
                }
                if node.last == node.split + 1 {
                    leaf(node.last);
                }
            }
        }
        text.push_str("}\n");
        text
    }
}

impl<V: Number> Instance<V> {
    /// The value of a tree: its leaves, cell costs and split costs, combined by the semiring's
    /// second operation; exact for whole numbers. It is computed from instance and tree only.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the tree has another number of points; [`Error::Overflow`] if
    /// the value is out of range; [`Error::Unsupported`] for a semiring whose values are not those
    /// of one tree, and for split costs that only a device can compute.
    pub fn evaluate(&self, tree: &Tree) -> Result<V> {
        if self.is_for_devices() {
            return Err(Error::unsupported("split costs without a function"));
        }
        self.evaluate_with(tree, None, |node| {
            let [i, k, j] = node.points();
            self.split_term(i, k, j)
        })
    }

    /// Like [`Instance::evaluate`], with the split costs of the nodes, which are requested in
    /// order. A monitor can stop it.
    pub(super) fn evaluate_with(
        &self,
        tree: &Tree,
        monitor: Option<&Monitor>,
        mut split_cost: impl FnMut(&Node) -> Option<V>,
    ) -> Result<V> {
        if tree.points != self.points() {
            let reason =
                format!("it is one of {} points, the instance has {}", tree.points, self.points());
            return Err(Error::argument("tree", reason));
        }
        let combine: fn(V, V) -> Option<V> = match self.semiring() {
            Semiring::MinPlus | Semiring::MaxPlus => V::checked_add,
            Semiring::MaxMin => |a, b| Some(if b < a { b } else { a }),
            other => return Err(Error::unsupported(format!("the value of a tree with {other:?}"))),
        };
        let check_step =
            |step| monitor.map_or(Ok(()), |monitor: &Monitor| monitor.check_step(step));
        tree.check()?;
        check_step(0)?;
        let overflow = || Error::overflow("the value of a tree");
        let (mut leaves, has_weights, has_terms) =
            (self.leaves().iter(), self.has_weights(), self.has_terms());
        let mut value = leaves.next().copied().unwrap_or_default();
        let mut take = |term: Option<V>| {
            value = term.and_then(|term| combine(value, term)).ok_or_else(overflow)?;
            Ok::<(), Box<Error>>(())
        };
        for &leaf in leaves {
            take(Some(leaf))?;
        }
        for (step, node) in tree.nodes.iter().enumerate() {
            check_step(step)?;
            let [i, _, j] = node.points();
            if has_weights {
                take(self.weight(i, j))?;
            }
            if has_terms {
                take(split_cost(node))?;
            }
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolveOptions;
    use crate::testing::assert_error;

    fn example() -> Tree {
        // ((A1 (A2 A3)) ((A4 A5) A6)), the example of Cormen et al.
        Tree::new(7, &[(0, 3), (1, 3), (0, 6), (3, 5), (3, 6)]).unwrap()
    }

    #[test]
    fn trees_are_written_out() {
        assert_eq!(example().parenthesisation(), "((A1 (A2 A3)) ((A4 A5) A6))");
        assert_eq!(Tree::new(2, &[]).unwrap().parenthesisation(), "A1");
        let dot = example().dot(Kind::SearchTree);
        let expected = ["  2;", "  2 -> 0;", "  0 -> 1;", "  2 -> 4;", "  4 -> 3;"];
        assert_eq!(dot.lines().skip(2).take(5).collect::<Vec<_>>(), expected);
        let leaves = example().dot(Kind::MatrixChain);
        assert!(leaves.contains("  1 -> A1;") && leaves.contains("  5 -> A6;"), "{leaves}");
        assert_eq!(leaves.matches("->").count(), 10);
    }

    #[test]
    fn the_textbook_chain() {
        let instance = Instance::matrix_chain(vec![30i64, 35, 15, 5, 10, 20, 25]).unwrap();
        assert_eq!(instance.evaluate(&example()).unwrap(), 15_125);
    }

    #[test]
    fn balanced_trees_are_trees() {
        let monitor = Monitor::new(&SolveOptions::default());
        for points in 2..40 {
            let tree = Tree::balanced(points, &monitor).unwrap();
            tree.check().unwrap();
            assert_eq!(tree.nodes().len(), points - 2);
        }
        assert_eq!(Tree::balanced(5, &monitor).unwrap().parenthesisation(), "((A1 A2) (A3 A4))");
    }

    #[test]
    fn trees_are_made_of_their_nodes() {
        let tree = example();
        let nodes = tree.nodes().to_vec();
        assert_eq!(Tree::of_nodes(7, nodes.clone()).unwrap(), tree);
        let refusal = |points, nodes| Tree::of_nodes(points, nodes).unwrap_err().to_string();
        assert_eq!(refusal(6, nodes.clone()), "nodes: 5 nodes for 6 points");
        let mut swapped = nodes;
        swapped.swap(1, 2);
        assert!(refusal(7, swapped).starts_with("nodes[1]: does not split"));
        assert_eq!(refusal(1, Vec::new()), "nodes: 0 nodes for 1 points");
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let instance = Instance::matrix_chain(vec![1i64; 7]).unwrap();
        for cells in
            [[(0, 3), (1, 3), (0, 6), (3, 5), (3, 5)], [(0, 2), (1, 3), (0, 6), (3, 5), (3, 6)]]
        {
            assert_error!(instance.evaluate(&Tree::new(7, &cells).unwrap()), Error::Internal(_));
        }
        assert_error!(
            instance.evaluate(&Tree::new(2, &[]).unwrap()),
            Error::InvalidArgument { .. }
        );
    }
}
