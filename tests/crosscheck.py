#!/usr/bin/env python3
"""Compares the engine with rules that are not ours: pyffish, the Python face of Fairy-Stockfish.

Three checks, all through the engine's UCI side:
1. the legal moves (`go perft 1`) in positions of random games are those of pyffish;
2. the position printed by `d` after every move of those games is that of pyffish, and stays the
   same when it is read back with `position fen`;
3. two processes of the engine play a game to its end; pyffish says whether each move and each
   expected line is legal, and when the game is over.

Exit codes: 0 all agree, 1 something differs, 2 the check could not be run.
"""

import argparse
import queue
import random
import subprocess
import sys
import threading
import time

try:
    import pyffish
except ImportError:
    print("pyffish is not installed: pip install -r tests/requirements.txt", file=sys.stderr)
    sys.exit(2)

VARIANT = "amazons"
START = pyffish.start_fen(VARIANT)
# 100 squares less 8 amazons: no game is longer.
MOST_TURNS = 92


class EngineError(Exception):
    """The engine is not there, has gone, is silent, or says what it must not."""


class Engine:
    """One engine process, spoken to in UCI. Every wait has a deadline."""

    def __init__(self, command, deadline=30.0):
        self.deadline = deadline
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
                errors="replace",
            )
        except OSError as error:
            raise EngineError(f"cannot start {command[0]}: {error.strerror}") from error
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        try:
            self.send("uci")
            self.until("uciok")
            self.send(f"setoption name UCI_Variant value {VARIANT}")
            self.send("ucinewgame")
            self.ready()
        except EngineError:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.send("quit")
            self.process.wait(5)
        except (EngineError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\r\n"))
        self.lines.put(None)

    def send(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise EngineError(f"has gone before `{line}`") from error

    def until(self, word):
        """The lines up to the first that begins with `word`, that one included."""
        end = time.monotonic() + self.deadline
        found = []
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise EngineError(f"gave no `{word}` in {self.deadline:.0f} s") from None
            if line is None:
                raise EngineError(f"ended before it gave `{word}`")
            found.append(line)
            if line.split(" ")[0] == word.split(" ")[0] and line.startswith(word):
                return found

    def ready(self):
        self.send("isready")
        self.until("readyok")

    def position(self, moves):
        self.send("position startpos" + (" moves " + " ".join(moves) if moves else ""))

    def legal_moves(self, moves):
        """The moves listed by `go perft 1`, and the number it names as their count."""
        self.position(moves)
        self.send("go perft 1")
        *listed, last = self.until("Nodes searched:")
        parts = [line.split(": ") for line in listed if line.endswith(": 1")]
        return [move for move, _ in parts], int(last.split(":")[1])

    def fen(self):
        self.send("d")
        line = self.until("Fen:")[-1]
        # What else `d` prints must not be taken for the answer to the next question.
        self.ready()
        return line.removeprefix("Fen:").strip()

    def search(self, moves, movetime):
        """The best move, and the lines of moves that were said to follow from the position."""
        self.position(moves)
        self.send(f"go movetime {movetime}")
        *infos, last = self.until("bestmove")
        words = last.split()
        best = words[1] if len(words) > 1 else ""
        lines = [info.partition(" pv ")[2].split() for info in infos if " pv " in info][-1:]
        if len(words) > 3 and words[2] == "ponder":
            lines.append([best, words[3]])
        return best, lines


class Tally:
    """Counts what agreed and what did not, and shows the first differences."""

    SHOWN = 10

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, agrees, describe):
        if agrees:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= self.SHOWN:
            print(f"DIFFERS: {describe()}")


def some(moves):
    """A few of a set of moves, for a message."""
    listed = sorted(moves)
    return " ".join(listed[:5]) + (" ..." if len(listed) > 5 else "") if listed else "none"


def compare_moves(engine, game, tally):
    """The engine's legal moves after `game` against pyffish's, which are returned."""
    theirs = pyffish.legal_moves(VARIANT, START, game)
    ours, count = engine.legal_moves(game)
    where = " ".join(game) or "the start"
    tally.check(
        sorted(ours) == sorted(theirs) and count == len(theirs),
        lambda: f"legal moves after {where}: {len(theirs)} wanted, {len(ours)} listed, "
        f"{count} counted; missing {some(set(theirs) - set(ours))}; "
        f"illegal {some(set(ours) - set(theirs))}",
    )
    return theirs


def compare_fens(engine, game, tally):
    """The engine's position after `game` against pyffish's, and read from pyffish's text."""
    theirs = pyffish.get_fen(VARIANT, START, game)
    engine.position(game)
    ours = engine.fen()
    tally.check(
        ours == theirs,
        lambda: f"position after {' '.join(game) or 'the start'}: "
        f"{theirs!r} wanted, {ours!r} given",
    )
    engine.send(f"position fen {theirs}")
    read = engine.fen()
    tally.check(read == theirs, lambda: f"position {theirs!r} is read as {read!r}")


def check_random_games(engine, rng, positions, moves_tally, fen_tally):
    """Plays random games to their ends until `positions` positions have been compared."""
    games = 0
    while positions > 0:
        game = []
        games += 1
        while positions > 0:
            legal = compare_moves(engine, game, moves_tally)
            compare_fens(engine, game, fen_tally)
            positions -= 1
            if not legal:
                break
            game.append(rng.choice(legal))
    return games


def is_playable(game, line):
    """Whether the moves of `line` can be played one after the other after `game`."""
    return all(
        move in pyffish.legal_moves(VARIANT, START, game + line[:ply])
        for ply, move in enumerate(line)
    )


def play_game(white, black, movetime, tally):
    """One game between two engines. Returns a sentence that tells how it ended."""
    game = []
    while True:
        mover = ("white", "black")[len(game) % 2]
        engine = (white, black)[len(game) % 2]
        legal = pyffish.legal_moves(VARIANT, START, game)
        if not legal:
            winner = ("black", "white")[len(game) % 2]
            said, _ = engine.search(game, movetime)
            tally.check(
                said == "(none)",
                lambda: f"{mover} has no move and answered {said!r} instead of (none)",
            )
            tally.check(len(game) <= MOST_TURNS, lambda: f"a game of {len(game)} turns")
            return f"{winner} made the last move, turn {len(game)}"
        move, lines = engine.search(game, movetime)
        tally.check(
            move in legal,
            lambda: f"{mover} played {move!r} after {' '.join(game) or 'the start'}: not legal",
        )
        if move not in legal:
            return f"stopped at an illegal move of {mover}"
        for line in lines:
            tally.check(
                is_playable(game, line),
                lambda: f"{mover} expects {' '.join(line)} after {' '.join(game) or 'the start'}: "
                "not legal",
            )
        game.append(move)


def run(arguments):
    rng = random.Random(arguments.seed)
    command = [arguments.engine, *arguments.argument]
    moves_tally, fen_tally, game_tally = Tally(), Tally(), Tally()
    version = ".".join(map(str, pyffish.version()))
    print(f"pyffish {version}, seed {arguments.seed}, engine {' '.join(command)}")
    with Engine(command) as engine:
        began = time.monotonic()
        games = check_random_games(engine, rng, arguments.positions, moves_tally, fen_tally)
        seconds = time.monotonic() - began
        print(f"{arguments.positions} positions of {games} random games: {seconds:.1f} s")
    with Engine(command) as white, Engine(command) as black:
        began = time.monotonic()
        ending = play_game(white, black, arguments.movetime, game_tally)
        print(f"game at {arguments.movetime} ms a move: {ending}, {time.monotonic() - began:.1f} s")
    return [("legal moves", moves_tally), ("positions", fen_tally), ("game", game_tally)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("engine", help="the engine's program")
    parser.add_argument("argument", nargs="*", help="its arguments (Otrera: uci)")
    parser.add_argument("--seed", type=int, default=1992, help="of the random games (%(default)s)")
    parser.add_argument(
        "--positions", type=int, default=300, help="positions compared (%(default)s)"
    )
    parser.add_argument(
        "--movetime", type=int, default=50, help="ms a move in the game (%(default)s)"
    )
    arguments = parser.parse_args()
    try:
        tallies = run(arguments)
    except EngineError as error:
        print(f"the engine {error}", file=sys.stderr)
        return 2
    for name, tally in tallies:
        print(f"{name}: {tally.passed} agree, {tally.failed} differ")
    failed = sum(tally.failed for _, tally in tallies)
    print(f"{sum(tally.passed for _, tally in tallies)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
