"""Runs on disk: folder, manifest, append-only records, atomic files."""

from fingreat.runs.environment import Code, Environment
from fingreat.runs.files import read_json, readers, sole_owner, sweep, to_json, write_atomic
from fingreat.runs.folder import RunFolder, digest_of_text, find_runs, owner_of, sha256_of
from fingreat.runs.log import RecordLog, part_paths, read_json_lines, read_record_file, read_records, write_records
from fingreat.runs.manifest import Beside, Manifest, MatchCounts, MatchedRun, MatchManifest, ModelInfo

__all__ = [
    "Beside",
    "Code",
    "Environment",
    "Manifest",
    "MatchCounts",
    "MatchManifest",
    "MatchedRun",
    "ModelInfo",
    "RecordLog",
    "RunFolder",
    "digest_of_text",
    "find_runs",
    "owner_of",
    "part_paths",
    "read_json",
    "read_json_lines",
    "read_record_file",
    "read_records",
    "readers",
    "sha256_of",
    "sole_owner",
    "sweep",
    "to_json",
    "write_atomic",
    "write_records",
]
