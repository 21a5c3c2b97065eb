//! Parses a RoCEv2 packet from the bytes of its Ethernet frame.

use std::net::{Ipv4Addr, Ipv6Addr};

use thiserror::Error;

use crate::frame::{Ip, BTH, CNP_PAYLOAD, ICRC, UDP_HEADER};
use crate::headers::{Aeth, Bth, Deth, Reth};
use crate::icrc::compute_icrc;
use crate::ip::{
    internet_checksum, Addresses, Ecn, Network, Tag, IPV4_TYPE, IPV6_TYPE, UDP_PROTOCOL, VLAN_TYPE,
};
use crate::packet::{Packet, PacketKind, MAX_PAYLOAD, ROCEV2_PORT};

/// The reason why a frame is no intact RoCEv2 packet or PFC frame.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
pub enum ParseError {
    /// The frame is shorter than its length fields state.
    #[error("frame ends within its {0}")]
    Truncated(&'static str),
    /// EtherType of neither IP version.
    #[error("EtherType {0:#06x}: expected IPv4 (0x0800) or IPv6 (0x86dd)")]
    EtherType(u16),
    /// First byte of the IP header: a version that contradicts the EtherType, or options.
    #[error(
        "IP header starts with {0:#04x}: expected version 4 without options (0x45), or version 6"
    )]
    IpHeader(u8),
    /// The IPv4 header is damaged.
    #[error("IPv4 header checksum is wrong")]
    IpChecksum,
    /// A fragment of an IPv4 packet.
    #[error("IPv4 packet is a fragment")]
    Fragment,
    /// Not UDP, or an IPv6 extension header before it.
    #[error("IP protocol {0}: expected 17, UDP")]
    Protocol(u8),
    /// The lengths in the UDP and IP headers differ.
    #[error("UDP length {udp} in an IP payload of {ip} bytes")]
    UdpLength {
        /// Length in the UDP header, bytes.
        udp: usize,
        /// Payload length from the IP header, bytes.
        ip: usize,
    },
    /// UDP with another destination port.
    #[error("UDP port {0}: expected 4791, RoCEv2")]
    Port(u16),
    /// The packet is damaged.
    #[error("invariant CRC {found:#010x}: expected {expected:#010x}")]
    Icrc {
        /// The CRC in the packet.
        found: u32,
        /// The CRC computed from the packet.
        expected: u32,
    },
    /// A version of the transport header that IBTA does not define.
    #[error("transport header version {0}: expected 0")]
    TransportVersion(u8),
    /// A packet of a kind that [`PacketKind`] lacks.
    #[error("opcode {0:#04x} is unknown")]
    Opcode(u8),
    /// An AETH whose syndrome IBTA reserves.
    #[error("AETH syndrome {0:#04x} is reserved")]
    Syndrome(u8),
    /// A payload that this kind of packet cannot have.
    #[error("opcode {opcode:#04x} with {found} bytes after its headers, {pad} of them pad bytes")]
    Payload {
        /// The opcode.
        opcode: u8,
        /// Bytes between the last header and the invariant CRC.
        found: u32,
        /// The pad count.
        pad: u32,
    },
    /// Not a MAC control frame.
    #[error("EtherType {0:#06x}: expected MAC control (0x8808)")]
    NoMacControl(u16),
    /// A MAC control frame with another destination than pause frames have.
    #[error("MAC control frame for another address than 01-80-C2-00-00-01")]
    PauseAddress,
    /// A MAC control frame that is no PFC frame.
    #[error("MAC control opcode {0:#06x}: expected 0x0101, priority flow control")]
    PauseOpcode(u16),
}

impl Packet {
    /// Reads a frame, Ethernet header through invariant CRC; bytes after the IP packet are ignored.
    ///
    /// A packet with a wrong invariant CRC is refused. The payload is not stored.
    pub fn parse(frame: &[u8]) -> Result<Packet, ParseError> {
        let mut remaining = frame;
        let destination_mac = take_bytes(&mut remaining, "Ethernet header")?;
        let source_mac = take_bytes(&mut remaining, "Ethernet header")?;
        let mut ether_type = u16::from_be_bytes(take_bytes(&mut remaining, "Ethernet header")?);
        let mut tag = None;
        if ether_type == VLAN_TYPE {
            let control = u16::from_be_bytes(take_bytes(&mut remaining, "802.1Q tag")?);
            tag = Some(Tag::from_control(control));
            ether_type = u16::from_be_bytes(take_bytes(&mut remaining, "802.1Q tag")?);
        }
        let ip = match ether_type {
            IPV4_TYPE => parse_ipv4(remaining)?,
            IPV6_TYPE => parse_ipv6(remaining)?,
            other => return Err(ParseError::EtherType(other)),
        };

        let datagram = &remaining[ip.version.header_bytes() as usize..ip.length];
        let (udp_source_port, transport) = parse_udp(datagram)?;
        check_icrc(ip.version, &remaining[..ip.length])?;
        let (bth, kind) = parse_transport(transport)?;
        Ok(Packet {
            network: Network {
                source_mac,
                destination_mac,
                tag,
                addresses: ip.addresses,
                dscp: ip.traffic_class >> 2,
                ecn: Ecn::from_bits(ip.traffic_class),
                ttl: ip.ttl,
            },
            udp_source_port,
            bth,
            kind,
        })
    }
}

