"""Models of providers, and of servers that speak their languages: one request at a time, or in batches."""
