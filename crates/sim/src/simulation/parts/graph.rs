//! Partitions a weighted graph into parts of equal work with low edge weight between them.
//!
//! Greedy graph growing (Karypis and Kumar, SIAM J. Sci. Comput. 1998, section 3.2), then moves of single vertices that
//! reduce the cut (Fiduccia and Mattheyses, DAC 1982, without undoing moves). All choices depend on vertex numbers only, so
//! the same graph always has the same partition.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Marks a vertex that is in no part.
const NONE: u16 = u16::MAX;
/// Rounds of moves; most of the gain is in the first.
const ROUNDS: usize = 4;
/// Maximum work of a part after a move, in percent of its share. On S3 102 and 105 take the same time: a better balance
/// makes more frames cross.
const FULL: u64 = 102;

/// A graph with work per vertex and weight per edge.
pub(super) struct Graph {
    work: Vec<u64>,
    /// Start of the edges of each vertex, and the end of the last.
    first: Vec<usize>,
    edges: Vec<(u32, u64)>,
    /// Total edge weight of each vertex.
    ties: Vec<u64>,
}

impl Graph {
    /// Adds up parallel edges and ignores edges from a vertex to itself.
    pub(super) fn new(work: Vec<u64>, edges: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        let mut both: Vec<(u32, u32, u64)> = edges
            .filter(|(a, b, _)| a != b)
            .flat_map(|(a, b, weight)| [(a, b, weight), (b, a, weight)])
            .collect();
        both.sort_unstable();
        both.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut first = vec![0; work.len() + 1];
        for (a, ..) in &both {
            first[*a as usize + 1] += 1;
        }
        for vertex in 0..work.len() {
            first[vertex + 1] += first[vertex];
        }
        let mut ties = vec![0; work.len()];
        for (a, _, weight) in &both {
            ties[*a as usize] += weight;
        }
        Graph {
            work,
            first,
            edges: both.into_iter().map(|(_, b, weight)| (b, weight)).collect(),
            ties,
        }
    }

    /// The part of each vertex. There are at least as many vertices as parts, and no part is left empty.
    pub(super) fn cut(&self, parts: usize) -> Vec<u16> {
        let mut part_of = self.grow(parts);
        for _ in 0..ROUNDS {
            if !self.improve(&mut part_of, parts) {
                break;
            }
        }
        part_of
    }

    /// The work in each part.
    pub(super) fn loads(&self, part_of: &[u16], parts: usize) -> Vec<u64> {
        let mut loads = vec![0; parts];
        for (part, work) in part_of.iter().zip(&self.work) {
            loads[usize::from(*part)] += work;
        }
        loads
    }

    fn edges_of(&self, vertex: usize) -> &[(u32, u64)] {
        &self.edges[self.first[vertex]..self.first[vertex + 1]]
    }

    /// Each part in turn grows by the vertex with the largest gain, until it has its share of the remaining work.
    fn grow(&self, parts: usize) -> Vec<u16> {
        let count = self.work.len();
        let mut part_of = vec![NONE; count];
        let mut left: u64 = self.work.iter().sum();
        let mut free = count;
        let mut seed = 0;
        for part in 0..parts as u16 {
            let later_parts = parts - usize::from(part) - 1;
            let share = left / (later_parts as u64 + 1);
            let mut load = 0;
            let mut inside = vec![0u64; count];
            let mut next: BinaryHeap<(i128, Reverse<usize>)> = BinaryHeap::new();
            // All vertices beyond one for each further part may be added.
            while free > later_parts {
                let vertex = loop {
                    match next.pop() {
                        // An entry is outdated once the gain of the vertex has increased.
                        Some((gain, Reverse(node)))
                            if part_of[node] != NONE || gain != self.gain(node, inside[node]) => {}
                        Some((_, Reverse(node))) => break node,
                        None => {
                            while part_of[seed] != NONE {
                                seed += 1;
                            }
                            break seed;
                        }
                    }
                };
                // The vertex is added if that brings the part closer to its share.
                let work = self.work[vertex];
                if later_parts > 0
                    && load > 0
                    && load + work > share
                    && load + work - share > share - load
                {
                    break;
                }
                part_of[vertex] = part;
                load += work;
                free -= 1;
                for (other, weight) in self.edges_of(vertex) {
                    let other = *other as usize;
                    if part_of[other] == NONE {
                        inside[other] += weight;
                        next.push((self.gain(other, inside[other]), Reverse(other)));
                    }
                }
                if later_parts > 0 && load >= share {
                    break;
                }
            }
            left -= load;
        }
        part_of
    }

