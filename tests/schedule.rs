//! The schedule of a match: everybody meets equally often, with both colours, on the same openings.

use std::collections::{BTreeMap, BTreeSet};

use otrera::arena::schedule::{Format, Order, Pairing, ScheduleError, Settings, schedule};
use otrera::game::Colour;
use proptest::prelude::*;

fn settings() -> impl Strategy<Value = Settings> {
    (
        (2usize..7, any::<bool>(), 1u32..9, 1u32..4, any::<bool>()),
        (1usize..20, any::<bool>(), 0usize..30, any::<u64>()),
    )
        .prop_map(
            |((engines, gauntlet, rounds, games, pairs), (openings, random, first, seed))| {
                Settings {
                    engines,
                    format: if gauntlet { Format::Gauntlet } else { Format::RoundRobin },
                    rounds,
                    games: if pairs { 2 * games } else { games },
                    pairs,
                    openings,
                    order: if random { Order::Random } else { Order::Sequential },
                    first_opening: first,
                    seed,
                }
            },
        )
}

fn by_engines(games: &[Pairing]) -> BTreeMap<[usize; 2], Vec<&Pairing>> {
    let mut met: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for game in games {
        met.entry(game.engines).or_default().push(game);
    }
    met
}

proptest! {
    #[test]
    fn all_encounters_take_place_equally_often(settings in settings()) {
        let games = schedule(&settings).unwrap();
        let met = by_engines(&games);
        let engines = settings.engines;
        prop_assert_eq!(met.len(), match settings.format {
            Format::RoundRobin => engines * (engines - 1) / 2,
            Format::Gauntlet => engines - 1,
        });
        for (pair, games) in met {
            prop_assert!(pair[0] < pair[1] && pair[1] < engines);
            prop_assert!(settings.format == Format::RoundRobin || pair[0] == 0);
            prop_assert_eq!(games.len() as u32, settings.rounds * settings.games);
            let white = games.iter().filter(|game| game.first_plays == Colour::White).count();
            prop_assert!(white.abs_diff(games.len() - white) <= 1);
        }
    }

    #[test]
    fn games_are_numbered_and_name_their_players(settings in settings()) {
        for (number, game) in schedule(&settings).unwrap().iter().enumerate() {
            prop_assert_eq!(game.game as usize, number);
            prop_assert_eq!(game.player(game.first_plays), game.engines[0]);
            prop_assert_eq!(game.player(!game.first_plays), game.engines[1]);
        }
    }

    #[test]
    fn the_games_of_a_pair_share_an_opening_and_swap_colours(settings in settings()) {
        let games = schedule(&settings).unwrap();
        for game in &games {
            prop_assert_eq!(game.partner.is_some(), settings.pairs);
            if let Some(partner) = game.partner {
                let partner = &games[partner as usize];
                prop_assert_eq!(partner.partner, Some(game.game));
                prop_assert_eq!(partner.engines, game.engines);
                prop_assert_eq!(partner.opening, game.opening);
                prop_assert_eq!(partner.first_plays, !game.first_plays);
            }
        }
    }

    #[test]
    fn no_pairing_repeats_an_opening_before_all_were_used(settings in settings()) {
        let settings = Settings { first_opening: 0, ..settings };
        let slots = if settings.pairs { settings.games / 2 } else { settings.games } as usize;
        for games in by_engines(&schedule(&settings).unwrap()).values() {
            let per_opening = games.len() / (slots * settings.rounds as usize);
            let used: Vec<usize> = games.iter().step_by(per_opening).map(|g| g.opening).collect();
            for pass in used.chunks(settings.openings) {
                prop_assert!(pass.iter().all(|&opening| opening < settings.openings));
                prop_assert_eq!(pass.iter().collect::<BTreeSet<_>>().len(), pass.len());
            }
        }
    }

    #[test]
    fn a_longer_match_begins_like_a_shorter_one(settings in settings()) {
        let games = schedule(&settings).unwrap();
        let longer = schedule(&Settings { rounds: settings.rounds + 1, ..settings }).unwrap();
        prop_assert_eq!(&games[..], &longer[..games.len()]);
    }
}

#[test]
fn impossible_settings_are_refused() {
    let settings = Settings {
        engines: 2,
        format: Format::RoundRobin,
        rounds: 1,
        games: 2,
        pairs: true,
        openings: 1,
        order: Order::Sequential,
        first_opening: 0,
        seed: 0,
    };
    let refused = |settings| schedule(&settings).unwrap_err();
    assert_eq!(refused(Settings { engines: 1, ..settings }), ScheduleError::Engines(1));
    assert_eq!(refused(Settings { rounds: 0, ..settings }), ScheduleError::Empty);
    assert_eq!(refused(Settings { openings: 0, ..settings }), ScheduleError::Openings);
    assert_eq!(refused(Settings { games: 3, ..settings }), ScheduleError::OddPairs(3));
    assert_eq!(refused(Settings { rounds: u32::MAX, ..settings }), ScheduleError::TooMany);
}
