//! Presets: complete sets of parameters, each a file here, with the sources of their values.

mod hpcc;
mod roce;
mod sockets;

use crate::model::parameters::Parameters;

/// A preset.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Description.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: fn() -> Parameters,
    /// Sources of their values: path of a parameter or of a section, and its source.
    pub sources: [&'static [(&'static str, &'static str)]; 2],
}

/// All presets.
pub const ALL: [Preset; 2] = [
    Preset {
        name: "hpcc",
        description: hpcc::DESCRIPTION,
        parameters: hpcc::parameters,
        sources: [&hpcc::SOURCES, &sockets::SOURCES],
    },
    Preset {
        name: "roce",
        description: roce::DESCRIPTION,
        parameters: roce::parameters,
        sources: [&roce::SOURCES, &sockets::SOURCES],
    },
];

/// Their names.
pub const NAMES: [&str; 2] = [ALL[0].name, ALL[1].name];

/// The preset of that name.
pub fn by_name(name: &str) -> Option<Parameters> {
    let preset = ALL.iter().find(|preset| preset.name == name)?;
    Some((preset.parameters)())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Bytes;
    use crate::congestion::Parameters::DcqcnNvidia;
    use crate::time::Nanoseconds;

    #[test]
    fn every_name_has_a_preset() {
        assert!(NAMES.iter().all(|name| by_name(name).is_some()));
        assert_eq!(by_name("hpc"), None);
    }

    /// Every field of `ns3_hpcc_parameters` in the reference's sim-baselines.json that gives a number here.
    #[test]
    fn hpcc_is_what_was_measured() {
        let parameters = by_name("hpcc").unwrap();
        let (framing, marking) = (&parameters.framing, &parameters.marking);
        assert_eq!(
            [framing.data_bytes, framing.ack_bytes, framing.pfc_bytes],
            [48, 60, 43].map(Bytes)
        );
        assert_eq!(
            [framing.gap_bytes, framing.minimum_bytes, framing.pad_bytes],
            [0, 0, 1].map(Bytes)
        );
        assert_eq!(
            [marking.kmin_bytes, marking.kmax_bytes],
            [400_000, 1_600_000].map(Bytes)
        );
        assert_eq!((marking.pmax, marking.reference_gbps), (0.2, Some(100)));
        assert_eq!(parameters.switch.buffer_bytes, Bytes(33_554_432));
        assert_eq!(
            [
                parameters.switch.reserve_bytes,
                parameters.switch.xon_offset_bytes
            ],
            [4096, 3072].map(Bytes)
        );
        assert_eq!(
            (
                parameters.switch.alpha_exponent,
                parameters.switch.alpha_follows_rate
            ),
            (-3, true)
        );
        assert_eq!(
            (parameters.pfc.quanta, parameters.pfc.lossless_priorities),
            (None, 0b1000)
        );
        assert!(parameters.notification.in_ack && parameters.nic.control_ignores_pause);
        assert_eq!(
            parameters.transport.nak_interval_ns,
            Some(Nanoseconds(500_000))
        );
        let DcqcnNvidia(dcqcn) = parameters.congestion else {
            panic!("DCQCN, CC_MODE 1")
        };
        assert_eq!(1.0 - f64::from(dcqcn.dce_tcp_g) / 1024.0, 0.00390625);
        assert_eq!([dcqcn.rpg_ai_rate_mbps, dcqcn.rpg_hai_rate_mbps], [20, 200]);
        assert_eq!(
            [dcqcn.rpg_min_rate_mbps, dcqcn.rpg_time_reset_us.0],
            [1000, 300]
        );
    }

    /// Worked out from the fields of the headers (IEEE 802.3, RFC 791, RFC 768, IBTA volume 1 chapter 9).
    #[test]
    fn roce_has_the_bytes_of_the_standards() {
        let framing = by_name("roce").unwrap().framing;
        assert_eq!(
            [framing.data_bytes, framing.write_first_bytes],
            [62, 16].map(Bytes)
        );
        assert_eq!(
            [framing.ack_bytes, framing.cnp_bytes, framing.pfc_bytes],
            [66, 78, 64].map(Bytes)
        );
        assert_eq!(
            [framing.read_request_bytes, framing.read_response_ends_bytes],
            [78, 4].map(Bytes)
        );
        assert_eq!(
            [framing.minimum_bytes, framing.pad_bytes, framing.gap_bytes],
            [64, 4, 20].map(Bytes)
        );
    }
}
