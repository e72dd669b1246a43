//! The choice of an evaluation by options.

use std::path::PathBuf;
use std::{fs, io};

use thiserror::Error;

use crate::amazons::Position;
use crate::eval::network::file::NetworkError;
use crate::eval::{Evaluation, Kernel};
use crate::game::Evaluator;

/// What judges positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvalType {
    /// A network.
    Network,
    /// The classical evaluation.
    Classical,
}

impl EvalType {
    /// The values of the option that stand for the types, the default first.
    pub(super) const NAMES: [&'static str; 2] = ["network", "classical"];

    pub(super) fn named(name: &str) -> EvalType {
        if name == EvalType::NAMES[1] { EvalType::Classical } else { EvalType::Network }
    }
}

/// Why an evaluation cannot be had.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SelectionError {
    /// The file cannot be read.
    #[error("'{}' cannot be read: {reason}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is no network that can be played with.
    #[error("'{}' is {error}", .path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: NetworkError,
    },
    /// The player thinks with one evaluation only.
    #[error("this player has no other")]
    Fixed,
}

/// An evaluator that a player thinks with.
pub trait Selectable: Evaluator<Position> + Clone + 'static {
    /// The evaluator of this type; a network comes from this file, or is the program's own where
    /// none is named.
    ///
    /// # Errors
    /// When the file holds no network, or there is nothing to select.
    fn select(eval_type: EvalType, file: &str) -> Result<Self, SelectionError> {
        let _ = (eval_type, file);
        Err(SelectionError::Fixed)
    }
}

/// The longest file that is looked at: networks are shorter by far.
const LONGEST_FILE: u64 = 1 << 28;

impl Selectable for Evaluation {
    fn select(eval_type: EvalType, file: &str) -> Result<Evaluation, SelectionError> {
        let kernel = Kernel::best();
        if eval_type == EvalType::Classical {
            return Ok(Evaluation::classical(kernel));
        }
        if file.is_empty() {
            return Ok(Evaluation::embedded(kernel));
        }
        let path = PathBuf::from(file);
        let failed = |error: io::Error| SelectionError::Read {
            path: path.clone(),
            reason: error.to_string(),
        };
        let length = fs::metadata(&path).map_err(failed)?.len();
        if length > LONGEST_FILE {
            let error = NetworkError::Magic;
            return Err(SelectionError::Network { path, error });
        }
        let bytes = fs::read(&path).map_err(failed)?;
        Evaluation::read(kernel, &bytes).map_err(|error| SelectionError::Network { path, error })
    }
}
