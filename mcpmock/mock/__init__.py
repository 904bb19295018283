"""A recorded server within a process: what tests and scripts use, with or without pytest."""
