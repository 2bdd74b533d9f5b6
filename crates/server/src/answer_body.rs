//! The body of a response: one piece that stays counted until its last byte is written.
//!
//! The piece carries the guard of its request ([`UnsentAnswer`]). Hyper does not copy the piece: it
//! advances it as the socket or the client's window takes bytes, and drops it when all bytes are
//! out or the connection has ended, which is all that the guard has to know.

use crate::activity::UnsentAnswer;
use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::io::IoSlice;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body type of every response.
#[derive(Debug)]
pub struct AnswerBody(Option<Piece>);

impl AnswerBody {
    /// Returns a body of these bytes.
    pub fn new(bytes: Bytes, unsent: UnsentAnswer) -> Self {
        // Without a byte there is nothing to wait for, so the guard is dropped here.
        Self((!bytes.is_empty()).then_some(Piece { bytes, unsent }))
    }
}

impl Body for AnswerBody {
    type Data = Piece;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, Infallible>>> {
        Poll::Ready(self.0.take().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |piece| piece.bytes.len() as u64))
    }
}

/// Unwritten part of an answer.
#[derive(Debug)]
pub struct Piece {
    bytes: Bytes,
    unsent: UnsentAnswer,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        self.bytes.chunks_vectored(slices)
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.unsent.moved(count);
    }
}
