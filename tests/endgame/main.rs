//! Regions, fillings and the bound: against values from elsewhere, against exhaustive search that
//! shares nothing with them, and against their own laws.

mod bound;
mod fillings;
mod oracle;
mod reference;
mod regions;
mod score;
mod settled;
mod solver;
