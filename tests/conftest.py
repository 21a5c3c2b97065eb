"""What all tests share."""

import os

from hypothesis import settings

# The same examples on every run, so that a change alone decides whether a test passes; WIRESPEED_EXPLORE=1 looks on.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("explore" if os.environ.get("WIRESPEED_EXPLORE") else "same")
