"""Judge each number of a run against physical limits, reachable limits and the gates of a profile."""
