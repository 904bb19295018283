"""The speed figures of mcpmock, each as a ratio against something else in the same run: `python -m benchmarks`."""
