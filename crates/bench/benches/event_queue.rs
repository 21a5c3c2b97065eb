//! Compares the event queue with the standard library's heap: nanoseconds for one pop and one push.

use criterion::measurement::WallTime;
use criterion::{
    criterion_group, criterion_main, BenchmarkGroup, BenchmarkId, Criterion, Throughput,
};
use std::time::Duration;
use wirespeed_bench::hold_model::{Heap, HoldModel, Mix, Queue};
use wirespeed_sim::mechanisms::event_queue::EventQueue;

/// Pops and pushes in one iteration: enough that reading the clock takes a negligible part of the time.
const HOLDS: u32 = 10_000;

fn bench_event_queue(criterion: &mut Criterion) {
    for mix in [Mix::Timers, Mix::Fabric] {
        let mut group = criterion.benchmark_group(format!("event_queue/{mix:?}"));
        group.throughput(Throughput::Elements(u64::from(HOLDS)));
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(1));
        for pending in [16, 256, 4096, 65_536, 524_288] {
            bench_hold::<EventQueue>(&mut group, "wheel", mix, pending);
            bench_hold::<Heap>(&mut group, "heap", mix, pending);
        }
    }
}

fn bench_hold<Q: Queue>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    mix: Mix,
    pending: u32,
) {
    let mut model = HoldModel::<Q>::new(mix, pending);
    group.bench_function(BenchmarkId::new(name, pending), |bencher| {
        bencher.iter(|| model.hold(HOLDS));
    });
}

criterion_group!(benches, bench_event_queue);
criterion_main!(benches);
