"""Driver packages

The planned driver packages are built for the running kernel and installed, in the planned version, and their modules
are loaded in this version. Without a DKMS package, planned modules that are loaded in the planned version pass: they
were built from the source archive.

Impact:
    Without them the kernel loads its in-tree driver, which is older and may support neither the NIC nor GPU memory.
    A package that is only added was never built, often because the headers of the kernel were missing.
    After an installation the old modules remain loaded until the reboot, and also after it if the boot image still
    contains them.

Fix:
    Run software-install.sh, which `wirespeed render` writes if the cluster file has `software`. After a kernel update,
    check that the modules were built for the new kernel. If a module is loaded in another version, rebuild the boot
    image and reboot.

Example:
    $ dkms status
    netxtreme-peer-mem/234.0.154.0, 5.15.0-102-generic, x86_64: installed

Source:
    Broadcom 957608-AN210, 2.2.1.2, 2.2.2, 2.2.3, 2.6 item 1 and Appendix A
"""

from collections.abc import Iterator
from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, UnreadError, failure, success
from wirespeed.checks.wording import format_list
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Package, Place, find_release

subject = Package
needs = (
    *("package.installed", "package.version", "package.other_kernels", "host.packages"),
    *("module.version", "host.kernel.version"),
)
failures = ("NIC-04", "OS-12")
presence = True


def check(context: CheckContext) -> Outcome:
    """The package on the disk, then its modules in the kernel; modules from the source archive have no package."""
    if (built_modules := _list_modules_without_package(context)) is not None:
        return success(f"version {context.entity.version}", f"no DKMS package; loaded are {format_list(built_modules)}")
    mismatch = _compare_loaded(context)
    if mismatch is not None and _has_package(context) is None:
        return mismatch
    outcome = _compare_package(context)
    if "package.installed" in outcome.differences and (kernels := _list_other_kernels(context)) is not None:
        return _describe_kernels(context, outcome, kernels)
    return mismatch if mismatch is not None and outcome.status is Status.PASS else outcome


def _compare_loaded(context: CheckContext) -> Outcome | None:
    """A failure if modules of the package are loaded in another version than planned, or without a planned version than
    installed; else None."""
    expected = context.entity.version or _find_installed_version(context)
    if expected is None:
        return None
    release = find_release(expected)
    versions = {name: version for name, version in _list_loaded(context) if find_release(version) != release}
    if not versions:
        return None
    return failure(
        "modules of the driver package are loaded in another version",
        release,
        format_list(f"{name} {version}" for name, version in versions.items()),
        Fix("run the rendered software-install.sh, then rebuild the boot image", consequence="reboot"),
    )


def _find_installed_version(context: CheckContext) -> str | None:
    """The version of the package if it is installed for the running kernel; None if that was not read."""
    try:
        is_installed = context.get_found_value("package.installed")
        return str(context.get_found_value("package.version")) if is_installed else None
    except UnreadError:
        return None


def _list_modules_without_package(context: CheckContext) -> list[str] | None:
    """The planned modules, all loaded in the planned version, of a host without the DKMS package; else None."""
    if context.entity.version is None or _has_package(context):
        return None
    planned = context.plan.hosts[context.place.device].modules
    modules = [name for name in _list_modules(context) if name in planned]
    loaded = dict(_list_loaded(context))
    release = find_release(context.entity.version)
    if not modules or any(find_release(loaded.get(name, "")) != release for name in modules):
        return None
    return [f"{name} {loaded[name]}" for name in modules]


def _has_package(context: CheckContext) -> bool | None:
    """Whether DKMS lists the package; None if that was not read, as on a host without dkms."""
    try:
        return context.is_present()
    except UnreadError:
        return None


_compare_package = compare(
    "package.installed",
    "package.version",
    wrong="the driver package is not as planned",
    labels={True: "installed for the running kernel", False: "not installed for the running kernel"},
    fix="run the rendered software-install.sh",
    consequence="reboot",
    by_hand=True,
)


def _list_other_kernels(context: CheckContext) -> tuple[str, ...] | None:
    """The kernels for which the package is installed instead of the running one; None if that was not read."""
    try:
        kernels: tuple[str, ...] = context.get_found_value("package.other_kernels")
    except UnreadError:
        return None
    return kernels


def _describe_kernels(context: CheckContext, outcome: Outcome, kernels: tuple[str, ...]) -> Outcome:
    """The failure with the package's state. Of a package for other kernels the running kernel may be the cause."""
    host = Place(context.place.device)
    try:
        version = context.get_found_value("package.version")
        running = context.get_found_value("host.kernel.version", host)
    except UnreadError:
        return outcome
    if not kernels:
        found = f"{version} added, but built for no kernel (running: {running})"
        return replace(outcome, found=found, summary="the driver package is added, but not built")
    found = f"{version} for kernel {format_list(kernels)}, not for the running {running}"
    summary = "the driver package is not installed for the running kernel"
    return replace(outcome, found=found, summary=summary, causes=("software.kernel",), cause_place=host)


def _list_modules(context: CheckContext) -> list[str]:
    """The kernel modules of the package, by the catalogue."""
    releases = context.plan.hardware.drivers.values()
    packages = [package for release in releases if (package := release.packages.get(context.place.name)) is not None]
    return [name for package in packages for name in package.modules]


def _list_loaded(context: CheckContext) -> Iterator[tuple[str, str]]:
    """The package's modules with their loaded versions. A module that is not loaded or has no version is left out."""
    for name in _list_modules(context):
        try:
            version = context.get_found_value("module.version", Place(context.place.device).child("module", name))
        except UnreadError:
            continue
        yield name, version
