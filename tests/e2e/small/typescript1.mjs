// A small server on the official TypeScript SDK 1.x: `node typescript1.mjs FOLDER`, the folder that holds node_modules.
import { createRequire } from "node:module";
import { tools } from "./typescript_tools.mjs";

const require = createRequire(`${process.argv[2]}/package.json`);
const { McpServer, ResourceTemplate } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { completable } = require("@modelcontextprotocol/sdk/server/completable.js");
const z = require("zod");

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
await server.connect(new StdioServerTransport());
