//! The laws of the eight symmetries.

use std::collections::HashSet;

use otrera::amazons::{Position, Square, Symmetry};
use rand::RngExt;

use crate::positions;

#[test]
fn the_eight_are_a_group_on_every_board() {
    for (files, ranks) in [(10, 10), (8, 8), (7, 3), (1, 10), (4, 5)] {
        let squares = || Square::all().filter(move |s| s.file() < files && s.rank() < ranks);
        for first in Symmetry::ALL {
            let (new_files, new_ranks) = first.size(files, ranks);
            for square in squares() {
                let image = first.square(square, files, ranks);
                assert!(image.file() < new_files && image.rank() < new_ranks);
                assert_eq!(first.inverse().square(image, new_files, new_ranks), square);
                for second in Symmetry::ALL {
                    assert_eq!(
                        first.then(second).square(square, files, ranks),
                        second.square(image, new_files, new_ranks),
                        "{first:?} then {second:?}"
                    );
                }
            }
            assert_eq!(first.then(first.inverse()), Symmetry::Identity);
            assert_eq!(first.inverse().then(first), Symmetry::Identity);
        }
    }
}

#[test]
fn the_names_say_where_the_corners_go() {
    let image =
        |symmetry: Symmetry, name: &str| symmetry.square(name.parse().unwrap(), 10, 10).to_string();
    let a1_and_b1 = Symmetry::ALL.map(|s| [image(s, "a1"), image(s, "b1")].join(" "));
    assert_eq!(
        a1_and_b1,
        ["a1 b1", "j1 i1", "a10 b10", "j10 i10", "a1 a2", "a10 a9", "j1 j2", "j10 j9"]
    );
}

#[test]
fn images_play_alike() {
    positions::many(3, 60, |_, position, moves| {
        let (files, ranks) = (position.files(), position.ranks());
        for symmetry in Symmetry::ALL {
            let image = symmetry.position(position);
            assert_eq!(image.hash(), image.hash_from_scratch());
            assert_eq!(symmetry.inverse().position(&image), *position);
            assert_eq!(
                (image.turns(), image.full_turn()),
                (position.turns(), position.full_turn())
            );
            let expected: HashSet<_> =
                moves.iter().map(|&mv| symmetry.mv(mv, files, ranks)).collect();
            let found: HashSet<_> = image.legal_moves().into_iter().collect();
            assert_eq!(found, expected);
        }
    });
}

#[test]
fn an_image_after_a_step_is_the_image_of_the_position_after_it() {
    positions::many(4, 60, |rng, position, moves| {
        if moves.is_empty() {
            return;
        }
        let (files, ranks) = (position.files(), position.ranks());
        let mv = moves[rng.random_range(0..moves.len())];
        for symmetry in Symmetry::ALL {
            let mut played = position.clone();
            let mut image = symmetry.position(position);
            for step in mv.steps() {
                played.play(step);
                image.play(symmetry.step(step, files, ranks));
                assert_eq!(image, symmetry.position(&played));
                assert_eq!(image.hash(), symmetry.position(&played).hash());
            }
        }
    });
}

#[test]
fn all_images_have_one_canonical_position() {
    positions::many(5, 60, |_, position, _| {
        let (canonical, symmetry) = position.canonical();
        assert_eq!(symmetry.position(position), canonical);
        for image in Symmetry::ALL.map(|s| s.position(position)) {
            assert_eq!(image.canonical().0, canonical);
            assert_eq!(image.canonical_hash(), canonical.hash());
        }
    });
}

#[test]
fn first_moves_fall_into_classes_of_the_start_position() {
    // Of the eight symmetries two keep the start with White at the bottom: the identity and the
    // mirroring of files. No first move is its own mirror image, since the amazon changes sides,
    // so the 2176 first moves lead to half as many different positions.
    let start = Position::start();
    let classes: HashSet<u64> = start
        .legal_moves()
        .into_iter()
        .map(|mv| {
            let mut after = start.clone();
            after.play_move(mv);
            after.canonical_hash()
        })
        .collect();
    assert_eq!(classes.len(), 2176 / 2);
}
