//! How long to think.
//!
//! A game lasts about eighty turns, of which each side plays half, and is usually settled near the
//! 58th; what comes after is counting, which takes no time. So the time left is shared evenly among
//! the own turns up to there, with a reserve for those after it.

use std::time::Duration;

use super::limits::Limits;
use super::options::Options;
use crate::game::Colour;
use crate::search::Progress;

/// The turn, counted for both sides, near which a game is settled.
const SETTLED: u32 = 58;

/// However far a game has come, this many more own turns are planned for.
const FEWEST_TURNS: u32 = 5;

/// Own turns' worth of time kept for the counting after the game is settled.
const RESERVE: u32 = 2;

/// The time for one turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Budget {
    /// As long as nobody says stop.
    Unlimited,
    /// All of it, unless the result is proven.
    Fixed(Duration),
    /// A share of a clock.
    Share {
        /// After this the search ends if its choice looks stable.
        optimum: Duration,
        /// After this it ends in any case.
        maximum: Duration,
    },
}

impl Budget {
    /// The time that `side` should use, `turns` after the start of the game.
    pub(super) fn new<M>(
        limits: &Limits<M>,
        side: Colour,
        turns: u16,
        options: &Options,
    ) -> Budget {
        if limits.infinite {
            return Budget::Unlimited;
        }
        let overhead = options.move_overhead();
        if let Some(time) = limits.move_time {
            // The overhead must not eat a move time that is short itself.
            return Budget::Fixed(time - overhead.min(time / 2));
        }
        // A client that tells only the opponent's clock still waits for an answer.
        let (mine, other) = (side.index(), (!side).index());
        let Some(left) = limits.time[mine].or(limits.time[other]) else {
            return Budget::Unlimited;
        };
        let increment = limits.increment[mine].unwrap_or_default();
        let planned = SETTLED.saturating_sub(u32::from(turns)).div_ceil(2).max(FEWEST_TURNS);
        let (shares, reserve) = match limits.moves_to_go {
            None | Some(0) => (planned, RESERVE),
            // The increment of the last turn before the control comes too late for it.
            Some(moves) => (moves.min(planned), u32::from(moves > planned) * RESERVE),
        };
        let usable = left.saturating_sub(overhead);
        let mut optimum = usable / (shares + reserve) + increment * 3 / 4;
        if options.ponder() && shares > 1 {
            optimum = optimum * 5 / 4;
        }
        // One turn never takes more than a third of the clock, unless the control is at hand.
        let ceiling = match shares {
            1 => usable * 9 / 10,
            2 => usable / 2,
            _ => usable / 3,
        };
        let optimum = optimum.min(ceiling);
        Budget::Share { optimum, maximum: (optimum * 5 / 2).min(ceiling) }
    }

    /// Whether the search should end. `thinking` is the time since it began, pondering included,
    /// and `charged` the time that the own clock has been running. Analysis uses all its time.
    pub(super) fn is_spent(
        self,
        thinking: Duration,
        charged: Duration,
        progress: &Progress,
        analyse: bool,
    ) -> bool {
        match self {
            Budget::Unlimited => false,
            Budget::Fixed(time) => charged >= time,
            Budget::Share { optimum, .. } if analyse => charged >= optimum,
            Budget::Share { optimum, maximum } => {
                charged >= maximum
                    || thinking >= optimum.max(needed(optimum, progress)).min(maximum)
                    || (thinking < optimum && is_out_of_reach(progress, optimum - thinking))
            }
        }
    }
}

/// How long the search should go on, given what its choice looks like: longer when it has changed
/// its mind in the last quarter of its visits, or the second choice is close.
fn needed(optimum: Duration, progress: &Progress) -> Duration {
    let recent = progress.best_changed_at > progress.nodes / 4 * 3;
    let close = progress.second_visits > progress.best_visits / 4 * 3;
    match (recent, close) {
        (true, true) => optimum * 2,
        (true, false) | (false, true) => optimum * 3 / 2,
        (false, false) => optimum,
    }
}

