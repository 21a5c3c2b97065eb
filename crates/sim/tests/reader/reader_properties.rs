//! What must hold of the scenario reader whatever it is given.

use wirespeed_sim::mechanisms::buffer_settings;
use wirespeed_sim::mechanisms::routing::Routes;
use wirespeed_sim::model::preset;
use wirespeed_sim::problem::Refusal;
use wirespeed_sim::reader;

/// No panic; a refusal states the reason; an accepted scenario has a route for every queue pair and a pool in every switch.
pub fn check_reader(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for preset in preset::NAMES {
        match reader::read(&text, preset, 1) {
            Ok(scenario) => {
                Routes::compute(&scenario).expect("a route for every queue pair");
                buffer_settings::resolve(&scenario).expect("a pool in every switch");
            }
            Err(Refusal(problems)) => assert!(!problems.is_empty()),
        }
    }
}
