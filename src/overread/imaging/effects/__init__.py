"""Changes of pixels with parameters, named in a recipe (`records.Effect`), one kind a file.

A module here with an ``EFFECT`` is an effect under its own name; other packages join through the
entry-point group ``overread.effects``.
"""
