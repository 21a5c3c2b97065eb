"""Hardware and software as data: one YAML file per model, its name is the file's name, every number with its source."""

from wirespeed.catalogue.load import Catalogue, load

__all__ = ["Catalogue", "load"]
