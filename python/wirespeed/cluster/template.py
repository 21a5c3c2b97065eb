"""The cluster file that `wirespeed init` writes."""

TEMPLATE = """\
# A wirespeed cluster file. Lines after '#' are comments; check the file with: wirespeed validate FILE
version: 1
name: my-cluster

# Hosts by node range, as in Slurm and ClusterShell. docs/reference/cluster-file.md lists every key.
hosts:
  node[1-4]:
    model: dell-xe9680-mi300x                  # server model (`wirespeed list servers`)
    os: ubuntu-22.04
    nics: 8 x broadcom-bcm957608-p1400gd       # RDMA NIC ports, in rail order (`wirespeed list nics`)
    # interfaces: [enp29s0np0, …]              # only if the kernel uses other names
    # mtu: 9000                                # of every NIC
    # control_interface: eno8303               # for ssh and job start
    # except:                                  # what differs on some hosts of the range
    #   node3: {nic: {enp29s0np0: {slot: gen5 x8}, enp67s0np0: {jobs: false}}}

switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}      # model and os: `wirespeed list switches`
  # leaf1: {model: arista-7060dx5-64s, os: eos, role: leaf}
  # Thresholds and queues come from the operating system's data; override them here:
  #   ecn: {minimum: 1048 kB, maximum: 2097 kB, probability: 5%}
  #   classes: {roce: {queue: 3}}

# Cables between switches: every switch of a to every switch of b.
# links:
#   - {a: "leaf[1-2]", b: "spine[1-2]", count: 2}
# Or a complete leaf-spine fabric, with cores above it where pods are joined:
# fabric: {pods: 2, leaf_spine: {uplinks: 32}, spine_core: {uplinks: 32}}

# Example with two leaves and two spines; the hosts are divided evenly among the leaves, in the order of the file:
# switches:
#   leaf[1-2]: {model: dell-z9664f, os: dell-sonic, role: leaf}
#   spine[1-2]: {model: dell-z9664f, os: dell-sonic, role: spine}
# fabric: {leaf_spine: {uplinks: 16, length: 30 m}}
# addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}

cabling:
  pattern: by-host                             # or by-rail
  # file: cables.csv                           # instead of pattern; `wirespeed plan FILE --cables -f csv` prints one
  cable: dac-400g                              # cable model (`wirespeed list cables`); leave out if none fits
  length: 3 m

addresses:
  scheme: link-31                              # a /31 per cable; or rail-24, leaf-26, and for IPv6 link-127 …
  pool: 10.1.0.0/16
  # loopbacks: 10.255.0.0/24                   # addresses of the switches; required with links or fabric
  # fabric: 10.2.0.0/24                        # /31s between switches, for a numbered underlay

# Routing between switches: eBGP on every cable (RFC 7938); unnumbered unless addresses.fabric is set.
# routing: {underlay: bgp-unnumbered, asn: {base: 4200000000, per: tier}, bfd: true}

# You choose the DSCP and the priority of each class. The catalogue defines the queues of these classes on NICs and
# switches. All other traffic belongs to the class `default`.
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}

# launch:
#   gid_index: 3                               # GID index that jobs use
#   environment: {NCCL_DEBUG: VERSION}
"""
