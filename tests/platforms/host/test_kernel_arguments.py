"""Kernel parameters on hosts whose boot loader has a command for them: a rollback leaves what the host had before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read_text
from wirespeed.plan import build

EXAMPLE = Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster.yaml"
SCRIPT = "/usr/local/sbin/wirespeed-kernel-arguments"
LIST = "/etc/wirespeed/kernel-arguments"

GRUBBY = """\
#!/bin/sh
# As grubby-bls of RHEL 9: removals first; --args replaces all values of a key.
removed='' added=''
for option; do
  case "$option" in
  --info=DEFAULT) echo index=0; echo "args=\\"$(tr '\\n' ' ' <"$COMMAND_LINE")\\""; echo 'root="/dev/sda2"'; exit ;;
  --remove-args=*) removed=${option#--remove-args=} ;;
  --args=*) added=${option#--args=} ;;
  esac
done
for word in $removed; do sed -i "/^$word\\$/d" "$COMMAND_LINE"; done
for word in $added; do sed -i -E "/^${word%%=*}(=.*)?\\$/d" "$COMMAND_LINE"; done
for word in $added; do echo "$word" >>"$COMMAND_LINE"; done
"""
PBL = """\
#!/bin/sh
# As SUSE's perl-bootloader: one value a key; --del-option takes a key, --get-option prints the last value.
key=${2-}
key=${key%%=*}
case "$1" in
--get-option) grep -E "^$key(=.*)?\\$" "$COMMAND_LINE" | tail -n 1 ;;
--del-option) sed -i -E "/^$key(=.*)?\\$/d" "$COMMAND_LINE" ;;
--add-option) sed -i -E "/^$key(=.*)?\\$/d" "$COMMAND_LINE"; echo "$2" >>"$COMMAND_LINE" ;;
esac
"""
SYSTEMS = {"rhel-9.4": ("grubby", GRUBBY), "sles-15.6": ("pbl", PBL)}

PLANS = {  # parameters that the host has; those of one plan after the other: those that it has then
    "none before": ("ro quiet", {"iommu=pt": "ro quiet iommu=pt", "": "ro quiet"}),
    "one before": (
        "ro iommu=pt pci=realloc=off",
        {"iommu=pt intel_iommu=on": "ro iommu=pt pci=realloc=off intel_iommu=on", "": "ro iommu=pt pci=realloc=off"},
    ),
    "all before": ("ro iommu=pt", {"iommu=pt": "ro iommu=pt", "": "ro iommu=pt"}),
    "one that the next plan lacks": (
        "ro",
        {
            "iommu=pt pci=realloc=off": "ro iommu=pt pci=realloc=off",
            "iommu=pt": "ro iommu=pt",
            "": "ro",
        },
    ),
    "a replaced value": (
        "ro pci=noaer",
        {"pci=realloc=off": "ro pci=realloc=off", "pci=nommconf": "ro pci=nommconf", "": "ro pci=noaer"},
    ),
    "a key that begins like another": (
        "ro iommu.strict=0",
        {"iommu=pt": "ro iommu.strict=0 iommu=pt", "": "ro iommu.strict=0"},
    ),
    "a flag": ("ro nosmt=force", {"nosmt": "ro nosmt", "": "ro nosmt=force"}),
}


def render_script(system: str, root: Path) -> Path:
    """The script of a host whose root is a folder."""
    text = EXAMPLE.read_text().replace("os: ubuntu-22.04", f"os: {system}")
    files = {file.path: file.text for file in render.files(build(read_text(text, "cluster.yaml")), ["node1"])}
    assert files[LIST] == "intel_iommu=on\niommu=pt\n"
    for name, end in (("apply.sh", f"&& obeyed {LIST}"), ("rollback.sh", f"|| failed {LIST}")):
        assert f"  run {SCRIPT} {end}" in files[name]
    rollback = files["rollback.sh"]
    assert rollback.index(f"back {LIST}") < rollback.index(f"back {SCRIPT}"), "the script is gone before its last run"
    path = root / "script"
    path.write_text(files[SCRIPT].replace("=/etc/", f"={root}/etc/").replace("=/var/", f"={root}/var/"))
    return path


@pytest.mark.parametrize("case", PLANS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_only_parameters_that_were_added_are_removed(system: str, case: str, tmp_path: Path) -> None:
    script = render_script(system, tmp_path)
    command, text = SYSTEMS[system]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / command).write_text(text)
    (tmp_path / "bin" / command).chmod(0o755)
    (tmp_path / "etc/wirespeed").mkdir(parents=True)
    command_line = tmp_path / "command_line"
    before, plans = PLANS[case]
    command_line.write_text("".join(f"{word}\n" for word in before.split()))
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "COMMAND_LINE": str(command_line)}
    planned = tmp_path / "etc/wirespeed/kernel-arguments"
    for parameters, after in plans.items():
        planned.write_text("".join(f"{word}\n" for word in parameters.split()))
        if not parameters:
            planned.unlink()  # as rollback.sh does
        for run in ("first", "second"):
            process = subprocess.run(["sh", script], capture_output=True, text=True, env=environment, check=False)
            assert (process.returncode, process.stderr) == (0, "")
            assert sorted(command_line.read_text().split()) == sorted(after.split()), (parameters, process.stdout)
            assert run == "first" or process.stdout == ""
    assert not list((tmp_path / "var/lib/wirespeed").glob("*"))


def test_nothing_is_changed_when_the_boot_loader_is_not_readable(tmp_path: Path) -> None:
    script = render_script("rhel-9.4", tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/grubby").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "bin/grubby").chmod(0o755)
    (tmp_path / "etc/wirespeed").mkdir(parents=True)
    (tmp_path / "etc/wirespeed/kernel-arguments").write_text("iommu=pt\n")
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    process = subprocess.run(["sh", script], capture_output=True, text=True, env=environment, check=False)
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr == ("wirespeed-kernel-arguments: no arguments in the output of grubby --info=DEFAULT\n")