/// Whether the second choice could not catch up in the time left, if every visit went to it.
fn is_out_of_reach(progress: &Progress, left: Duration) -> bool {
    let elapsed = progress.elapsed.as_micros().max(1);
    let visits = u128::from(progress.nodes) * left.as_micros() / elapsed;
    // A search that has just begun knows neither its speed nor its choice.
    progress.nodes >= 1000
        && u128::from(progress.best_visits.saturating_sub(progress.second_visits)) > visits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Value;

    const MS: Duration = Duration::from_millis(1);

    fn clock(left: Duration, increment: Duration, moves_to_go: Option<u32>) -> Limits<()> {
        Limits {
            time: [Some(left); 2],
            increment: [Some(increment); 2],
            moves_to_go,
            ..Limits::default()
        }
    }

    fn share(limits: &Limits<()>, turns: u16, options: &Options) -> (Duration, Duration) {
        match Budget::new(limits, Colour::White, turns, options) {
            Budget::Share { optimum, maximum } => (optimum, maximum),
            other => panic!("{other:?}"),
        }
    }

    fn progress(nodes: u64, best: u64, second: u64, changed: u64) -> Progress {
        Progress {
            nodes,
            elapsed: 100 * MS,
            best_visits: best,
            second_visits: second,
            best_value: Value::EVEN,
            best_changed_at: changed,
        }
    }

    #[test]
    fn the_budget_lies_within_the_clock_whatever_it_shows() {
        let options = Options::new();
        for left in [0, 1, 9, 10, 11, 50, 500, 10_000, 1_800_000] {
            for increment in [0, 1, 10, 1000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(9999)] {
                    for turns in [0, 1, 30, 57, 58, 80, 92, u16::MAX] {
                        let limits = clock(left * MS, increment * MS, moves_to_go);
                        let (optimum, maximum) = share(&limits, turns, &options);
                        assert!(optimum <= maximum);
                        assert!(maximum <= (left * MS).saturating_sub(10 * MS));
                    }
                }
            }
        }
    }

    #[test]
    fn a_whole_game_never_runs_out_even_if_every_turn_takes_its_maximum() {
        for (left, increment) in [(500, 5), (10_000, 0), (1_800_000, 0), (100, 1), (60, 0)] {
            // What the clock loses on each turn beyond the search is what the option says.
            let overhead = 10 * MS;
            let mut clock_left = left * MS;
            for turn in 0..46 {
                let limits = clock(clock_left, increment * MS, None);
                let (_, maximum) = share(&limits, 2 * turn, &Options::new());
                let lost = if maximum.is_zero() { Duration::ZERO } else { overhead };
                assert!(maximum + lost <= clock_left, "{left}+{increment} at {turn}");
                clock_left = clock_left - maximum - lost + increment * MS;
            }
        }
    }

    #[test]
    fn most_of_the_time_is_used_where_the_game_is_decided() {
        let mut left = 600_000 * MS;
        let whole = left;
        for turn in 0..29 {
            let (optimum, _) = share(&clock(left, Duration::ZERO, None), 2 * turn, &Options::new());
            left -= optimum;
        }
        assert!(left < whole * 15 / 100, "{left:?}");
        assert!(left > whole * 5 / 100, "{left:?}");
    }

    #[test]
    fn the_last_turn_before_a_control_may_use_nearly_all() {
        let (optimum, _) = share(&clock(10_000 * MS, Duration::ZERO, Some(1)), 10, &Options::new());
        assert_eq!(optimum, 9990 * MS * 9 / 10);
    }

    #[test]
    fn move_time_is_kept_and_the_overhead_is_honoured() {
        let fixed = |ms: u32| {
            let limits = Limits::<()> { move_time: Some(ms * MS), ..Limits::default() };
            Budget::new(&limits, Colour::Black, 0, &Options::new())
        };
        assert_eq!(fixed(1000), Budget::Fixed(990 * MS));
        assert_eq!(fixed(10), Budget::Fixed(5 * MS));
        assert_eq!(fixed(0), Budget::Fixed(Duration::ZERO));
        let mut options = Options::new();
        options.set("Move Overhead", Some("200")).unwrap();
        let (least, _) = share(&clock(250 * MS, Duration::ZERO, Some(1)), 0, &options);
        assert_eq!(least, 45 * MS);
    }

    #[test]
    fn without_a_clock_there_is_no_budget_and_one_clock_does_for_both() {
        let options = Options::new();
        let none = Limits::<()>::default();
        assert_eq!(Budget::new(&none, Colour::White, 0, &options), Budget::Unlimited);
        let whites = Limits::<()> { time: [Some(1000 * MS), None], ..Limits::default() };
        assert!(matches!(Budget::new(&whites, Colour::Black, 0, &options), Budget::Share { .. }));
        let endless = Limits { infinite: true, ..whites };
        assert_eq!(Budget::new(&endless, Colour::White, 0, &options), Budget::Unlimited);
    }

    #[test]
    fn a_clear_choice_ends_early_and_a_doubtful_one_late() {
        let budget = Budget::Share { optimum: 1000 * MS, maximum: 2500 * MS };
        let spent = |at: u32, progress| budget.is_spent(at * MS, at * MS, &progress, false);
        // 10,000 visits in 100 ms: 90,000 more could come until the optimum.
        assert!(!spent(100, progress(10_000, 9_000, 10, 5)));
        assert!(spent(100, progress(10_000, 95_000, 10, 5)));
        assert!(!budget.is_spent(100 * MS, 100 * MS, &progress(10_000, 95_000, 10, 5), true));
        assert!(spent(1000, progress(100_000, 60_000, 10_000, 5)));
        assert!(!spent(1000, progress(100_000, 60_000, 10_000, 90_000)));
        assert!(!spent(1900, progress(100_000, 50_000, 49_000, 90_000)));
        assert!(spent(2000, progress(100_000, 50_000, 49_000, 90_000)));
    }

    #[test]
    fn time_spent_pondering_counts_for_the_optimum_and_not_for_the_clock() {
        let budget = Budget::Share { optimum: 1000 * MS, maximum: 2500 * MS };
        let calm = progress(100_000, 60_000, 10_000, 5);
        assert!(budget.is_spent(5000 * MS, Duration::ZERO, &calm, false));
        assert!(!Budget::Fixed(100 * MS).is_spent(5000 * MS, 99 * MS, &calm, false));
    }
}
