"""Measure how long `wirespeed --help` takes. The goal is 0.3 s."""

import subprocess
import sys
import time

RUNS = 9

times = []
for _ in range(RUNS):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "wirespeed", "--help"], stdout=subprocess.DEVNULL, check=True)
    times.append(time.perf_counter() - start)
times.sort()
sys.stdout.write(f"wirespeed --help: {times[0]:.2f} s fastest, {times[RUNS // 2]:.2f} s median of {RUNS}" + "\n")
