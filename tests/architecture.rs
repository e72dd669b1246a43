//! The arrows between the rooms, which Rust does not enforce inside a crate: this reads every path
//! in `src` that leaves its room and compares it with the floors below.
//!
//! A path counts wherever it stands: in a `use` (with groups, globs and renames), in code, in an
//! attribute or in the arguments of a macro. Comments and the links in documentation do not.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The rooms from the ground floor up, and the lower rooms that each must not use all the same.
/// A room uses only rooms before it in this list, so there can be no cycle.
const ROOMS: &[(&str, &[&str])] = &[
    ("game", &[]),
    ("amazons", &[]),
    ("latrel", &["amazons"]),
    ("eval", &[]),
    ("endgame", &[]),
    ("search", &["amazons", "latrel", "eval", "endgame"]),
    ("engine", &[]),
    ("record", &[]),
    ("protocol", &[]),
    ("arena", &["search", "eval"]),
    ("learn", &[]),
    ("web", &[]),
    ("cli", &[]),
];

/// What comes from outside the crate and is not for every room: the path, who may name it, and
/// why. The roots of the program and of the library count as the rooms `main` and `lib`.
const CONFINED: &[(&str, Access, &str)] = &[
    ("std::io", Access::AllBut("search"), "the search neither prints nor reads"),
    ("std::fs", Access::AllBut("search"), "the search neither prints nor reads"),
    ("std::net", Access::AllBut("search"), "the search neither prints nor reads"),
    ("std::env", Access::AllBut("search"), "the search neither prints nor reads"),
    ("std::process", Access::AllBut("search"), "the search neither prints nor reads"),
    ("std::io::stdout", Access::Only(&["cli"]), "only cli prints"),
    ("std::io::stderr", Access::Only(&["cli"]), "only cli prints"),
    ("indicatif", Access::Only(&["cli"]), "only cli prints"),
    ("env_logger", Access::Only(&["cli", "main"]), "only cli prints"),
    ("anyhow", Access::Only(&["cli", "main"]), "the library has typed errors"),
];

/// Macros that print to the terminal.
const PRINTING: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// Who may name something from outside the crate.
#[derive(Clone, Copy)]
enum Access {
    Only(&'static [&'static str]),
    AllBut(&'static str),
}

impl Access {
    fn permits(self, room: &str) -> bool {
        match self {
            Access::Only(rooms) => rooms.contains(&room),
            Access::AllBut(excluded) => room != excluded,
        }
    }
}

/// A line that breaks the rules of the house.
struct Violation {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "src/{}:{}: {}", self.file, self.line, self.what)
    }
}

/// The floor of a room, counted from the ground.
fn floor(room: &str) -> Option<usize> {
    ROOMS.iter().position(|&(name, _)| name == room)
}

/// Reads one file, whose path is relative to `src`, and returns all that is forbidden in it.
fn inspect(file: &str, source: &str) -> Vec<Violation> {
    let mut module: Vec<String> =
        file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let room = module[0].clone();
    let is_root = file == "lib.rs" || file == "main.rs";
    if is_root || module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    let mut reader = Reader { file, room, is_root, found: Vec::new() };
    if !is_root && floor(&reader.room).is_none() {
        reader.forbid(1, format!("`{}` is no room of the house", reader.room));
    }
    match TokenStream::from_str(source) {
        Ok(tokens) => reader.read(tokens, &mut module),
        Err(error) => reader.forbid(1, format!("cannot be read as Rust: {error}")),
    }
    reader.found
}

/// Walks over the tokens of one file.
struct Reader<'a> {
    file: &'a str,
    /// The room the file belongs to, or `main` or `lib`.
    room: String,
    /// Whether the file is the root of the library or of the program.
    is_root: bool,
    found: Vec<Violation>,
}

