"""Launch of jobs."""
