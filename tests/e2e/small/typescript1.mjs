// A small server on the official TypeScript SDK 1.x: `node typescript1.mjs FOLDER [TRANSPORT PORT]`; the folder holds node_modules.
import { createRequire } from "node:module";
import { listen, sessions } from "./typescript_http.mjs";
import { tools } from "./typescript_tools.mjs";

const [, , folder, transport, port] = process.argv;
const require = createRequire(`${folder}/package.json`);
const { McpServer, ResourceTemplate } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { completable } = require("@modelcontextprotocol/sdk/server/completable.js");
const z = require("zod");

function make() {
  const server = new McpServer(
    { name: "small-typescript1", version: "1.0.0" },
    { instructions: "a small server", capabilities: { logging: {} } },
  );
  tools(server, { ResourceTemplate, completable, z }, (extra) => ({
    token: extra._meta?.progressToken,
    notify: (notification) => extra.sendNotification(notification),
    log: (data) => server.sendLoggingMessage({ level: "info", data }),
    sample: (params) => server.server.createMessage(params),
    elicit: (params) => server.server.elicitInput(params),
    roots: () => server.server.listRoots(),
  }));
  return server;
}

if (transport === undefined) {
  await make().connect(new StdioServerTransport());
} else if (transport === "sse") {
  const { SSEServerTransport } = require("@modelcontextprotocol/sdk/server/sse.js");
  const known = new Map();
  listen(port, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    if (pathname === "/messages") return known.get(searchParams.get("sessionId")).handlePostMessage(request, response);
    const stream = new SSEServerTransport("/messages", response);
    known.set(stream.sessionId, stream);
    return make().connect(stream);
  });
} else {
  const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const session = sessions(make, StreamableHTTPServerTransport);
  listen(port, (request, response) => session(request.headers["mcp-session-id"], (one) => one.handleRequest(request, response)));
}
