"""fingreat: evidence for an accounting graph in annual reports, extracted by language models and checked.

The rooms are the API: `fingreat.schema` (graph and records), `fingreat.edgar` (filings, sections, chunks),
`fingreat.prompts`, `fingreat.inference` (back ends), `fingreat.matching` (quotes against text),
`fingreat.analysis` (measures), `fingreat.runs` (run folders), `fingreat.report` (pages) and
`fingreat.pipeline` (the whole flow).
"""

__version__ = "0.1.0"
