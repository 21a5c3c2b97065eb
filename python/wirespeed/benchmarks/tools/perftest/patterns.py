"""The patterns of perftest's reports: titles, settings, and error messages.

From perftest's src/perftest_parameters.c, perftest_resources.c, perftest_communication.c and the tests' main files.
"""

from __future__ import annotations

import re

NAME = re.compile(r"(?<![\w-])(ib_(?:write|read|send|atomic)_(?:bw|lat)|raw_ethernet_(?:bw|lat|burst_lat|fs_rate))\b")

TITLE = re.compile(
    r"(?:Post List +)?"
    r"(?:(?:RDMA[_ ])?(?P<verb>Write|Read)(?:_[Ii]mm)?|(?P<send>Send)|(?P<atomic>Atomic)\b.*?)"
    r"(?: [A-Za-z_ -]*?)?\b(?P<kind>BW|Latency|Flow Steering Rate)\b.*\bTest$"
)

SETTINGS = {
    "Dual-port": "second_port",
    "Device": "rdma_device",
    "Number of qps": "queue_pairs",
    "Transport type": "transport",
    "Connection type": "connection_type",
    "Using SRQ": "shared_receive_queue",
    "PCIe relax order": "pcie_relaxed_ordering",
    "Lock-free": "lock_free",
    "Using DDP": "ddp",
    "ibv_wr* API": "work_request_api",
    "TX depth": "send_queue_depth",
    "RX depth": "receive_queue_depth",
    "CQ Moderation": "cq_moderation",
    "CQE Poll Batch": "cqe_poll_batch",
    "Recv Post List": "receive_post_list",
    "Post List": "send_post_list",
    "Mtu": "path_mtu_bytes",
    "Link type": "link_type",
    "GID index": "gid_index",
    "GID index2": "second_gid_index",
    "Max inline data": "max_inline_bytes",
    "Outstand reads": "outstanding_reads",
    "rdma_cm QPs": "rdma_cm",
    "Use ROCm memory": "rocm_memory",
    "Data ex. method": "data_exchange",
    "TOS": "tos",
}
PARAMETER = re.compile(
    r"(?:^|(?<=\s))(" + "|".join(re.escape(name) for name in SETTINGS) + r")\s*:\s*([^\s,]+)(?!\S)(?:\s?\[B\])?"
)  # other tools list devices as ``Device: 0, NAME``

SIDES = ("local address", "remote address")
PINGPONG = re.compile(r"(?:local|remote) address: +LID 0x[0-9a-f]{4},")
"""An address as ibv_rc_pingpong prints it; perftest sets no commas."""
LEADS = frozenset((*SETTINGS, *SIDES, "GID"))  # first words of lines with settings and addresses
GID = re.compile(r"\bGID: (\S+)")
ROCM = re.compile(r"Using ROCm Device with ID: (\d{1,4}), (?:PCI Bus ID: [^,]*, )?(?:GCN Arch: [^,]*, )?Name: ([^,]+)")
CUDA = re.compile(r"initializing CUDA|CUDA device \d+|Picking (?:GPU|device)", re.IGNORECASE)
GPU_NAME = re.compile(r"\[pid = \d+, dev = \d+\] device name = \[([^\]]+)\]")
DMABUF = re.compile(r"using DMA-BUF for GPU buffer|Calling ibv_reg_dmabuf_mr\(")  # src/cuda_memory.c
EVENTS = "Test with events."

CPU_FREQUENCY = re.compile(r"Conflicting CPU frequency values detected: (\S+ != \S+?)\. CPU Frequency is not max")

# Messages on standard error that land in the middle of a line of standard output.
MESSAGE = re.compile(
    r"(?:Correlation coefficient r\^2: \S+ < \S+|Can't produce a report"
    r"|Conflicting CPU frequency values detected: .*?CPU Frequency is not max\."
    r"|(?:ethernet|rdma)_(?:read|write)_(?:keys|data): Couldn't (?:read|write) remote address"
    r"| ?Unable to (?:read|write) (?:to|from) socket/rdma_cm"
    r"| ?Failed to (?:exchange data|close connection) between server and clients?"
    r"| ?Trying to close this side resources"
    r"|Completion with error at (?:client|server)|Failed status \S[^:]*: wr_id \d+ syndrom 0x[0-9a-f]+"
    r"|scnt=\d+, ccnt=\d+)\s*$"
)

