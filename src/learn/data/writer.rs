//! Files written, begun anew or gone on with.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::code;
use super::format::{BLOCK, BLOCK_HEAD, Header, checksum};
use super::game::Game;
use super::reader::{DataError, Reader};

/// Writes games, in the order of their numbers, into the blocks of a file. What was not written
/// by [`finish`](Writer::finish) is lost when the writer is dropped.
#[derive(Debug)]
pub struct Writer<W: Write = File> {
    file: W,
    /// The games of the next block.
    content: Vec<u8>,
    games: u32,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn new(mut file: W, header: &Header) -> Result<Writer<W>, DataError> {
        file.write_all(&encoded(header)?)?;
        Ok(Writer { file, content: Vec::with_capacity(2 * BLOCK), games: 0 })
    }

    /// Takes a game; writes a block when one is full.
    ///
    /// # Errors
    /// A game that a reader would refuse, which is left out, or a file that cannot be written.
    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        let mut bytes = Vec::new();
        let number = game.number;
        code::encode(game, &mut bytes).map_err(|fault| DataError::Game { number, fault })?;
        Ok(self.write_encoded(&bytes)?)
    }

    /// [`write`](Writer::write) for the bytes of a game.
    pub(crate) fn write_encoded(&mut self, game: &[u8]) -> io::Result<()> {
        self.content.extend(game);
        self.games += 1;
        if self.content.len() >= BLOCK { self.write_block() } else { Ok(()) }
    }

    fn write_block(&mut self) -> io::Result<()> {
        let length = self.content.len() as u32;
        let mut block = Vec::with_capacity(BLOCK_HEAD + self.content.len());
        block.extend(length.to_le_bytes());
        block.extend(self.games.to_le_bytes());
        block.extend(checksum(length, self.games, &self.content).to_le_bytes());
        block.append(&mut self.content);
        self.games = 0;
        self.file.write_all(&block)
    }

    /// Writes what is left as the last block, and returns the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.games > 0 {
            self.write_block()?;
        }
        self.file.flush()?;
        Ok(self.file)
    }
}

/// What a file held already when it was gone on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Held {
    /// Games.
    pub games: u64,
    /// Records.
    pub records: u64,
    /// Bytes after the last sound block, which were cut off.
    pub lost: u64,
}

impl Writer<File> {
    /// Goes on with a file, or begins it if there is none: whatever comes after its last sound
    /// block is cut off. Its games must be the first of those that belong into it.
    ///
    /// # Errors
    /// A file that cannot be read or written, is being written by another process, is of another
    /// run, or does not hold its first games.
    pub(crate) fn resume(path: &Path, header: &Header) -> Result<(Writer, Held), DataError> {
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options?;
        file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => DataError::InUse,
            std::fs::TryLockError::Error(error) => DataError::Io(error),
        })?;
        let encoded = encoded(header)?;
        let mut beginning = Vec::new();
        (&mut file).take(encoded.len() as u64).read_to_end(&mut beginning)?;
        file.rewind()?;
        if beginning.len() < encoded.len() && encoded.starts_with(&beginning) {
            file.set_len(0)?;
            return Ok((Writer::new(file, header)?, Held::default()));
        }
        let mut reader = Reader::new(BufReader::new(&file))?;
        if beginning != encoded {
            return Err(DataError::OtherRun);
        }
        let mut held = Held::default();
        let mut numbers = header.numbers();
        for game in &mut reader {
            let game = match game {
                Err(DataError::Cut { .. } | DataError::Damaged { .. }) => break,
                game => game?,
            };
            if numbers.next() != Some(game.number) {
                return Err(DataError::OtherGames { number: game.number });
            }
            held.games += 1;
            held.records += game.records.len() as u64;
        }
        let last = reader.last_block();
        drop(reader);
        held.lost = file.metadata()?.len() - last.end;
        let mut writer = Writer { file, content: Vec::with_capacity(2 * BLOCK), games: 0 };
        writer.cut(last.end)?;
        if last.content.len() < BLOCK {
            // It was not full when its writer was interrupted: to be filled up now.
            writer.cut(last.begin)?;
            writer.content = last.content;
            writer.games = last.games;
        }
        Ok((writer, held))
    }

    fn cut(&mut self, end: u64) -> io::Result<()> {
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

fn encoded(header: &Header) -> Result<Vec<u8>, DataError> {
    header.encode().map_err(|error| DataError::Io(io::Error::new(ErrorKind::InvalidData, error)))
}
