"""Hardware and software as data: one YAML file per model, named as the model. Every number has a source."""

from wirespeed.catalogue.load import Catalogue, load

__all__ = ["Catalogue", "load"]
