use super::*;
use crate::bytes::Bytes;
use crate::ids::Priority;
use crate::model::overrides::Devices;
use crate::model::preset;
use crate::model::scenario::Observe;
use crate::time::{Picoseconds, NEVER};

/// One switch with `buffer` bytes: a host at each of these rates (Gb/s), 1 us of cable.
fn star(preset: &str, buffer: u64, rates: &[u64]) -> Scenario {
    let hosts = rates.len() as u32;
    let link = |(host, rate): (u32, &u64)| Link {
        a: NodeId(host),
        b: NodeId(hosts),
        rate: rate * 1_000_000_000,
        delay: Picoseconds(1_000_000),
        loss: 0.0,
        pfc_lost_from: NEVER,
    };
    Scenario {
        name: String::new(),
        hosts,
        switches: 1,
        links: (0..).zip(rates).map(link).collect(),
        addresses: Vec::new(),
        names: Default::default(),
        buffer_bytes: vec![Bytes(buffer)],
        connections: Vec::new(),
        operations: Vec::new(),
        parameters: preset::by_name(preset).unwrap(),
        devices: Devices::default(),
        routes: Vec::new(),
        faults: Vec::new(),
        seed: 1,
        until: crate::time::NEVER,
        assumed: Vec::new(),
        observe: Observe::default(),
    }
}

/// P1 with ns-3 HPCC's rules: a leaf of eight hosts at 100 Gb/s below a spine at 400 Gb/s.
#[test]
fn a_leaf_as_hpcc_sets_it() {
    let mut leaf = star("hpcc", 2 << 20, &[100; 8]);
    leaf.switches = 2;
    leaf.buffer_bytes.push(Bytes(2 << 20));
    leaf.links.push(Link {
        a: NodeId(8),
        b: NodeId(9),
        rate: 400_000_000_000,
        ..leaf.links[0]
    });
    let resolved = resolve(&leaf).unwrap();
    let down = PrioritySettings {
        headroom_cells: 37_500,
        reserve_cells: 4096,
        alpha_exponent: -3,
        xon_offset_cells: 3072,
        kmin_bytes: Bytes(400_000),
        kmax_bytes: Bytes(1_600_000),
    };
    let up = PrioritySettings {
        headroom_cells: 150_000,
        alpha_exponent: -1,
        kmin_bytes: Bytes(1_600_000),
        kmax_bytes: Bytes(6_400_000),
        ..down
    };
    let ports = [0, 1, 16, 17].map(|port| resolved.priority_settings[(PortId(port), Priority(3))]);
    assert_eq!(ports, [PrioritySettings::default(), down, up, up]); // the first is a NIC port
    let shared = |switch: usize| resolved.pools[switch].shared.clone();
    assert_eq!(shared(0), [2_097_152 - 8 * 37_500 - 150_000 - 9 * 4096]);
    assert_eq!(shared(1), [2_097_152 - 150_000 - 4096]);
}

#[test]
fn a_port_lives_in_its_slice() {
    let star = star("roce", 8 << 20, &[100, 100, 100, 100, 400]);
    let resolved = resolve(&star).unwrap();
    let of_switch = |n: u32| resolved.priority_settings[(PortId(2 * n + 1), Priority(3))];
    assert_eq!(
        [1, 3, 5, 7, 9].map(|port| resolved.slices[port]),
        [0, 0, 0, 1, 1]
    );
    // Terms of headroom.rs; reserves of eight priorities, 10 cells each; half of the buffer is 16,513 cells.
    let (slow, fast) = (of_switch(0).headroom_cells, of_switch(4).headroom_cells);
    assert_eq!((slow, fast), (682, 1964));
    let pools = [16_513 - 3 * (682 + 80), 16_513 - (682 + 80) - (1964 + 80)];
    assert_eq!(resolved.pools[0].shared, pools);
    // AN210's thresholds are those of 400 Gb/s.
    assert_eq!(of_switch(4).kmin_bytes, Bytes(1_000_000));
    assert_eq!(
        (of_switch(0).kmin_bytes, of_switch(0).kmax_bytes),
        (Bytes(250_000), Bytes(750_000))
    );
}

#[test]
fn headroom_and_alpha_by_rule() {
    let base = star("hpcc", 32 << 20, &[100, 200, 400, 800, 3200]);
    let alpha = |follows: bool, exponent: i8| {
        let mut star = base.clone();
        star.parameters.switch.alpha_exponent = exponent;
        star.parameters.switch.alpha_follows_rate = follows;
        let priority_settings = resolve(&star).unwrap().priority_settings;
        [1, 3, 5, 7, 9].map(|port| priority_settings[(PortId(port), Priority(3))].alpha_exponent)
    };
    assert_eq!(alpha(true, -3), [-3, -2, -1, 0, 0]);
    assert_eq!(alpha(false, -3), [-3; 5]);
    assert_eq!(alpha(true, 1), [1; 5]);

    let headroom = |rule: Headroom| {
        let mut star = base.clone();
        star.parameters.switch.headroom = rule;
        star.parameters.switch.cell_bytes = Bytes(100);
        let priority_settings = resolve(&star).unwrap().priority_settings;
        [1, 3].map(|port| priority_settings[(PortId(port), Priority(3))].headroom_cells)
    };
    assert_eq!(headroom(Headroom::Fixed { bytes: Bytes(5001) }), [51, 51]);
    assert_eq!(headroom(Headroom::RateDelay { times: 1 }), [125, 250]);
    let whole = headroom(Headroom::Computed { percent: 100 });
    let less = headroom(Headroom::Computed { percent: 90 });
    assert_eq!([0, 1].map(|n| (whole[n] * 9).div_ceil(10)), less);
}

