"""Read the output of the scripts of wirespeed's suites mesh and ping."""
