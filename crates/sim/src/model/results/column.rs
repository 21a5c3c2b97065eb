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
    /// One of a few names: index into `names`.
    Name {
        /// All names, in the order of the schema.
        names: &'static [&'static str],
        /// Index of the name of each row.
        indices: Vec<u8>,
    },
}
