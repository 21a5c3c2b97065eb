"""The faults of this example, for ``../inject_faults.py``."""

from output_edits import Faults, replace

COMBINABLE = tuple(f"{number:02}" for number in range(1, 6))
"""The faults that do not hide each other."""

FAULTS: Faults = {
    # as it came from the factory: room for one GPU, not for two
    "01-prefetch-512": {
        "abel1/ntb-prefetch.out": replace("4096", "512"),
        "abel1/nvidia-gpus.out": replace(r"3, 00000000:04:05.0\n", ""),
        "abel1/usable-gpus.out": replace(r"00000000:04:05.0\n", ""),
    },
    "02-device-not-lent": {"abel2/loans.out": replace(r"80500: .*\n", "")},
    # a card that sits badly
    "03-gpu-x4": {
        "abel2/lspci.out": replace(
            r"LnkSta:\t(.*) Width x16", r"LnkSta:\t\1 Width x4 (downgraded)", anchor="0000:05:00.0 "
        )
    },
    "04-other-driver": {"abel2/nvidia-driver.out": lambda text: text.replace("470.182.03", "525.60.13")},
    "05-no-toolkit": {"abel1/cuda-toolkits.out": replace(r"cuda/11\.4", "cuda/11.7")},
}
