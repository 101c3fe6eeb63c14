"""The example filing that comes with the package, and its gold: data files, no code."""
