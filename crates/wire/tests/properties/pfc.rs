//! Priority flow control frames.

use arbitrary::Unstructured;
use wirespeed_wire::Pfc;

/// What is accepted is written again with the same bits up to the padding; what is written is read as the same frame.
pub fn check(bytes: &[u8]) {
    if let Ok(pfc) = Pfc::parse(bytes) {
        let mut written = vec![];
        pfc.encode(&mut written);
        // The upper byte of the class-enable vector is reserved.
        assert_eq!(written[..16], bytes[..16]);
        assert_eq!((written[16], &written[17..34]), (0, &bytes[17..34]));
        assert_eq!(Pfc::parse(&written), Ok(pfc));
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