impl Reader<'_> {
    fn forbid(&mut self, line: usize, what: String) {
        self.found.push(Violation { file: self.file.to_owned(), line, what });
    }

    /// Reads a run of tokens that stands in `module`.
    fn read(&mut self, tokens: TokenStream, module: &mut Vec<String>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = match &tokens[at] {
                TokenTree::Group(group) => {
                    self.read(group.stream(), module);
                    at + 1
                }
                TokenTree::Ident(word) if word == "use" && !is(tokens.get(at + 1), '<') => {
                    self.read_use(&tokens, at + 1, &mut Vec::new(), module)
                }
                TokenTree::Ident(word) if word == "mod" => self.read_mod(&tokens, at, module),
                TokenTree::Ident(_) => self.read_word(&tokens, at, module),
                TokenTree::Punct(_) | TokenTree::Literal(_) => at + 1,
            };
        }
    }

    /// Reads the word at `at` and the path it begins, and returns the place after them.
    fn read_word(&mut self, tokens: &[TokenTree], at: usize, module: &[String]) -> usize {
        let word = tokens[at].to_string();
        let line = line_of(&tokens[at]);
        let next = tokens.get(at + 1);
        if is(next, '!') && !is(tokens.get(at + 2), '=') {
            self.judge_macro(line, &word);
        }
        let names_a_file = word == "path" && is(next, '=') && is_whole_attribute(tokens, at);
        if names_a_file || (word == "extern" && ident(next).is_some_and(|next| next == "crate")) {
            self.forbid(line, format!("`{word}` hides where a path leads"));
        }
        if !is_separator(tokens, at + 1) || continues_path(tokens, at) {
            return at + 1;
        }
        let mut path = vec![word];
        let mut end = at + 1;
        while is_separator(tokens, end) {
            let Some(segment) = ident(tokens.get(end + 2)) else { break };
            path.push(segment);
            end += 3;
        }
        self.judge(line, &path, module);
        end
    }

    /// Reads from the word `mod` to the end of its block, or to its name where it has none.
    fn read_mod(&mut self, tokens: &[TokenTree], at: usize, module: &mut Vec<String>) -> usize {
        let Some(name) = ident(tokens.get(at + 1)) else { return at + 1 };
        if self.is_root && module.is_empty() && name != "tests" && floor(&name).is_none() {
            self.forbid(line_of(&tokens[at]), format!("`{name}` is no room of the house"));
        }
        let Some(TokenTree::Group(block)) = tokens.get(at + 2) else { return at + 2 };
        module.push(name);
        self.read(block.stream(), module);
        module.pop();
        at + 3
    }

    /// Reads a use tree that begins at `at` and goes on from `prefix`, and returns the place of
    /// the comma or semicolon that ends it.
    fn read_use(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        prefix: &mut Vec<String>,
        module: &[String],
    ) -> usize {
        let outer = prefix.len();
        let start = at;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(word) if word == "as" => at += 1,
                TokenTree::Ident(word) => prefix.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => prefix.push("*".to_owned()),
                TokenTree::Punct(mark) if matches!(mark.as_char(), ',' | ';') => break,
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let mut place = 0;
                    while place < inner.len() {
                        place = self.read_use(&inner, place, prefix, module) + 1;
                    }
                    prefix.truncate(outer);
                    return at + 1;
                }
                TokenTree::Punct(_) | TokenTree::Group(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
        let mut path = prefix.as_slice();
        if let [stem @ .., last] = path
            && last == "self"
            && !stem.is_empty()
        {
            path = stem;
        }
        if prefix.len() > outer {
            self.judge(line_of(&tokens[start]), path, module);
        }
        prefix.truncate(outer);
        at
    }

    /// Judges a path that stands in `module`. That of a glob ends in `*`.
    fn judge(&mut self, line: usize, path: &[String], module: &[String]) {
        let mut place = module.to_vec();
        let mut rest = path;
        match path[0].as_str() {
            "crate" | "otrera" => {
                place.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {}
            first if self.is_root && module.is_empty() && floor(first).is_some() => {}
            _ => return self.judge_outside(line, path),
        }
        while rest.first().is_some_and(|segment| segment == "super") {
            place.pop();
            rest = &rest[1..];
        }
        let target = place.first().or(rest.first()).map_or("*", String::as_str);
        self.judge_room(line, target, &path.join("::"));
    }

    /// Judges the use of the room `target`, or of the whole crate where that is `*`.
    fn judge_room(&mut self, line: usize, target: &str, path: &str) {
        let room = self.room.clone();
        if target == room || (target == "*" && self.is_root) {
            return;
        }
        if target == "*" {
            return self.forbid(line, format!("`{path}` takes in the whole crate"));
        }
        let Some(below) = floor(target) else {
            return self.forbid(line, format!("`{path}`: `{target}` is no room of the house"));
        };
        let allowed = match floor(&room) {
            Some(own) => below < own && !ROOMS[own].1.contains(&target),
            None => room == "main" || target != "cli",
        };
        if !allowed {
            self.forbid(line, format!("`{room}` must not use `{target}` (`{path}`)"));
        }
    }

    /// Judges a path that leads out of the crate. A single name comes from a `use` and, like a
    /// glob, opens everything below it.
    fn judge_outside(&mut self, line: usize, path: &[String]) {
        let glob = path.last().is_some_and(|last| last == "*");
        let stem = path[..path.len() - usize::from(glob)].join("::");
        let stem = if path[0] == "io" { format!("std::{stem}") } else { stem };
        let takes_all = glob || path.len() == 1;
        for &(confined, access, reason) in CONFINED {
            let touches = leads_into(&stem, confined) || (takes_all && leads_into(confined, &stem));
            if touches && !access.permits(&self.room) {
                let what = format!("`{}` must not use `{confined}`: {reason}", self.room);
                return self.forbid(line, what);
            }
        }
    }

    fn judge_macro(&mut self, line: usize, name: &str) {
        if PRINTING.contains(&name) && self.room != "cli" {
            self.forbid(line, format!("`{name}!` in `{}`: only cli prints", self.room));
        }
        if name == "include" {
            self.forbid(line, "`include!` hides where a path leads".to_owned());
        }
    }
}

