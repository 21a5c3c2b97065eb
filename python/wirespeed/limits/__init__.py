"""Physical limits as named terms with their formulas, for the judge, the checks and diagnosis.

Network limits are in Gb/s of payload, limits of collectives in GB/s, as the tools print them.
"""
