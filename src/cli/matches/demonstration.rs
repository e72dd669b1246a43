//! `otrera match` without options: a game that can be watched.

use std::io::{self, Write};
use std::path::Path;

use crate::amazons::Position;
use crate::arena::cause::Cause;
use crate::arena::schedule::Pairing;
use crate::arena::standing::{GameResult, Standing};
use crate::arena::tournament::Observer;
use crate::record::Ply;

/// The command line that this game could have been asked for with.
pub fn words(program: &Path) -> Vec<String> {
    let engine = |name: &str, limits: &[&str]| {
        let own = ["-engine", &format!("cmd={}", program.display()), "args=uci"].map(str::to_owned);
        let limits = limits.iter().map(|limit| (*limit).to_owned());
        own.into_iter().chain([format!("name={name}")]).chain(limits).collect::<Vec<_>>()
    };
    let mut words: Vec<String> = Vec::new();
    words.extend(engine("Thinker", &["st=0.3", "timemargin=2000"]));
    words.extend(engine("Hasty", &["nodes=100"]));
    words.extend(["-games", "1"].map(str::to_owned));
    words
}

/// What the newcomer reads first.
pub const INTRODUCTION: &str = "\
Two copies of this engine play a game: Thinker takes 0.3 s for each move, Hasty looks at 100
positions. W and B are the amazons, X are arrows. A move like d1-d7/g7 takes an amazon from d1 to
d7, from where it shoots an arrow to g7. Who cannot move loses. (otrera match --help shows how to
let any engines play.)
";

/// Draws the board after every move, and explains the result.
pub struct Show;

impl Show {
    /// If nobody reads it, the game goes on all the same.
    fn print(text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }
}

impl Observer for Show {
    fn moved(&self, pairing: &Pairing, position: &Position, ply: &Ply) {
        let side = !position.side_to_move();
        let name = ["Thinker", "Hasty"][pairing.player(side).min(1)];
        let turn = position.turns();
        Show::print(&format!(
            "\n{turn}. {side} ({name}) plays {}   {}\n{}",
            ply.mv,
            ply.thought,
            position.diagram(|square| position.sign(square))
        ));
    }

    fn finished(&self, _: &Pairing, result: &GameResult, standing: &Standing) {
        let winner = match result.half_points(result.white) {
            0 => &standing.names()[result.black],
            _ => &standing.names()[result.white],
        };
        let why = match result.cause {
            Cause::Adjudicated => {
                "\nThe ground is divided: nothing that is still open can change who runs out of \
                 moves first, as the referee has counted. It ends the game here."
            }
            _ => "",
        };
        Show::print(&format!("\n{}.{why}\n{winner} has won.\n", result.explanation));
    }

    fn warned(&self, warning: &str) {
        Show::print(&format!("({warning})\n"));
    }
}
