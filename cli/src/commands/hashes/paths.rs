//! Lists of Merkle paths, with their siblings and without.

use std::fmt::{Display, Write};

use droste_binary::Hash;
use droste_binary::paths::{Digest, MerklePaths, Path, PathsError, root};

use super::words::{ListError, bytes, lines, write_digits};

/// The siblings of each path, from its leaf to its root.
pub type Siblings = Vec<Vec<Digest>>;

/// Paths whose siblings lead to their roots.
pub fn of_known(
    hash: Hash,
    depth: usize,
    text: &str,
) -> Result<(MerklePaths, Siblings), ListError> {
    let (mut paths, mut siblings) = (vec![], vec![]);
    for (line, words) in words(hash, depth, text)? {
        let (path, known) = match words.as_slice() {
            [leaf, index, root, known @ ..] if known.len() == depth => {
                (path(hash, depth, line, [leaf, index, root])?, known)
            }
            words => {
                let expected = format!("`LEAF INDEX ROOT` and {depth} siblings");
                return Err(other_words(line, expected, words));
            }
        };
        let known = known.iter().enumerate().map(|(level, word)| {
            let part = format_args!("sibling at level {level}");
            digest(hash, line, &part, word)
        });
        let known = known.collect::<Result<Vec<_>, _>>()?;
        let found = root(hash, &path.leaf, path.index, &known);
        if found != Some(path.root) {
            let mut digits = String::new();
            write_digits(&mut digits, &found.unwrap_or_default());
            return Err(ListError::Root {
                line,
                level: depth,
                found: digits,
            });
        }
        paths.push(path);
        siblings.push(known);
    }
    Ok((MerklePaths::new(hash, depth, paths)?, siblings))
}

/// The statement that a list of leaves, indices and roots is, true or not.
pub fn of_paths(hash: Hash, depth: usize, text: &str) -> Result<MerklePaths, ListError> {
    let paths = words(hash, depth, text)?.map(|(line, words)| match words.as_slice() {
        [leaf, index, root] => path(hash, depth, line, [leaf, index, root]),
        words => Err(other_words(line, "`LEAF INDEX ROOT`".to_owned(), words)),
    });
    let paths = paths.collect::<Result<_, _>>()?;
    Ok(MerklePaths::new(hash, depth, paths)?)
}

/// The list of a statement's paths, as [`of_paths`] reads it.
pub fn write(statement: &MerklePaths) -> String {
    let mut text = String::new();
    for Path { leaf, index, root } in statement.paths() {
        write_digits(&mut text, leaf);
        // Writing to a string does not fail.
        let _ = write!(text, " {index} ");
        write_digits(&mut text, root);
        text.push('\n');
    }
    text
}

fn words(
    hash: Hash,
    depth: usize,
    text: &str,
) -> Result<impl Iterator<Item = (usize, Vec<&str>)>, ListError> {
    let most = hash.max_calls();
    lines(text, most / depth, move |paths| PathsError::TooManyNodes {
        hash,
        paths,
        depth,
        most,
    })
}

const fn other_words(line: usize, expected: String, words: &[&str]) -> ListError {
    ListError::Words {
        line,
        expected,
        found: words.len(),
    }
}

fn path(
    hash: Hash,
    depth: usize,
    line: usize,
    [leaf, index, root]: [&str; 3],
) -> Result<Path, ListError> {
    let inside = |index: &u64| index.checked_shr(depth as u32).unwrap_or(0) == 0;
    let number = index.parse().ok().filter(inside);
    Ok(Path {
        leaf: digest(hash, line, &"leaf", leaf)?,
        index: number.ok_or_else(|| ListError::Index {
            line,
            depth,
            found: index.to_owned(),
        })?,
        root: digest(hash, line, &"root", root)?,
    })
}

fn digest(hash: Hash, line: usize, part: &dyn Display, word: &str) -> Result<Digest, ListError> {
    let bytes = bytes(hash, line, part, word, size_of::<Digest>())?;
    Ok(bytes.first_chunk().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::hashes::random;

    /// A list with siblings, as users write it.
    fn known((paths, siblings): &(MerklePaths, Siblings)) -> String {
        let lines = write(paths);
        let lines = lines.lines().zip(siblings).map(|(line, siblings)| {
            let mut line = line.to_owned();
            for sibling in siblings {
                line.push(' ');
                write_digits(&mut line, sibling);
            }
            line + "\n"
        });
        lines.collect()
    }

    #[test]
    fn lists_are_written_as_they_are_read() {
        for hash in Hash::ALL {
            for depth in [1, 3, 64] {
                let paths = random::paths(hash, depth, 2, 5).unwrap();
                let text = format!("# paths\n\n{}", known(&paths));
                assert_eq!(of_known(hash, depth, &text).unwrap(), paths);
                let read = of_paths(hash, depth, &write(&paths.0)).unwrap();
                assert_eq!(read, paths.0);
            }
        }
    }

    #[test]
    fn errors_name_line_and_level() {
        let paths = random::paths(Hash::Blake2s, 2, 2, 0).unwrap();
        let text = known(&paths);
        let words: Vec<&str> = text.split_whitespace().collect();
        let refused = |place: usize, word: &str| {
            let mut words = words.clone();
            words[place] = word;
            let lines = format!("{}\n\n{}", words[..5].join(" "), words[5..].join(" "));
            of_known(Hash::Blake2s, 2, &lines).unwrap_err().to_string()
        };
        assert_eq!(
            refused(6, "4"),
            "line 3: the index is `4`, expected a number below 2^2"
        );
        assert_eq!(
            refused(9, "x1"),
            "line 3: the sibling at level 1's character 1 is `x`, expected a hexadecimal digit"
        );
        assert_eq!(
            refused(2, "12"),
            "line 1: the root has 2 digits, expected 64 for blake2s"
        );
        assert_eq!(
            refused(5, ""),
            "line 3 has 4 words, expected `LEAF INDEX ROOT` and 2 siblings"
        );
        for (place, other) in [(5, 0), (8, 0), (9, 8), (7, 5)] {
            let text = refused(place, words[other]);
            assert!(text.starts_with("line 3: at level 2 the siblings lead to "));
        }
        assert_eq!(
            of_paths(Hash::Blake2s, 2, &text).unwrap_err().to_string(),
            "line 1 has 5 words, expected `LEAF INDEX ROOT`"
        );
    }
}
