"""What is on the wire: JSON-RPC messages, line framing, the table of MCP methods. No I/O, no clock."""
