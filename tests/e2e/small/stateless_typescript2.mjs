// The small server on the official TypeScript SDK 2.x, with what only the stateless revision can carry (2026-07-28):
// `node stateless_typescript2.mjs FOLDER [streamable-http PORT]`, the folder that holds node_modules.
import { createRequire } from "node:module";
import { answering, listen, sessions } from "./typescript_http.mjs";
import { tools } from "./typescript_tools.mjs";

const require = createRequire(`${process.argv[2]}/package.json`);
const sdk = require("@modelcontextprotocol/server");
const { McpServer, ResourceTemplate, completable, createMcpHandler, createRequestStateCodec, inputRequired, isLegacyRequest } = sdk;
const z = require("zod");
const codec = createRequestStateCodec({ key: new Uint8Array(32).fill(7) });
const text = (words) => ({ content: [{ type: "text", text: words }] });

function form(message) {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  return inputRequired.elicit({ message, requestedSchema });
}

// Without a handshake the SDK makes a server for every request over HTTP, so what the tools remember is theirs alone there.
function make() {
  const changing = { listChanged: true };
  const capabilities = { tools: changing, resources: { ...changing, subscribe: true }, prompts: changing, completions: {}, logging: {} };
  const options = { instructions: "a small server", capabilities, requestState: { verify: codec.verify } };
  const server = new McpServer({ name: "small-typescript2", version: "1.0.0" }, options);
  tools(server, { ResourceTemplate, completable, z }, (context) => ({
    token: context.mcpReq._meta?.progressToken,
    notify: (notification) => context.mcpReq.notify(notification),
    log: (data) => context.mcpReq.log("info", data),
    sample: (params) => context.mcpReq.requestSampling(params),
    elicit: (params) => context.mcpReq.elicitInput(params),
    roots: () => server.server.listRoots(),
  }));
  const described = (description, shape) => ({ description, inputSchema: z.object(shape) });
  server.registerTool("interview", described("Asks the user, then the model and for the roots at once.", { topic: z.string() }), async ({ topic }, { mcpReq }) => {
    const { who, model, folders } = mcpReq.inputResponses ?? {};
    if (who !== undefined) {
      const messages = [{ role: "user", content: { type: "text", text: topic } }];
      const inputRequests = { model: inputRequired.createMessage({ messages, maxTokens: 20 }), folders: inputRequired.listRoots() };
      return inputRequired({ inputRequests, requestState: await codec.mint({ who }) });
    }
    if (model !== undefined) return text(JSON.stringify([model, folders]));
    return inputRequired({ inputRequests: { who: form(`who are you, ${topic}?`) } });
  });
  server.registerTool("confirm", described("Asks the user once, and keeps no state.", { what: z.string() }), ({ what }, { mcpReq }) => {
    const { sure } = mcpReq.inputResponses ?? {};
    return sure === undefined ? inputRequired({ inputRequests: { sure: form(what) } }) : text(JSON.stringify(sure));
  });
  server.registerTool("touch", described("Changes a resource, and the list of tools.", {}), async () => {
    if (handler === undefined) {
      await server.server.sendResourceUpdated({ uri: "note://now" });
      await server.server.sendToolListChanged();
    } else {
      handler.notify.resourceUpdated("note://now");
      handler.notify.toolsChanged();
    }
    return text("touched");
  });
  // What ends subscriptions ends all else, too: on pipes it is the server itself, so its answer must be out before.
  server.registerTool("over", described("Ends all subscriptions.", {}), () => {
    setTimeout(() => (handler ?? onPipes).close(), 100);
    return text("over");
  });
  return server;
}

let handler;
let onPipes;
if (process.argv[3] === undefined) {
  onPipes = require("@modelcontextprotocol/server/stdio").serveStdio(make);
} else {
  handler = createMcpHandler(make, { legacy: "reject" });
  const session = sessions(make, sdk.WebStandardStreamableHTTPServerTransport);
  const inSession = (request) => session(request.headers.get("mcp-session-id"), (one) => one.handleRequest(request));
  listen(process.argv[4], answering(async (request) => ((await isLegacyRequest(request)) ? inSession(request) : handler.fetch(request))));
}
