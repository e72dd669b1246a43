//! The rules of the Game of the Amazons: against values from elsewhere, against a slow reference
//! that shares nothing with them, and against their own laws.

mod movegen;
mod oracle;
mod positions;
mod reference;
mod symmetry;
mod text;
