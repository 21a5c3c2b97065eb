//! The values of one column of a table.

/// The values of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Small numbers: priorities, flags.
    U8(Vec<u8>),
    /// Ids and counts.
    U32(Vec<u32>),
    /// Bytes, picoseconds, large counts.
    U64(Vec<u64>),
    /// Rates, probabilities.
    F64(Vec<f64>),
    /// One of a few words: index into `words`.
    Word {
        /// The words.
        words: &'static [&'static str],
        /// Index of each row's word.
        indices: Vec<u8>,
    },
}
