"""Does this request fit that interaction, and if not, how nearly? No I/O, no clock."""
