//! Charts of the structures: trees of splits, and folded sequences as arcs.

use std::collections::HashMap;

use makespan::interval_dp::folding::Structure;
use makespan::interval_dp::{Kind, Node, Tree};

use crate::svg::{Anchor, Svg, shortened, text_width};

const MARGIN: f64 = 28.0;
const HEADER_HEIGHT: f64 = 76.0;
const TITLE_SIZE: f64 = 20.0;
const TEXT_SIZE: f64 = 12.0;
/// From the middle of a digit to its base line, by font size.
const HALF_HEIGHT: f64 = 0.35;
/// The drawing's usual extent; small trees are smaller, and very large ones larger.
const WIDTH: f64 = 1144.0;
const LEAST_WIDTH: f64 = 480.0;
const HEIGHT: f64 = 900.0;
const MAX_PITCH: f64 = 64.0;
const MIN_PITCH: f64 = 3.0;
const MAX_LEVEL: f64 = 58.0;
const MIN_LEVEL: f64 = 5.0;
const MAX_RADIUS: f64 = 16.0;
/// Smaller nodes have no names.
const NAMED_RADIUS: f64 = 9.0;
/// Highest arc, by its height.
const MAX_RISE: f64 = 420.0;

const INK: &str = "#1f2933";
const FAINT_INK: &str = "#52606d";
const NODE: [&str; 2] = ["#eef4fa", "#1d5fa8"];

/// Title and subtitle of a drawing.
pub(super) struct Heading {
    pub(super) title: String,
    pub(super) subtitle: String,
}

impl Heading {
    /// A page with this heading and room for a drawing.
    fn page(&self, width: f64, height: f64) -> Svg {
        let width = width.max(LEAST_WIDTH) + 2.0 * MARGIN;
        let mut svg = Svg::new(width, HEADER_HEIGHT + height + MARGIN, &self.title, "");
        let room = width - 2.0 * MARGIN;
        let title = shortened(&self.title, TITLE_SIZE, room);
        svg.bold_text((MARGIN, 36.0), TITLE_SIZE, INK, &title);
        let subtitle = shortened(&self.subtitle, TEXT_SIZE, room);
        svg.text((MARGIN, 57.0), TEXT_SIZE, Anchor::Start, FAINT_INK, &subtitle);
        svg
    }
}

/// The tree as an SVG file. A node stands above its split, so that edges never cross.
pub(super) fn tree(heading: &Heading, tree: &Tree, kind: Kind) -> String {
    let placed = placed(tree.nodes());
    let has_leaves = kind != Kind::SearchTree;
    let deepest = placed.iter().map(|node| node.level).max().unwrap_or(0);
    let levels = deepest + usize::from(has_leaves) + 1;
    let points = tree.nodes().first().map_or(1, |root| root.last - root.first);
    let drawing = Drawing {
        pitch: (WIDTH / f64::from(points)).clamp(MIN_PITCH, MAX_PITCH),
        level_height: (HEIGHT / levels as f64).clamp(MIN_LEVEL, MAX_LEVEL),
        points,
        kind,
    };
    let (width, height) = (f64::from(points) * drawing.pitch, levels as f64 * drawing.level_height);
    let mut svg = heading.page(width, height);
    placed.iter().for_each(|node| drawing.edges(&mut svg, node, &placed, has_leaves));
    placed.iter().for_each(|node| drawing.node(&mut svg, node));
    svg.finish()
}

/// A node with its level and the places of its children in the list of nodes.
struct Placed {
    node: Node,
    level: usize,
    children: [Option<usize>; 2],
}

/// The nodes in their order, in which parents come before their children.
fn placed(nodes: &[Node]) -> Vec<Placed> {
    let cells: HashMap<(u32, u32), usize> =
        nodes.iter().enumerate().map(|(place, node)| ((node.first, node.last), place)).collect();
    let with_children = |&node: &Node| {
        let children = [(node.first, node.split), (node.split, node.last)];
        Placed { node, level: 0, children: children.map(|cell| cells.get(&cell).copied()) }
    };
    let mut placed: Vec<Placed> = nodes.iter().map(with_children).collect();
    for place in 0..placed.len() {
        let below = placed[place].level + 1;
        for child in placed[place].children.into_iter().flatten() {
            placed[child].level = below;
        }
    }
    placed
}

struct Drawing {
    /// Distance of neighbouring points, and of levels.
    pitch: f64,
    level_height: f64,
    /// Number of the last point.
    points: u32,
    kind: Kind,
}

impl Drawing {
    fn at(&self, point: f64, level: usize) -> (f64, f64) {
        let y = HEADER_HEIGHT + (level as f64 + 0.5) * self.level_height;
        (MARGIN + point * self.pitch, y)
    }

    fn radius(&self) -> f64 {
        (self.pitch * 0.42).min(self.level_height * 0.4).min(MAX_RADIUS)
    }

