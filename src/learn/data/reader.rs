//! Files read as a stream, a block at a time.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use super::code::{self, Fault};
use super::format::{BLOCK_HEAD, Header, LONGEST, MAGIC, PREAMBLE, VERSION, checksum};
use super::game::Game;

/// Why a file of self-play, or the rest of one, cannot be used.
#[derive(Debug, Error)]
pub enum DataError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("this is no file of self-play: it does not begin as one")]
    NotData,
    /// It was written by another version of the program.
    #[error("its format is of version {found}, and only version {VERSION} can be read")]
    Version {
        /// The version it says.
        found: u32,
    },
    /// Its header cannot be read.
    #[error("its header is damaged")]
    Header,
    /// It ends within a block.
    #[error("it is cut off in the block at byte {at}, after {games} whole games")]
    Cut {
        /// Where the block begins.
        at: u64,
        /// The games before it.
        games: u64,
    },
    /// A checksum does not match.
    #[error("the block at byte {at}, after {games} whole games, is damaged")]
    Damaged {
        /// Where the block begins.
        at: u64,
        /// The games before it.
        games: u64,
    },
    /// A block holds what cannot be.
    #[error("the block at byte {at} holds something that is no game: {fault}")]
    Block {
        /// Where the block begins.
        at: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// A game that cannot be written.
    #[error("game {number} cannot be kept: {fault}")]
    Game {
        /// Its number.
        number: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// It is of another run.
    #[error("it is of a run with another engine, network, settings, games or shard")]
    OtherRun,
    /// It holds another game than its header says.
    #[error("its header says that game {number} is not where it stands")]
    OtherGames {
        /// The number of the game.
        number: u64,
    },
    /// Another process writes it.
    #[error("another process is writing it")]
    InUse,
}

/// The last sound block of a file; an empty one where the header ends if there is none.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its first byte in the file.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
    /// Its number of games.
    pub games: u32,
    /// Their bytes.
    pub content: Vec<u8>,
}

/// Reads the games of a file one by one, holding no more than a block of it. After the first
/// error nothing follows. A file may end after any block: that of a run that is not complete
/// holds fewer games than [`Header::len`] says.
#[derive(Debug)]
pub struct Reader<R: Read = BufReader<File>> {
    file: R,
    header: Header,
    block: Block,
    /// The bytes of the block that are read already, and its games that are.
    read: usize,
    given: u32,
    /// All games given so far.
    games: u64,
    failed: bool,
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// A file that cannot be read, is something else, or has a damaged header.
    pub fn open(path: &Path) -> Result<Reader, DataError> {
        Reader::new(BufReader::with_capacity(1 << 16, File::open(path)?))
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// A file that cannot be read, is something else, or has a damaged header.
    pub fn new(mut file: R) -> Result<Reader<R>, DataError> {
        let mut bytes = read_up_to(&mut file, PREAMBLE)?;
        if !bytes.starts_with(&MAGIC) {
            return Err(DataError::NotData);
        }
        if bytes.len() < PREAMBLE {
            return Err(DataError::Header);
        }
        let found = number(&bytes[8..]);
        if found != VERSION {
            return Err(DataError::Version { found });
        }
        let length = number(&bytes[12..]);
        if length > LONGEST {
            return Err(DataError::Header);
        }
        let end = PREAMBLE + length as usize;
        bytes.extend(read_up_to(&mut file, length as usize + 4)?);
        if bytes.len() != end + 4 || crc32fast::hash(&bytes[..end]) != number(&bytes[end..]) {
            return Err(DataError::Header);
        }
        let header: Header =
            serde_json::from_slice(&bytes[PREAMBLE..end]).map_err(|_| DataError::Header)?;
        if !header.is_sound() {
            return Err(DataError::Header);
        }
        let begin = bytes.len() as u64;
        let block = Block { begin, end: begin, ..Block::default() };
        Ok(Reader { file, header, block, read: 0, given: 0, games: 0, failed: false })
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The bytes of the file up to the end of the present block.
    pub fn bytes(&self) -> u64 {
        self.block.end
    }

    /// The last block of which all games were given.
    pub(super) fn last_block(&mut self) -> Block {
        std::mem::take(&mut self.block)
    }

    fn next_game(&mut self) -> Result<Option<Game>, DataError> {
        if self.given == self.block.games && !self.next_block()? {
            return Ok(None);
        }
        let mut rest = &self.block.content[self.read..];
        let game = code::decode(&mut rest);
        self.read = self.block.content.len() - rest.len();
        self.given += 1;
        let trailing = self.given == self.block.games && !rest.is_empty();
        match game {
            Ok(_) if trailing => self.refuse(Fault::Trailing),
            Ok(game) => {
                self.games += 1;
                Ok(Some(game))
            }
            Err(fault) => self.refuse(fault),
        }
    }

    fn refuse(&self, fault: Fault) -> Result<Option<Game>, DataError> {
        Err(DataError::Block { at: self.block.begin, fault })
    }

    /// Reads and checks the next block. False at the end of the file.
    fn next_block(&mut self) -> Result<bool, DataError> {
        let (at, games) = (self.block.end, self.games);
        let head = read_up_to(&mut self.file, BLOCK_HEAD)?;
        if head.is_empty() {
            return Ok(false);
        }
        if head.len() < BLOCK_HEAD {
            return Err(DataError::Cut { at, games });
        }
        let [length, count, sum] = [0, 4, 8].map(|from| number(&head[from..]));
        if length > LONGEST || count == 0 {
            return Err(DataError::Damaged { at, games });
        }
        let content = read_up_to(&mut self.file, length as usize)?;
        if content.len() < length as usize {
            return Err(DataError::Cut { at, games });
        }
        if checksum(length, count, &content) != sum {
            return Err(DataError::Damaged { at, games });
        }
        let end = at + (BLOCK_HEAD + content.len()) as u64;
        self.block = Block { begin: at, end, games: count, content };
        (self.read, self.given) = (0, 0);
        Ok(true)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, DataError>;

    fn next(&mut self) -> Option<Result<Game, DataError>> {
        if self.failed {
            return None;
        }
        let next = self.next_game();
        self.failed = next.is_err();
        next.transpose()
    }
}

/// So many bytes, or as many as there are.
fn read_up_to(file: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The number that the first four bytes are.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
