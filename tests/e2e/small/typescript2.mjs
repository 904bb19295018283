// A small server on the official TypeScript SDK 2.x: `node typescript2.mjs FOLDER`, the folder that holds node_modules.
import { createRequire } from "node:module";
import { tools } from "./typescript_tools.mjs";

const require = createRequire(`${process.argv[2]}/package.json`);
const { McpServer, ResourceTemplate, completable } = require("@modelcontextprotocol/server");
const { StdioServerTransport } = require("@modelcontextprotocol/server/stdio");
const z = require("zod");

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
await server.connect(new StdioServerTransport());
