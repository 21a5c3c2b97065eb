"""Launch of jobs."""

ENVIRONMENT_FIX = "unset the variable in job scripts and profiles: it takes precedence over the library's file"
"""Fix of a setting that the environment of a running job sets."""

NO_TRANSPORT = "none"
"""The transport of a library that has no RDMA transport enabled."""