struct IpPacket {
    version: Ip,
    /// Bytes of header and payload, at most those of the frame.
    length: usize,
    traffic_class: u8,
    ttl: u8,
    addresses: Addresses,
}

fn parse_ipv4(packet: &[u8]) -> Result<IpPacket, ParseError> {
    let header: [u8; 20] = take_bytes(&mut &packet[..], "IPv4 header")?;
    if header[0] != 0x45 {
        return Err(ParseError::IpHeader(header[0]));
    }
    if internet_checksum(&header) != 0 {
        return Err(ParseError::IpChecksum);
    }
    // The "more fragments" flag and the fragment offset; the bit above them is "do not fragment".
    if u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0 {
        return Err(ParseError::Fragment);
    }
    if header[9] != UDP_PROTOCOL {
        return Err(ParseError::Protocol(header[9]));
    }
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    if length < header.len() || length > packet.len() {
        return Err(ParseError::Truncated("IPv4 packet"));
    }
    Ok(IpPacket {
        version: Ip::V4,
        length,
        traffic_class: header[1],
        ttl: header[8],
        addresses: Addresses::V4 {
            source: Ipv4Addr::new(header[12], header[13], header[14], header[15]),
            destination: Ipv4Addr::new(header[16], header[17], header[18], header[19]),
            identification: u16::from_be_bytes([header[4], header[5]]),
        },
    })
}

fn parse_ipv6(packet: &[u8]) -> Result<IpPacket, ParseError> {
    let mut remaining = packet;
    let first = u32::from_be_bytes(take_bytes(&mut remaining, "IPv6 header")?);
    let payload = u16::from_be_bytes(take_bytes(&mut remaining, "IPv6 header")?);
    let [next_header, hop_limit] = take_bytes(&mut remaining, "IPv6 header")?;
    let source: [u8; 16] = take_bytes(&mut remaining, "IPv6 header")?;
    let destination: [u8; 16] = take_bytes(&mut remaining, "IPv6 header")?;
    if first >> 28 != 6 {
        return Err(ParseError::IpHeader((first >> 24) as u8));
    }
    if next_header != UDP_PROTOCOL {
        return Err(ParseError::Protocol(next_header));
    }
    if usize::from(payload) > remaining.len() {
        return Err(ParseError::Truncated("IPv6 packet"));
    }
    Ok(IpPacket {
        version: Ip::V6,
        length: packet.len() - remaining.len() + usize::from(payload),
        traffic_class: (first >> 20) as u8,
        ttl: hop_limit,
        addresses: Addresses::V6 {
            source: Ipv6Addr::from(source),
            destination: Ipv6Addr::from(destination),
            flow_label: first & 0xf_ffff,
        },
    })
}

/// The source port, and the bytes between the UDP header and the invariant CRC.
fn parse_udp(datagram: &[u8]) -> Result<(u16, &[u8]), ParseError> {
    let mut remaining = datagram;
    let [s0, s1, d0, d1, l0, l1, _, _]: [u8; UDP_HEADER as usize] =
        take_bytes(&mut remaining, "UDP header")?;
    let port = u16::from_be_bytes([d0, d1]);
    if port != ROCEV2_PORT {
        return Err(ParseError::Port(port));
    }
    let length = usize::from(u16::from_be_bytes([l0, l1]));
    if length != datagram.len() {
        return Err(ParseError::UdpLength {
            ip: datagram.len(),
            udp: length,
        });
    }
    if remaining.len() < (BTH + ICRC) as usize {
        return Err(ParseError::Truncated("base transport header"));
    }
    let transport = &remaining[..remaining.len() - ICRC as usize];
    Ok((u16::from_be_bytes([s0, s1]), transport))
}

fn check_icrc(version: Ip, packet: &[u8]) -> Result<(), ParseError> {
    let (protected, crc) = packet
        .split_last_chunk()
        .ok_or(ParseError::Truncated("invariant CRC"))?;
    let found = u32::from_le_bytes(*crc);
    let expected = compute_icrc(version, protected);
    if found != expected {
        return Err(ParseError::Icrc { found, expected });
    }
    Ok(())
}

