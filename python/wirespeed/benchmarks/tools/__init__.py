"""One folder per benchmark tool: ``reader.py`` reads its text, ``json_reader.py`` its JSON; no other registration.

A reader has ``LOOKS_FOR``, "the <output> of <the tool> (<texts that identify it>)"; ``IDENTIFYING_TEXTS``, of which
every output of the tool contains at least one; and ``read``, which returns every run of the tool in a log in order.
Searching for these texts is fast, reading line by line is not, and the log of a job has millions of lines.
"""
