//! Nodes, links and buffers.

use super::{links, pair, pair_with, read_refusal};

#[test]
fn refusals_of_nodes_and_links() {
    let common = pair(r#""link_gbps": 100, "link_delay_ns": 1000,"#, "");
    let rows = [
        (pair(r#""hosts": 2"#, r#""hosts": 0"#), "hosts: found 0, expected a whole number, 1 to 1,048,576"),
        (pair(r#""hosts": 2"#, r#""hosts": 2.5"#), "hosts: found 2.5, expected a whole number, 1 to 1,048,576"),
        (pair(r#""hosts": 2"#, r#""hosts": "2""#), "hosts: found \"2\", expected a whole number, 1 to 1,048,576"),
        (pair_with(r#""name": 3"#), "name: found 3, expected a text"),
        (pair_with(r#""name": "a", "hosts": 3"#), "hosts: found this key again, expected each key once"),
        (
            pair_with(r#""link_gpbs": 3"#),
            "scenario: found the key \"link_gpbs\", expected name, desc, assumed, hosts, switches, node_names, link_gbps, link_delay_ns, links, \
             buffer_bytes, flows, queue_pairs, operations, parameters, devices, faults, routes\n  hint: did you mean \"link_gbps\"?",
        ),
        (links("3"), "links: found 3, expected a list"),
        (links("[[0, 2], [1, 2], 7]"), "links[2]: found 7, expected an object with a, b, gbps, delay_ns, loss, pfc_lost_from_ns, addresses, port_names"),
        (links("[[0, 2], [1, 2], [1]]"), "links[2]: found a list of 1, expected [a, b]"),
        (links("[[0, 2], [1, 3]]"), "links[1]: found [1, 3], expected two nodes, 0 to 2"),
        (links("[[0, 2], [1, -2]]"), "links[1]: found [1, -2], expected two nodes, 0 to 2"),
        (links("[[0, 2], [2, 2]]"), "links[1]: found both ends at node 2, expected two nodes"),
        (links(r#"[[0, 2], {"a": 1}]"#), "links[1].b: found nothing, expected a whole number, 0 to 2"),
        (links(r#"[[0, 2], {"a": 1, "b": 3}]"#), "links[1].b: found 3, expected a whole number, 0 to 2"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gbps": 0}]"#), "links[1].gbps: found 0, expected a number, 0.001 to 10,000 Gb/s"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gbps": -5}]"#), "links[1].gbps: found -5, expected a number, 0.001 to 10,000 Gb/s"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gbps": 1e11}]"#), "links[1].gbps: found 100000000000, expected a number, 0.001 to 10,000 Gb/s"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "delay_ns": 2000000000}]"#), "links[1].delay_ns: found 2000000000, expected a whole number, 0 to 1,000,000,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "loss": 1.5}]"#), "links[1].loss: found 1.5, expected a number, 0 to 1"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "pfc_lost_from_ns": -1}]"#), "links[1].pfc_lost_from_ns: found -1, expected a whole number, 0 to 1,000,000,000,000,000"),
        (links(r#"[[0, 2], {"a": 1, "b": 2, "gpbs": 5}]"#), "links[1]: found the key \"gpbs\", expected a, b, gbps, delay_ns, loss, pfc_lost_from_ns, addresses, port_names"),
        (
            common,
            "links[0].delay_ns: found nothing, expected a delay in ns here or as link_delay_ns\n\
             links[0].gbps: found nothing, expected a rate in Gb/s here or as link_gbps\n\
             links[1].delay_ns: found nothing, expected a delay in ns here or as link_delay_ns\n\
             links[1].gbps: found nothing, expected a rate in Gb/s here or as link_gbps",
        ),
        (pair("100,", "0,"), "link_gbps: found 0, expected a number, 0.001 to 10,000 Gb/s"),
        (pair_with(r#""buffer_bytes": 0"#), "buffer_bytes: found 0, expected a whole number, 1 to 2,147,483,648"),
        (pair_with(r#""buffer_bytes": [1, 2]"#), "buffer_bytes: found 2 numbers, expected one for each of 1 switches"),
        (pair_with(r#""buffer_bytes": ["1"]"#), "buffer_bytes[0]: found \"1\", expected a whole number, 1 to 2,147,483,648"),
        (
            pair_with(r#""buffer_bytes": 80000"#),
            "switch 2: found a shared pool of -3,192 bytes = 80,000 buffer - 2 x 37,500 headroom - 2 x 4,096 reserve, \
             expected more than 0\n  hint: a larger buffer_bytes, shorter cables or fewer ports leave something to share",
        ),
    ];
    for (text, message) in rows {
        assert_eq!(read_refusal(&text), message, "{text}");
    }
}
