//! The protocols, from the outside: what is printed and read again, whole sessions over streams in
//! memory, the dialogues of `protocol.md`, junk, and a search that fails.

mod client;
mod dialogues;
mod faults;
mod junk;
mod process;
mod round_trips;
mod sessions;
