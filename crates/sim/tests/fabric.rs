//! Switches, compared with their standards and models to the byte and the picosecond: shared buffer, PFC and its headroom,
//! marking, scheduling, multipath.

mod support;

#[path = "fabric/bench.rs"]
mod bench;
#[path = "fabric/buffer.rs"]
mod buffer;
#[path = "fabric/buffer_pools.rs"]
mod buffer_pools;
#[path = "fabric/credits.rs"]
mod credits;
#[path = "fabric/deadlock.rs"]
mod deadlock;
#[path = "fabric/destination.rs"]
mod destination;
#[path = "fabric/devices.rs"]
mod devices;
#[path = "fabric/forwarding.rs"]
mod forwarding;
#[path = "fabric/headroom.rs"]
mod headroom;
#[path = "fabric/marking.rs"]
mod marking;
#[path = "fabric/multipath.rs"]
mod multipath;
#[path = "fabric/other_traffic.rs"]
mod other_traffic;
#[path = "fabric/pause.rs"]
mod pause;
#[path = "fabric/scheduling.rs"]
mod scheduling;
#[path = "fabric/trimming.rs"]
mod trimming;
#[path = "fabric/voq.rs"]
mod voq;