/// Whether `path` is `stem` or something in it.
fn leads_into(path: &str, stem: &str) -> bool {
    path.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn line_of(token: &TokenTree) -> usize {
    token.span().start().line
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

fn is(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

/// Whether a `::` stands at `at`.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let joined = matches!(tokens.get(at),
        Some(TokenTree::Punct(mark)) if mark.as_char() == ':' && mark.spacing() == Spacing::Joint);
    joined && is(tokens.get(at + 1), ':')
}

/// Whether the word at `at` goes on with a path that began before it.
fn continues_path(tokens: &[TokenTree], at: usize) -> bool {
    at >= 3
        && is_separator(tokens, at - 2)
        && (ident(tokens.get(at - 3)).is_some() || is(tokens.get(at - 3), '>'))
}

/// Whether the tokens are `name = "text"` and nothing else, with the name at `at`.
fn is_whole_attribute(tokens: &[TokenTree], at: usize) -> bool {
    at == 0 && matches!(tokens, [_, _, TokenTree::Literal(_)])
}

/// Adds all Rust files below `folder`, as paths relative to `root` with `/` between their parts.
fn list_rust_files(root: &Path, folder: &Path, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the source folder can be listed") {
        let path = entry.expect("the source folder can be listed").path();
        if path.is_dir() {
            list_rust_files(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).expect("it was found below the root");
            files.push(relative.to_str().expect("names in plain text").replace('\\', "/"));
        }
    }
}

#[test]
fn every_room_uses_only_what_lies_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    list_rust_files(&root, &root, &mut files);
    files.sort();
    assert!(files.iter().any(|file| file == "game.rs"), "no ground floor in {files:?}");
    let mut found = Vec::new();
    for file in &files {
        let source = std::fs::read_to_string(root.join(file)).expect("a readable source file");
        found.extend(inspect(file, &source).iter().map(Violation::to_string));
    }
    assert!(found.is_empty(), "forbidden:\n{}", found.join("\n"));
}

#[track_caller]
fn assert_forbidden(file: &str, source: &str, expected: &str) {
    let found: Vec<String> = inspect(file, source).iter().map(Violation::to_string).collect();
    assert!(found.len() == 1 && found[0].contains(expected), "{file}: {source} gives {found:?}");
}