# Texts that only perftest prints.
HINT = re.compile(
    r"Conflicting CPU frequency values detected|BW peak won't be measured|Couldn't (?:read|write) remote address"
    r"|socket/rdma_cm|Failed to (?:exchange data|close connection) between server and client"
    r"|Completion with error at (?:client|server)|Failed status \S[^:]*: wr_id \d+ syndrom"
    r"|Parser function exited with Error|Unable to open file descriptor for socket connection"
    r"|Unable to init the socket connection|Unable to find the Infiniband/RoCE device"
    r"|TOS only valid for rdma_cm based QP|RDMA CM event error|Failed to (?:handle|connect) RDMA CM event"
    r"|Events feature not available on|Iteration num should be between|Found Incompatibility issue with GID types"
    r"|Couldn't (?:allocate MR|create rdma resources|create IB resources|get context for the device)"
    r"|Unable to Connect the HCA's through the link|Problems with warm up|Invalid Command or flag"
    r"|Unable to perform rdma_client function|Received \d+ times ADDR_ERROR"
    r"|Couldn't set the link layer|Can't produce a report|Failed to modify QP (?:\d+ to|to INIT, ret=)"
    r"|BW result is below bw limit|Msg rate +is below msg_rate limit|[Dd]id not detect devices"
    r"|Perftest supports \w+ latency tests with|Perftest (?:still )?doesn't support "
    r"|(?:DMA-BUF|MEM TYPE) cannot be used without "
)

# Substrings of every text that TITLE, HINT, ROCM, CUDA or the pattern of the column line matches.
SUBSTRINGS = (
    "#bytes",
    "#flows",
    "is below",
    "id not detect",
    "--output",
    "BW ",
    "Latency ",
    "Flow Steering",
    "Waiting for client",
    "unrecognized option",
    "ROCm Device",
    "CUDA",
    "icking ",
    "Conflicting CPU",
    "BW peak",
    "Couldn't",
    "Can't produce",
    "socket",
    "between server",
    "with error",
    "Failed status",
    "Parser function",
    "Unable to",
    "TOS only",
    "CM event",
    "feature not available",
    "Iteration num",
    "GID types",
    "warm up",
    "Invalid Command",
    "modify QP",
    "Correlation coefficient",
    "ADDR_ERROR",
    "Perftest ",
    "cannot be used without",
)

# Failures that occur only after the title was printed.
AFTER_TITLE = re.compile(
    r"GID types|: wr_id \d|Completion with error|modify QP|Connect the HCA|exchange data|remote address|a report"
    r"|is below (?:bw|msg_rate) limit"
)
LIMIT = re.compile(r"(?:BW result|Msg rate) +is below (?:bw|msg_rate) limit")  # of -w and -y; the table is valid

FAILURE = re.compile(
    r"(?:(?:\S*/)?[\w-]+: )?"  # the program as it was called, which may be a path
    r"(?:Couldn't|Could not|Can't|Cannot|Unable to|Failed|failed to|Completion with error|ERRNO:|ERROR\b"
    r"|Error\b|RDMA CM event error|Event: \S+; error|Found Incompatibility|Please Try to use a different IP"
    r"|Parser function exited|Invalid Command|TOS only valid|Events feature not available|Iteration num should be"
    r"|Did not detect devices|IB device \S+ not found|unrecognized option|Problems with|Port number \d+ state is Down"
    r"|Unsupported|Segmentation fault|Bus error|got completion with error|Received (?:interrupt|SIG)|Interrupted"
    r"|Received \d+ times ADDR_ERROR|Device not supported|.* is not supported|.*: Cannot allocate memory"
    r"|Output verbosity level for|Message size cannot be changed|.* is only available in|.* work only with"
    r"|.*Got bad completion|mlx\d: .*error|Terminated|Killed|Timeout|.* should be between"
    r"|.*: Connection (?:refused|timed out|reset by peer)"
    # options that exclude each other (src/perftest_parameters.c)
    r"|Perftest supports \w+ latency tests with|Perftest (?:still )?doesn't support "
    r"|.* cannot be used (?:without|with|together)\b|.* is incompatible with|.* is only supported ).*"
)
