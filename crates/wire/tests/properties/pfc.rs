//! Properties of priority flow control frames.

use arbitrary::Unstructured;
use wirespeed_wire::Pfc;

/// An accepted frame is encoded again with the same bits up to the padding. An encoded frame parses to the same fields.
pub fn check(bytes: &[u8]) {
    if let Ok(pfc) = Pfc::parse(bytes) {
        let mut encoded = vec![];
        pfc.encode(&mut encoded);
        // The upper byte of the class-enable vector is reserved.
        assert_eq!(encoded[..16], bytes[..16]);
        assert_eq!((encoded[16], &encoded[17..34]), (0, &bytes[17..34]));
        assert_eq!(Pfc::parse(&encoded), Ok(pfc));
    }
    let mut input = Unstructured::new(bytes);
    let Ok((source_mac, enabled, quanta)) = input.arbitrary() else {
        return;
    };
    let pfc = Pfc {
        source_mac,
        enabled,
        quanta,
    };
    let mut frame = vec![];
    pfc.encode(&mut frame);
    assert_eq!((frame.len(), Pfc::parse(&frame)), (60, Ok(pfc)));
    for end in 0..34 {
        assert!(Pfc::parse(&frame[..end]).is_err());
    }
}
