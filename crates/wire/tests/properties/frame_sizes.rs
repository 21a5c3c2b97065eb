//! Properties of sizes of frames and messages, PCIe rates, headroom, and frame loss.

use arbitrary::{Result, Unstructured};
use wirespeed_wire::bytes::Bytes;
use wirespeed_wire::headroom::{response_ceiling, Loop, Terms};
use wirespeed_wire::link_errors::{Fec, LinkErrors};
use wirespeed_wire::time::Picoseconds;
use wirespeed_wire::{Ip, PathMtu, PcieLink, ETHERNET_OVERHEAD, MIN_FRAME};

use super::input;

/// Sizes grow with the payload, rates are below that of the link, and probabilities are between 0 and 1.
pub fn check(bytes: &[u8]) {
    let mut input = Unstructured::new(bytes);
    let result = match input.int_in_range(0..=3) {
        Ok(0) => check_messages(&mut input),
        Ok(1) => check_pcie(&mut input),
        Ok(2) => check_headroom(&mut input),
        _ => check_losses(&mut input),
    };
    let _ = result; // too few bytes to draw from
}

fn check_messages(input: &mut Unstructured<'_>) -> Result<()> {
    let encapsulation = input::any_encapsulation(input)?;
    let payload = input.int_in_range(0..=65_000)?;
    let frames = [
        encapsulation.data_middle(payload),
        encapsulation.data_read_response_first(payload),
        encapsulation.datagram(payload),
        encapsulation.data_write_first(payload),
    ];
    assert!(frames.is_sorted_by_key(|frame| frame.bytes()));
    for frame in frames
        .into_iter()
        .chain([encapsulation.tcp(payload), encapsulation.udp(payload)])
    {
        assert!(frame.bytes() >= MIN_FRAME.max(payload));
        assert_eq!(frame.wire_bytes(), frame.bytes() + ETHERNET_OVERHEAD);
    }

    let interface_mtu = input.arbitrary()?;
    assert!(encapsulation.ip.tcp_payload(interface_mtu) <= interface_mtu);
    assert!(encapsulation.ip.udp_payload(interface_mtu) <= interface_mtu);
    let path_mtu = PathMtu::largest_within(interface_mtu, encapsulation.ip);
    assert!(path_mtu <= PathMtu::largest_within(interface_mtu, Ip::V4));
    let Some(mtu) = path_mtu else { return Ok(()) };
    assert!(mtu.bytes() < interface_mtu);
    assert_eq!(PathMtu::try_from(mtu.bytes()), Ok(mtu));

    // A message of RDMA has at most 2^31 bytes (IBTA volume 1, section 9.7.7).
    let size = input.int_in_range(0..=1 << 31)?;
    let sent = mtu.send_wire_bytes(size, encapsulation);
    let written = mtu.write_wire_bytes(size, encapsulation);
    let read = mtu.read_response_wire_bytes(size, encapsulation);
    assert!(size < sent && sent <= written && sent <= read);
    assert!(written <= mtu.write_wire_bytes(size + 1, encapsulation));
    assert!(mtu.packets(size) * u64::from(mtu.bytes()) >= size);
    Ok(())
}

fn check_pcie(input: &mut Unstructured<'_>) -> Result<()> {
    let lanes = input.int_in_range(0..=40)?;
    let link = match input.arbitrary()? {
        true => PcieLink::from_generation(input.arbitrary()?, lanes),
        false => PcieLink::new(input.arbitrary()?, lanes),
    };
    let Ok(link) = link else { return Ok(()) };
    let payload = 1 << input.int_in_range(0..=31)?;
    if let Ok(rate) = link.write_bits_per_second(payload) {
        let reads = link
            .read_bits_per_second(payload)
            .expect("the same payload");
        assert!(0 < rate && rate < reads && reads < link.bits_per_second());
    }
    Ok(())
}

fn check_headroom(input: &mut Unstructured<'_>) -> Result<()> {
    let rate = input.int_in_range(1_000_000_000..=3_200_000_000_000)?;
    let longest = Bytes(input.int_in_range(64..=65_535)?);
    let link = Loop {
        rate,
        delay: Picoseconds(input.int_in_range(0..=1_000_000_000)?),
        generation: Picoseconds(input.int_in_range(0..=1_000_000_000)?),
        response: response_ceiling(rate),
        longest,
        shortest: Bytes(input.int_in_range(64..=longest.0)?),
        pfc: Bytes(64),
        lossless: input.int_in_range(1..=8)?,
        gap: Bytes(ETHERNET_OVERHEAD),
        cell: Bytes(input.int_in_range(1..=65_535)?),
    };
    let terms = Terms::compute(&link);
    assert!(terms.cells() >= 2 * u64::from(longest.div_ceil(link.cell)));
    assert!(terms.worst.bytes >= link.shortest && terms.worst.bytes <= longest);
    // The buffer holds at least the bytes that the link carries within the window.
    let byte_ps = 8e12 / rate as f64;
    // The time of a byte has 16 fractional bits.
    let sent = Bytes((terms.window().as_f64() / byte_ps * (1.0 - 1e-5)) as u64);
    let buffer = terms.cells() * link.cell.widen();
    let gaps = sent / (link.shortest + link.gap).widen() * link.gap.widen();
    assert!(
        buffer + gaps + (longest + link.gap).widen() >= sent,
        "{link:?}"
    );
    let longer = Terms::compute(&Loop {
        delay: link.delay + Picoseconds(1000),
        ..link
    });
    assert!(longer.cells() >= terms.cells());
    Ok(())
}

fn check_losses(input: &mut Unstructured<'_>) -> Result<()> {
    let ratio = |input: &mut Unstructured<'_>| -> Result<f64> {
        Ok(f64::from(input.arbitrary::<u32>()?) / f64::from(u32::MAX))
    };
    let ber = ratio(input)?.powi(input.int_in_range(1..=8)?);
    let floor = ratio(input)?.powi(input.int_in_range(1..=8)?);
    let fec = *input.choose(&[Fec::None, Fec::Rs528, Fec::Rs544, Fec::Rs544Interleaved])?;
    let loss = LinkErrors::new(ber, fec, floor).frame_loss(input.arbitrary()?);
    assert!(
        (0.0..=1.0).contains(&loss),
        "{loss} of {ber}, {fec:?}, {floor}"
    );
    Ok(())
}
