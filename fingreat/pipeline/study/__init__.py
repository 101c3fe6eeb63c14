"""A whole experiment from one file: corpus, runs, measures, one page.

config.py, loading.py → sources.py (corpus, gold) → runs.py (which there are, which are done) → flow.py (runs what is
missing) → parts.py (measures) → results.py (tables, figures, page); check.py says beforehand what is missing and what
it takes.
"""
