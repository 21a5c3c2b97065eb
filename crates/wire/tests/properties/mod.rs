//! Properties of the codecs that hold for any bytes. The fuzz targets of the same names run them on new inputs, `corpus.rs`
//! runs them on the stored ones.

pub mod capture;
pub mod credit;
pub mod frame_sizes;
pub mod input;
pub mod packet;
pub mod pfc;
pub mod socket;