    fn edges(&self, svg: &mut Svg, parent: &Placed, all: &[Placed], has_leaves: bool) {
        let from = self.at(f64::from(parent.node.split), parent.level);
        let leaves = [parent.node.split, parent.node.last];
        for (child, leaf) in parent.children.iter().zip(leaves) {
            let below = parent.level + 1;
            match child {
                Some(child) => {
                    let to = self.at(f64::from(all[*child].node.split), below);
                    svg.line(from, to, 1.3, FAINT_INK, false);
                }
                None if has_leaves => {
                    let (x, y) = self.at(f64::from(leaf) - 0.5, below);
                    svg.line(from, (x, y - TEXT_SIZE * 0.7), 1.3, FAINT_INK, false);
                    self.leaf(svg, (x, y), leaf);
                }
                None => {}
            }
        }
    }

    /// The cell that ends at this point and has no split.
    fn leaf(&self, svg: &mut Svg, (x, y): (f64, f64), last: u32) {
        let name = |last: u32| match self.kind {
            Kind::Triangulation => format!("{}–{last}", last - 1),
            _ => format!("A{last}"),
        };
        // All leaves have names, or none.
        if text_width(&name(self.points), TEXT_SIZE) <= self.pitch {
            let at = (x, y + TEXT_SIZE * HALF_HEIGHT);
            svg.text(at, TEXT_SIZE, Anchor::Middle, INK, &name(last));
        }
    }

    fn node(&self, svg: &mut Svg, placed: &Placed) {
        let Node { first, split, last } = placed.node;
        let name = if self.kind == Kind::SearchTree { split - 1 } else { split };
        let tooltip = match self.kind {
            Kind::SearchTree => format!("key {name}"),
            Kind::Triangulation => format!("triangle {first}, {split}, {last}"),
            Kind::MatrixChain => format!("A{} to A{last}, cut after A{split}", first + 1),
            _ => format!("from {first} to {last}, split at {split}"),
        };
        let (x, y) = self.at(f64::from(split), placed.level);
        svg.circle((x, y), self.radius(), NODE, &tooltip);
        let name = name.to_string();
        let size = (self.radius() * 1.8 / text_width(&name, 1.0)).min(TEXT_SIZE);
        if self.radius() >= NAMED_RADIUS {
            svg.text((x, y + size * HALF_HEIGHT), size, Anchor::Middle, INK, &name);
        }
    }
}

/// The folded sequence as an SVG file: the bases on a line, the pairs as arcs.
pub(super) fn arcs(heading: &Heading, structure: &Structure) -> String {
    let bases = structure.len().max(1);
    let pitch = (WIDTH / bases as f64).clamp(MIN_PITCH, MAX_PITCH / 4.0);
    let widest = structure.pairs().map(|(first, last)| last - first).max().unwrap_or(1);
    let flatness = (MAX_RISE / (f64::from(widest) * pitch / 2.0)).min(1.0);
    let rise = |span: u32| f64::from(span) * pitch / 2.0 * flatness;
    let mut svg = heading.page(bases as f64 * pitch, rise(widest) + 30.0);
    let y = HEADER_HEIGHT + rise(widest);
    let x = |base: u32| MARGIN + (f64::from(base) + 0.5) * pitch;
    let (first, last) = (0, bases as u32 - 1);
    svg.line((x(first), y), (x(last), y), 1.0, FAINT_INK, false);
    for base in [first, last] {
        let at = (x(base), y + 18.0);
        svg.text(at, TEXT_SIZE, Anchor::Middle, FAINT_INK, &base.to_string());
    }
    for (first, last) in structure.pairs() {
        let tooltip = format!("bases {first} and {last}");
        svg.arc((x(first), y), x(last), rise(last - first), &tooltip);
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading() -> Heading {
        Heading { title: "<a>".into(), subtitle: String::new() }
    }

    /// The texts of the elements of a name.
    fn texts(svg: &str, name: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let found = document.descendants().filter(|node| node.has_tag_name(name));
        found.filter_map(|node| node.text().map(str::to_owned)).collect()
    }

    fn node(first: u32, split: u32, last: u32) -> Node {
        Node { first, split, last }
    }

    #[test]
    fn trees_have_all_nodes_and_leaves() {
        // ((A1 (A2 A3)) A4)
        let nodes = vec![node(0, 3, 4), node(0, 1, 3), node(1, 2, 3)];
        let levels: Vec<usize> = placed(&nodes).iter().map(|node| node.level).collect();
        assert_eq!(levels, [0, 1, 2]);
        let small = Tree::of_nodes(5, nodes).unwrap();
        let svg = tree(&heading(), &small, Kind::MatrixChain);
        let shown = texts(&svg, "text");
        assert_eq!(shown, ["<a>", "A4", "A1", "A2", "A3", "3", "1", "2"]);
        assert!(svg.contains("<title>A1 to A4, cut after A3</title>"), "{svg}");
        // An edge to each child and each leaf.
        assert_eq!(svg.matches("<line ").count(), 6);
        let keys = texts(&tree(&heading(), &small, Kind::SearchTree), "text");
        assert_eq!(keys, ["<a>", "2", "0", "1"]);
    }

    #[test]
    fn folded_sequences_have_all_pairs() {
        let structure = Structure::new(9, vec![(0, 8), (1, 6)]).unwrap();
        let svg = arcs(&heading(), &structure);
        assert_eq!(texts(&svg, "title"), ["<a>", "bases 0 and 8", "bases 1 and 6"]);
        texts(&arcs(&heading(), &Structure::new(0, vec![]).unwrap()), "text");
    }
}
