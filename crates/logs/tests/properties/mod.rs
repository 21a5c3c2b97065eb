//! Properties of the log cleaner that hold for any text. The fuzz targets of the same names run them on new inputs,
//! `corpus.rs` runs them on the stored ones.

pub mod log;
pub mod table;
