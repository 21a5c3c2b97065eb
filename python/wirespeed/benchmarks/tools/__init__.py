"""One folder per benchmark tool: ``reader.py`` reads its text, ``json_reader.py`` its JSON; being here registers them.

A reader has ``LOOKS_FOR``, "the <output> of <the tool> (<what it is recognised by>)"; ``SIGNS``, of which every
output of the tool has at least one; and ``read``, which returns every run of the tool in a log in order, and none when
there is none. Looking for signs is fast, reading line by line is not, and the log of a job has millions of lines.
"""
