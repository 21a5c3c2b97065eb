"""A simulation's folder as pictures: one HTML file, or PNG files."""
