"""EDGAR over the wire: addresses, a client that keeps its rules, indexes, companies and their facts."""
