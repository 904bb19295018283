"""What a cassette holds, for people: in short, as a transcript, and what of it would not replay."""