#[track_caller]
fn assert_clean(file: &str, source: &str) {
    let found: Vec<String> = inspect(file, source).iter().map(Violation::to_string).collect();
    assert!(found.is_empty(), "{file}: {source} gives {found:?}");
}

#[test]
fn the_forbidden_arrows_are_found() {
    for (file, source) in [
        ("game.rs", "use crate::amazons::Position;"),
        ("amazons/square.rs", "use crate::latrel::Piece;"),
        ("amazons/mod.rs", "use crate::eval::Fields;"),
        ("latrel/mod.rs", "use crate::amazons::Square;"),
        ("eval/mod.rs", "use crate::search::Search;"),
        ("eval/mod.rs", "use crate::endgame::filling;"),
        ("endgame/solver.rs", "use crate::search::Search;"),
        ("search/tree.rs", "use crate::amazons::Position;"),
        ("search/tree.rs", "use crate::latrel::Position;"),
        ("search/tree.rs", "use crate::eval::Classical;"),
        ("search/tree.rs", "use crate::endgame::RegionProver;"),
        ("engine/mod.rs", "use crate::protocol::Command;"),
        ("protocol/uci.rs", "use crate::cli::run;"),
        ("protocol/uci.rs", "use crate::arena::Match;"),
        ("protocol/uci.rs", "use crate::web::serve;"),
        ("arena/mod.rs", "use crate::search::Search;"),
        ("arena/mod.rs", "use crate::eval::Classical;"),
        ("learn/mod.rs", "use crate::cli::progress;"),
        ("web/mod.rs", "use crate::cli::progress;"),
        ("lib.rs", "pub use crate::cli::run;"),
        ("lib.rs", "pub use cli::run;"),
    ] {
        assert_forbidden(file, source, "must not use");
    }
}

#[test]
fn arrows_that_point_down_are_free() {
    assert_clean("cli/perft.rs", "use crate::{amazons, search::Search}; use indicatif::Bar;");
    assert_clean("main.rs", "use anyhow::Result; fn main() -> Result<()> { otrera::cli::run() }");
    assert_clean("lib.rs", "pub mod game; pub use game::Value; pub mod cli;");
    assert_clean("protocol/uci.rs", "use crate::engine::Player; use std::io::{self, BufRead};");
    assert_clean("arena/mod.rs", "use crate::{protocol::Command, endgame};");
    assert_clean("search/mod.rs", "use crate::game::{Game, Value}; use std::sync::Arc;");
    assert_clean("amazons/mod.rs", "mod square; use self::square::Square; use super::game::Game;");
}

#[test]
fn a_path_counts_however_it_is_written() {
    let expected = "`search` must not use `amazons`";
    for source in [
        "use super::amazons::Position;",
        "use crate::{game::Game, amazons::{Position}, game::{Proof, Value}};",
        "use crate::{game::*, amazons as game_of_the_amazons};",
        "use otrera::amazons;",
        "use ::otrera::amazons::*;",
        "pub(crate) use crate::amazons::{self};",
        "fn f() { let p = crate::amazons::Position::start(); }",
        "fn f(p: &super::amazons::Position) {}",
        "fn f<T: Into<crate::amazons::Square>>(t: T) {}",
        "fn f() { <crate::amazons::Position as Clone>::clone(&p); }",
        "fn f() { Vec::<crate::amazons::Position>::new() }",
        "fn f() { let p: ::otrera::amazons::Position = start(); }",
        "fn f() { assert_eq!(crate::amazons::Square::A1, x); }",
        "macro_rules! m { () => { $crate::amazons::Position::start() } }",
        "#[derive(Debug)] struct S { p: [crate::amazons::Position; 2] }",
        "mod tests { use super::super::amazons::Position; }",
        "fn f() { mod inner { fn g() { super::super::amazons::start() } } }",
    ] {
        assert_forbidden("search/mod.rs", source, expected);
    }
    assert_forbidden("search/tree.rs", "use super::super::amazons::Position;", expected);
    let deep = "mod a { mod b { use super::super::super::super::amazons; } }";
    assert_forbidden("search/tree.rs", deep, expected);
}

