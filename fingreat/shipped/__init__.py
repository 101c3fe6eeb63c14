"""The example filings: invented companies, with a complete gold of their evidence."""
