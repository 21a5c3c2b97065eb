//! Measures each part of the simulator that takes a large share of a run.

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;
use wirespeed_bench::generate::find_generated;
use wirespeed_sim::bytes::Bytes;
use wirespeed_sim::congestion::CongestionControl;
use wirespeed_sim::ids::{PortId, Priority};
use wirespeed_sim::mechanisms::buffer::{Pool, PriorityGroup, OWN_HEADROOM};
use wirespeed_sim::mechanisms::buffer_settings;
use wirespeed_sim::mechanisms::frame::Kind;
use wirespeed_sim::mechanisms::routing::Routes;
use wirespeed_sim::mechanisms::transport::rc::Rc;
use wirespeed_sim::mechanisms::transport::{Arrival, Settings, Transport};
use wirespeed_sim::model::preset;
use wirespeed_sim::model::scenario::Scenario;
use wirespeed_sim::time::Picoseconds;
use wirespeed_sim::{reader, Simulation};

/// Rounds in one iteration: enough that reading the clock takes a negligible part of the time.
const ROUNDS: u64 = 1_000;
/// A frame of 4,144 bytes at 100 Gb/s.
const FRAME_TIME: Picoseconds = Picoseconds(331_520);
/// Buffer cells of this frame; a cell of the preset has one byte.
const CELLS: u32 = 4_144;

fn bench_parts(criterion: &mut Criterion) {
    let text = find_generated("S3").expect("S3 is generated").text();
    let scenario = reader::read(&text, "hpcc", 1).expect("S3 is a scenario");
    let mut group = criterion.benchmark_group("per packet");
    group.throughput(Throughput::Elements(ROUNDS));
    group.bench_function("buffer: admit and release", |bencher| {
        let (mut priority_group, mut pool) = shared_buffer(&scenario);
        bencher.iter(|| {
            for _ in 0..ROUNDS {
                black_box(priority_group.admit(&mut pool, CELLS));
                black_box(priority_group.reaches_xoff(&pool));
                priority_group.release(&mut pool, CELLS);
                black_box(priority_group.reaches_xon(&pool));
            }
        });
    });
    group.bench_function("rc: packet and ACK", |bencher| {
        let mut connection = Connection::new();
        bencher.iter(|| (0..ROUNDS).for_each(|_| connection.exchange_packet()));
    });
    group.bench_function("dcqcn: packet, a CNP for every 8th", |bencher| {
        let prepared = hpcc_parameters().congestion.prepare();
        let mut algorithm = prepared.start(100_000_000_000, Bytes(4096));
        let mut now = Picoseconds::ZERO;
        bencher.iter(|| {
            for packet in 0..ROUNDS {
                now += FRAME_TIME;
                black_box(algorithm.rate(now));
                algorithm.on_sent(now, Bytes(4_144));
                if packet % 8 == 0 {
                    algorithm.on_cnp(now);
                }
            }
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("once in S3");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500));
    group.bench_function("read", |bencher| {
        bencher.iter(|| reader::read(black_box(&text), "hpcc", 1));
    });
    group.bench_function("routes", |bencher| {
        bencher.iter(|| Routes::compute(black_box(&scenario)));
    });
    group.bench_function("set-up", |bencher| {
        bencher.iter_batched(
            || scenario.clone(),
            Simulation::new,
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn hpcc_parameters() -> wirespeed_sim::model::parameters::Parameters {
    preset::by_name("hpcc").expect("a preset")
}

/// A lossless priority group of a switch of S3 that uses shared space and is far below its threshold.
fn shared_buffer(scenario: &Scenario) -> (PriorityGroup, Pool) {
    let resolved = buffer_settings::resolve(scenario).expect("S3 has room");
    let link = scenario.links.len() - 1; // between two switches
    let mut pool = Pool {
        cells: resolved.pools[0].shared[0],
        used: 0,
        most_used: 0,
        of_headroom: false,
        cell: scenario.parameters.switch.cell_bytes,
    };
    let mut priority_group = PriorityGroup::new(
        &resolved.priority_settings[(PortId(2 * link as u32), Priority(3))],
        0,
        OWN_HEADROOM,
    );
    while pool.used == 0 {
        assert!(priority_group.admit(&mut pool, CELLS));
    }
    (priority_group, pool)
}

/// Two connected transports without a network between them.
struct Connection {
    sender: Rc,
    receiver: Rc,
    now: Picoseconds,
}

impl Connection {
    fn new() -> Self {
        let settings = Arc::new(Settings::new(&hpcc_parameters().transport, true));
        Connection {
            sender: Rc::new(Arc::clone(&settings)),
            receiver: Rc::new(settings),
            now: Picoseconds::ZERO,
        }
    }

    /// Sends a packet, acknowledges it, and receives the acknowledgement.
    fn exchange_packet(&mut self) {
        self.now += FRAME_TIME;
        if !self.sender.has_work() {
            self.sender.post(0, Kind::Write, Bytes(1 << 30));
        }
        let segment = self.sender.next(self.now).expect("an operation is posted");
        let packet = Arrival {
            kind: segment.kind,
            psn: segment.psn,
            payload: segment.payload,
            flags: segment.flags,
            span: 0,
            requested_read: None,
        };
        let reply = self.receiver.receive(self.now, packet).reply;
        let reply = reply.expect("every packet is acknowledged");
        let acknowledgement = Arrival {
            kind: Kind::Ack,
            psn: reply.psn,
            payload: Bytes(0),
            flags: reply.flags,
            span: 0,
            requested_read: None,
        };
        black_box(self.sender.receive(self.now, acknowledgement));
        black_box(self.sender.pop_completed());
    }
}

criterion_group!(benches, bench_parts);
criterion_main!(benches);