/// Half of a buffer is 1,000,000 cells, of which three groups' headroom or none, and eight reserves of each port are taken.
#[test]
fn a_buffer_in_pools() {
    use crate::model::parameters::{Pools, SharedHeadroom};
    let mut star = star("roce", 2 * 254 * 1_000_000, &[100, 100]);
    let pools = |star: &Scenario| resolve(star).unwrap().pools.remove(0);
    let (private, reserve) = (682, 80);
    let left = 1_000_000 - private - reserve;
    assert_eq!(pools(&star).shared, [left; 2]);
    assert_eq!(
        pools(&star).pool_offsets(true),
        (0, crate::mechanisms::buffer::OWN_HEADROOM)
    );
    assert_eq!(
        pools(&star).pool_offsets(false),
        (0, crate::mechanisms::buffer::NO_HEADROOM)
    );

    star.parameters.switch.pools = Some(Pools {
        lossless_percent: 66,
        lossy_percent: 10,
    });
    let found = pools(&star);
    assert_eq!(found.shared, [left * 66 / 100; 2]);
    assert_eq!(
        (found.lossy.clone(), found.headroom.len()),
        (vec![left / 10; 2], 0)
    );
    assert_eq!(found.pool_offsets(false).0, 2);

    star.parameters.switch.shared_headroom = Some(SharedHeadroom::Share { percent: 24 });
    let (found, left) = (pools(&star), left + private);
    let of = |percent: u64| vec![left * percent / 100; 2];
    assert_eq!(
        [
            found.shared.clone(),
            found.lossy.clone(),
            found.headroom.clone()
        ],
        [66, 10, 24].map(of)
    );
    assert_eq!(
        (found.pool_offsets(true), found.pool_offsets(false).0),
        ((0, 4), 2)
    );

    star.parameters.switch.pools = None;
    assert_eq!(pools(&star).shared, [left - left * 24 / 100; 2]);
    let bytes = 2 * 254 * 1_234;
    star.parameters.switch.shared_headroom = Some(SharedHeadroom::Fixed {
        bytes: Bytes(bytes),
    });
    let found = pools(&star);
    assert_eq!(
        (found.shared.clone(), found.headroom.clone()),
        (vec![left - 1_234; 2], vec![1_234; 2])
    );
    assert_eq!(found.pool_offsets(true), (0, 2));
}

#[test]
fn a_pool_with_nothing_in_it_is_refused() {
    use crate::model::parameters::{Pools, SharedHeadroom};
    let mut star = star("hpcc", 50 + 2 * (37_500 + 4_096), &[100, 100]);
    star.parameters.switch.pools = Some(Pools {
        lossless_percent: 99,
        lossy_percent: 1,
    });
    assert_eq!(
        resolve(&star).unwrap_err().to_string(),
        "switch 2: found a lossy pool of 0 bytes out of 50, expected more than 0\n  \
         hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share"
    );
    let bytes = 75_050;
    star.parameters.switch.shared_headroom = Some(SharedHeadroom::Fixed {
        bytes: Bytes(bytes),
    });
    assert_eq!(
        resolve(&star).unwrap_err().to_string(),
        "switch 2: found a shared pool of 0 bytes = 83,242 buffer - 2 x 4,096 reserve - 1 x 75,050 shared headroom, \
         expected more than 0\n  \
         hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share"
    );
}

#[test]
fn frame_lengths() {
    let lengths = |preset: &str| {
        let parameters = preset::by_name(preset).unwrap();
        (
            parameters.framing.shortest(),
            parameters.framing.longest(parameters.transport.mtu_bytes),
        )
    };
    assert_eq!(lengths("hpcc"), (Bytes(48), Bytes(4144)));
    assert_eq!(lengths("roce"), (Bytes(64), Bytes(4174)));
}

#[test]
fn refusals() {
    let rows = [
        (
            star("hpcc", 665_536, &[100; 16]),
            "switch 16: found a shared pool of 0 bytes = 665,536 buffer - 16 x 37,500 headroom - 16 x 4,096 reserve, \
             expected more than 0\n  \
             hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
        ),
        (
            star("hpcc", 200_000, &[100, 400, 100]),
            "switch 3: found a shared pool of -37,288 bytes = 200,000 buffer - 2 x 37,500 headroom - 1 x 150,000 headroom \
             - 3 x 4,096 reserve, expected more than 0\n  \
             hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
        ),
        (
            star("roce", 400_000, &[100, 100, 100]),
            "switch 3: found a shared pool of -187,198 bytes = 199,898 buffer - 2 x 173,228 headroom - 16 x 2,540 reserve \
             (one of 2 slices), expected more than 0\n  \
             hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
        ),
    ];
    for (scenario, message) in rows {
        assert_eq!(resolve(&scenario).unwrap_err().to_string(), message);
    }
    assert!(resolve(&star("hpcc", 665_537, &[100; 16])).is_ok());
}
