"""The pure machines: recording, playback, whose message is it, the run report. No I/O, no clock."""
