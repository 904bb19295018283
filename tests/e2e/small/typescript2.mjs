// A small server on the official TypeScript SDK 2.x: `node typescript2.mjs FOLDER [TRANSPORT PORT]`; the folder holds node_modules.
import { createRequire } from "node:module";
import { answering, listen, sessions } from "./typescript_http.mjs";
import { tools } from "./typescript_tools.mjs";

const [, , folder, transport, port] = process.argv;
const require = createRequire(`${folder}/package.json`);
const { McpServer, ResourceTemplate, WebStandardStreamableHTTPServerTransport, completable } = require("@modelcontextprotocol/server");
const { StdioServerTransport } = require("@modelcontextprotocol/server/stdio");
const z = require("zod");

function make() {
  const server = new McpServer(
    { name: "small-typescript2", version: "1.0.0" },
    { instructions: "a small server", capabilities: { logging: {} } },
  );
  tools(server, { ResourceTemplate, completable, z }, (context) => ({
    token: context.mcpReq._meta?.progressToken,
    notify: (notification) => context.mcpReq.notify(notification),
    log: (data) => context.mcpReq.log("info", data),
    sample: (params) => context.mcpReq.requestSampling(params),
    elicit: (params) => context.mcpReq.elicitInput(params),
    roots: () => server.server.listRoots(),
  }));
  return server;
}

if (transport === undefined) {
  await make().connect(new StdioServerTransport());
} else {
  const session = sessions(make, WebStandardStreamableHTTPServerTransport);
  listen(port, answering((request) => session(request.headers.get("mcp-session-id"), (one) => one.handleRequest(request))));
}