#[test]
fn paths_that_stay_inside_are_left_alone() {
    assert_clean("search/tree.rs", "use super::select::Choice; mod t { use super::*; }");
    assert_clean("search/mod.rs", "mod tree; mod t { use super::amazons::X; }");
    assert_clean("search/mod.rs", "use self::tree::Tree; use tree::amazons::X;");
    assert_clean("search/mod.rs", "fn f() -> impl Iterator + use<> { tree::crate_like::b() }");
    assert_clean("search/mod.rs", "pub(crate) fn f() {} pub(in crate::search) fn g() {}");
}

#[test]
fn comments_and_text_do_not_count() {
    assert_clean(
        "search/mod.rs",
        "//! See [`crate::amazons`].\n\
         /// Like [`Position`](crate::amazons::Position); use crate::amazons::Position;\n\
         // use crate::amazons::Position; println!(\"{}\")\n\
         /* use crate::cli::run; /* nested */ eprintln!() */\n\
         const TEXT: &str = \"use crate::amazons::Position; println!()\";\n\
         const RAW: &str = r#\"std::io::stdout() \"#;\n\
         fn lifetimes<'a>(c: char) -> bool { c == '\"' || c == '\\'' }",
    );
}

#[test]
fn unknown_rooms_and_the_whole_crate_are_refused() {
    assert_forbidden("util.rs", "", "`util` is no room");
    assert_forbidden("helpers/mod.rs", "", "`helpers` is no room");
    assert_forbidden("lib.rs", "pub mod common;", "`common` is no room");
    assert_forbidden("cli/mod.rs", "use crate::Search;", "`Search` is no room");
    assert_forbidden("search/mod.rs", "use crate::*;", "takes in the whole crate");
    assert_forbidden("search/mod.rs", "use super::*;", "takes in the whole crate");
    assert_forbidden("search/mod.rs", "use crate as all;", "takes in the whole crate");
    assert_forbidden("search/mod.rs", "use crate::{self as all};", "takes in the whole crate");
    assert_forbidden("search/mod.rs", "include!(\"../amazons/mod.rs\");", "hides");
    assert_forbidden("search/mod.rs", "#[path = \"../amazons/mod.rs\"] mod a;", "hides");
    assert_forbidden("search/mod.rs", "extern crate otrera as o;", "hides");
    assert_forbidden("search/mod.rs", "fn f( {", "cannot be read as Rust");
}

#[test]
fn printing_and_reading_keep_to_their_rooms() {
    for name in PRINTING {
        let source = format!("fn f() {{\n    {name}!(\"x\");\n}}");
        let expected = format!("engine/mod.rs:2: `{name}!` in `engine`");
        assert_forbidden("engine/mod.rs", &source, &expected);
        assert_clean("cli/mod.rs", &source);
    }
    assert_forbidden("protocol/mod.rs", "fn f() { std::io::stdout(); }", "only cli prints");
    assert_forbidden("protocol/mod.rs", "fn f() { io::stdout().lock(); }", "only cli prints");
    assert_forbidden("protocol/mod.rs", "use std::{fmt, io::{stderr, Write}};", "only cli prints");
    assert_forbidden("learn/mod.rs", "use indicatif::ProgressBar;", "only cli prints");
    assert_forbidden("search/mod.rs", "use std::io;", "neither prints nor reads");
    assert_forbidden("search/mod.rs", "use std::*;", "neither prints nor reads");
    assert_forbidden("search/mod.rs", "use std as s;", "neither prints nor reads");
    assert_forbidden("search/mod.rs", "fn f() { ::std::fs::read(p); }", "neither prints nor reads");
    assert_forbidden("search/mod.rs", "use std::{env, fmt};", "neither prints nor reads");
    assert_forbidden("engine/mod.rs", "use anyhow::Context;", "typed errors");
    assert_clean("engine/mod.rs", "fn f() { if print != other { child.stdout(x) } }");
}