    /// Gain of a vertex: edge weight to the part minus edge weight to the rest.
    fn gain(&self, vertex: usize, inside: u64) -> i128 {
        2 * i128::from(inside) - i128::from(self.ties[vertex])
    }

    /// Moves each vertex to the part with the largest edge weight to it that can take it. Returns whether any moved.
    fn improve(&self, part_of: &mut [u16], parts: usize) -> bool {
        let mut loads = self.loads(part_of, parts);
        let mut members = vec![0u32; parts];
        for part in part_of.iter() {
            members[usize::from(*part)] += 1;
        }
        let full = loads.iter().sum::<u64>() / parts as u64 * FULL / 100;
        let mut moved = false;
        let mut tied = vec![0u64; parts];
        for vertex in 0..self.work.len() {
            let current = usize::from(part_of[vertex]);
            for (other, weight) in self.edges_of(vertex) {
                tied[usize::from(part_of[*other as usize])] += weight;
            }
            let fits = |part: &usize| *part == current || loads[*part] + self.work[vertex] <= full;
            let best = (0..parts).filter(fits).max_by_key(|part| {
                // With equal weights the current part, else the first.
                (tied[*part], *part == current, Reverse(*part))
            });
            let best = best.unwrap_or(current);
            if best != current && members[current] > 1 {
                part_of[vertex] = best as u16;
                loads[current] -= self.work[vertex];
                loads[best] += self.work[vertex];
                members[current] -= 1;
                members[best] += 1;
                moved = true;
            }
            tied.fill(0);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_crossing_work(graph: &Graph, part_of: &[u16]) -> u64 {
        let vertices = 0..graph.work.len();
        let weights = vertices.flat_map(|a| graph.edges_of(a).iter().map(move |edge| (a, edge)));
        let apart = weights.filter(|(a, (b, _))| part_of[*a] != part_of[*b as usize]);
        apart.map(|(_, (_, weight))| weight).sum::<u64>() / 2
    }

    /// Four cliques of five, in a ring by one edge each.
    #[test]
    fn cliques_stay_whole() {
        let mut edges = Vec::new();
        for clique in 0..4u32 {
            for a in 0..5 {
                for b in 0..a {
                    edges.push((clique * 5 + a, clique * 5 + b, 3));
                }
            }
            edges.push((clique * 5, (clique + 1) % 4 * 5 + 4, 1));
        }
        let graph = Graph::new(vec![10; 20], edges.into_iter());
        for (parts, cut) in [(2, 2), (4, 4)] {
            let part_of = graph.cut(parts);
            let share = 200 / parts as u64;
            assert_eq!(graph.loads(&part_of, parts), vec![share; parts]);
            assert_eq!(count_crossing_work(&graph, &part_of), cut);
        }
    }

    #[test]
    fn no_part_is_empty_and_of_three_one_is_the_heavy_vertex() {
        for parts in 1..=6 {
            let graph = Graph::new(vec![1, 1, 50, 1, 1, 0], std::iter::empty());
            let part_of = graph.cut(parts);
            for part in 0..parts as u16 {
                assert!(part_of.contains(&part), "{part_of:?}");
            }
            let loads = graph.loads(&part_of, parts);
            // The smaller of two parts may have the light vertices: no single move brings it closer to its share.
            let heaviest = [54, 52, 50][parts.min(3) - 1];
            assert_eq!(loads.iter().max(), Some(&heaviest), "{loads:?}");
        }
    }

    #[test]
    fn edges_between_two_count_together() {
        let edges = [(0, 1, 2), (1, 0, 3), (1, 1, 9), (1, 2, 4)];
        let graph = Graph::new(vec![1; 3], edges.into_iter());
        assert_eq!(graph.edges_of(1), [(0, 5), (2, 4)]);
        assert_eq!(count_crossing_work(&graph, &[0, 1, 1]), 5);
    }
}