fn parse_transport(transport: &[u8]) -> Result<(Bth, PacketKind), ParseError> {
    use PacketKind::*;
    let mut remaining = transport;
    let (opcode, bth, pad) = Bth::from_bytes(take_bytes(&mut remaining, "base transport header")?)?;
    let mut body = TransportBody {
        opcode,
        pad,
        remaining,
    };
    let kind = match opcode {
        0x00 => SendFirst {
            payload: body.take_payload()?,
        },
        0x01 => SendMiddle {
            payload: body.take_payload()?,
        },
        0x02 => SendLast {
            payload: body.take_payload()?,
        },
        0x04 => SendOnly {
            payload: body.take_payload()?,
        },
        0x06 => WriteFirst {
            reth: body.take_reth()?,
            payload: body.take_payload()?,
        },
        0x07 => WriteMiddle {
            payload: body.take_payload()?,
        },
        0x08 => WriteLast {
            payload: body.take_payload()?,
        },
        0x0a => WriteOnly {
            reth: body.take_reth()?,
            payload: body.take_payload()?,
        },
        0x0c => ReadRequest {
            reth: body.take_reth()?,
        },
        0x0d => ReadResponseFirst {
            aeth: body.take_aeth()?,
            payload: body.take_payload()?,
        },
        0x0e => ReadResponseMiddle {
            payload: body.take_payload()?,
        },
        0x0f => ReadResponseLast {
            aeth: body.take_aeth()?,
            payload: body.take_payload()?,
        },
        0x10 => ReadResponseOnly {
            aeth: body.take_aeth()?,
            payload: body.take_payload()?,
        },
        0x11 => Acknowledge {
            aeth: body.take_aeth()?,
        },
        0x64 => DatagramSend {
            deth: body.take_deth()?,
            payload: body.take_payload()?,
        },
        0x81 => {
            body.expect_bytes(CNP_PAYLOAD)?;
            Cnp
        }
        _ => return Err(ParseError::Opcode(transport[0])),
    };
    body.expect_bytes(0)?;
    Ok((bth, kind))
}

/// The bytes after the base transport header that are not read yet.
struct TransportBody<'a> {
    opcode: u8,
    pad: u32,
    remaining: &'a [u8],
}

impl TransportBody<'_> {
    fn take_reth(&mut self) -> Result<Reth, ParseError> {
        Ok(Reth::from_bytes(take_bytes(&mut self.remaining, "RETH")?))
    }

    fn take_aeth(&mut self) -> Result<Aeth, ParseError> {
        Aeth::from_bytes(take_bytes(&mut self.remaining, "AETH")?)
    }

    fn take_deth(&mut self) -> Result<Deth, ParseError> {
        Ok(Deth::from_bytes(take_bytes(&mut self.remaining, "DETH")?))
    }

    /// Takes all remaining bytes. Returns their number without the pad bytes.
    fn take_payload(&mut self) -> Result<u32, ParseError> {
        let length = self.remaining.len() as u32; // an IP packet has less than 2^16 bytes
        let payload = length.saturating_sub(self.pad);
        if !length.is_multiple_of(4) || self.pad > length || payload > MAX_PAYLOAD {
            return Err(ParseError::Payload {
                opcode: self.opcode,
                found: length,
                pad: self.pad,
            });
        }
        self.remaining = &[];
        self.pad = 0;
        Ok(payload)
    }

    /// Checks that exactly `bytes` bytes remain, none of them pad bytes.
    fn expect_bytes(&mut self, bytes: u32) -> Result<(), ParseError> {
        let found = self.remaining.len() as u32;
        if found != bytes || self.pad != 0 {
            return Err(ParseError::Payload {
                opcode: self.opcode,
                found,
                pad: self.pad,
            });
        }
        self.remaining = &[];
        Ok(())
    }
}

impl Tag {
    fn from_control(control: u16) -> Self {
        Tag {
            priority: (control >> 13) as u8,
            drop_eligible: control & 0x1000 != 0,
            vlan: control & 0xfff,
        }
    }
}

impl Ecn {
    /// The low two bits of a traffic class.
    fn from_bits(traffic_class: u8) -> Self {
        match traffic_class & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

/// Takes the next `N` bytes; `part` names them in the error.
pub(crate) fn take_bytes<const N: usize>(
    remaining: &mut &[u8],
    part: &'static str,
) -> Result<[u8; N], ParseError> {
    let (bytes, tail) = remaining
        .split_first_chunk()
        .ok_or(ParseError::Truncated(part))?;
    *remaining = tail;
    Ok(*bytes)
}
