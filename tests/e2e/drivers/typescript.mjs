// The official TypeScript SDK as client: `node typescript.mjs FOLDER SDK MODE SCENARIO [--env NAME=VALUE]... --
// COMMAND...`, or the URL of a server that runs in place of the command. FOLDER holds node_modules, SDK is 1 or 2, MODE is
// legacy (`initialize` at once), auto (2.x only: a second process is asked first what it is) or a revision.
// Prints what the Python drivers print, see steps.py. The SDK takes in at once all that one read has brought, so that a
// progress notification which shares a read with the answer of its request is dropped, and what comes after an answer is
// heard before it. What shares a read depends on the machine; so the SDK is given one message after the other, and hears
// that a stream, or the server, is over when it has heard the last of it.
import fs from "node:fs";
import { createRequire } from "node:module";

const PATIENCE = 20_000;
const SAMPLED = { role: "assistant", model: "fake", stopReason: "endTurn", content: { type: "text", text: "sampled" } };
const FILLED_IN = { name: "Ann", check: true };
const LOGGING = { "io.modelcontextprotocol/logLevel": "info" };
const LISTS = {
  tools: ["listTools", "tools"],
  resources: ["listResources", "resources"],
  templates: ["listResourceTemplates", "resourceTemplates"],
  prompts: ["listPrompts", "prompts"],
};

const [packages, sdk, mode, scenario, ...rest] = process.argv.slice(2);
const split = rest.indexOf("--");
const environment = {};
for (let index = 0; index < split; index += 2) {
  const [name, ...value] = rest[index + 1].split("=");
  environment[name] = value.join("=");
}
const [command, ...args] = rest.slice(split + 1);
const steps = JSON.parse(fs.readFileSync(scenario, "utf8"));

const log = [];
const state = { roots: 1, refusing: false, isLeaving: false, waiting: [], listening: {} };

function happened(...what) {
  log.push(["event", ...what]);
  for (const wake of state.waiting.splice(0)) wake();
}

// Nothing may take for ever.
function patiently(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("hangs")), PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function seen(method, wanted) {
  const count = () => log.filter(([what, kind, content]) => what === "event" && kind === "notification" && content.method === method).length;
  const enough = async () => {
    while (count() < wanted) await new Promise((wake) => state.waiting.push(wake));
  };
  try {
    await patiently(enough());
  } catch {
    log.push(["step", ["seen", method, wanted], { missing: wanted - count() }]);
  }
}

// The two versions name their modules and their handlers differently.
async function load() {
  const require = createRequire(`${packages}/package.json`);
  if (sdk === "2") {
    const { Client, SSEClientTransport, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
    const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
    return { Client, StdioClientTransport, SSEClientTransport, StreamableHTTPClientTransport, kind: (method) => method };
  }
  const types = require("@modelcontextprotocol/sdk/types.js");
  const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
  const { SSEClientTransport } = require("@modelcontextprotocol/sdk/client/sse.js");
  const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const schemas = {
    "sampling/createMessage": types.CreateMessageRequestSchema,
    "elicitation/create": types.ElicitRequestSchema,
    "roots/list": types.ListRootsRequestSchema,
  };
  return { Client, StdioClientTransport, SSEClientTransport, StreamableHTTPClientTransport, kind: (method) => schemas[method] };
}

const { Client, StdioClientTransport, SSEClientTransport, StreamableHTTPClientTransport, kind } = await load();
const client = new Client(
  { name: "driver", version: "1.0.0" },
  {
    capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    ...(sdk === "2" && { versionNegotiation: { mode: mode.startsWith("2") ? { pin: mode } : mode } }),
  },
);
client.setRequestHandler(kind("sampling/createMessage"), async ({ params }) => {
  happened("sampling", params);
  if (state.refusing) throw Object.assign(new Error("User rejected sampling request"), { code: -1 });
  return SAMPLED;
});
client.setRequestHandler(kind("elicitation/create"), async ({ params }) => {
  happened("elicitation", params);
  return state.refusing ? { action: "decline" } : { action: "accept", content: FILLED_IN };
});
client.setRequestHandler(kind("roots/list"), async () => {
  happened("roots");
  return { roots: Array.from({ length: state.roots }, (_, number) => ({ uri: `file:///r/${number}` })) };
});
client.fallbackNotificationHandler = async ({ method, params }) => happened("notification", { method, params });
client.onerror = (error) => {
  if (state.isLeaving) return; // a request that its own end cuts off
  // Progress that comes after its call was answered or given up is an error for this SDK.
  if (!String(error.message).includes("progress")) happened("exception", String(error.message));
};

function callTool(name, toolArguments, options) {
  const params = { name, arguments: toolArguments, ...(isStateless() && { _meta: LOGGING }) };
  return sdk === "2" ? client.callTool(params, options) : client.callTool(params, undefined, options);
}

const isStateless = () => sdk === "2" && (client.getNegotiatedProtocolVersion() ?? "") >= "2026";

const actions = {
  // The stateless revision has no ping; to see that the server still answers, anything else will do.
  ping: () => (isStateless() ? client.listTools() : client.ping()),
  // What a tool asks is never answered.
  leave: (name, toolArguments) => callTool(name, toolArguments, { allowInputRequired: true }),
  async listen(name, wanted) {
    state.listening[name] = await client.listen(wanted);
    return state.listening[name].honoredFilter;
  },
  async hang_up(name) {
    await state.listening[name].close();
    return await state.listening[name].closed;
  },
  ended: (name) => state.listening[name].closed,
  level: (level) => client.setLoggingLevel(level),
  async list(what) {
    const [method, key] = LISTS[what];
    const pages = [];
    let cursor;
    do {
      const page = await client[method](cursor === undefined ? undefined : { cursor });
      pages.push(page[key]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return pages;
  },
  call: (name, toolArguments) =>
    callTool(name, toolArguments, { onprogress: (progress) => happened("progress", progress) }),
  overlap: (...calls) =>
    Promise.all(
      calls.map(async ([name, toolArguments]) => {
        const progress = [];
        const onprogress = (what) => progress.push(what);
        return { progress, ...(await outcome(() => callTool(name, toolArguments, { onprogress }))) };
      }),
    ),
  async cancel(name, toolArguments) {
    const giveUp = new AbortController();
    let answered = true;
    const onprogress = () => giveUp.abort("enough");
    await callTool(name, toolArguments, { signal: giveUp.signal, onprogress }).catch(() => (answered = false));
    await actions.ping();
    return { answered };
  },
  read: (uri) => client.readResource({ uri }),
  subscribe: (uri) => client.subscribeResource({ uri }),
  unsubscribe: (uri) => client.unsubscribeResource({ uri }),
  prompt: (name, promptArguments) => client.getPrompt({ name, arguments: promptArguments }),
  complete: (ref, name, value) => client.complete({ ref, argument: { name, value } }),
  async change_roots() {
    state.roots += 1;
    await client.sendRootsListChanged();
  },
};

async function outcome(action) {
  try {
    return { result: (await patiently(action())) ?? null };
  } catch (error) {
    if (error.message === "hangs") return { hangs: true };
    return { error: { code: error.code ?? null, message: error.message, data: error.data ?? null } };
  }
}

function transport() {
  if (!command.startsWith("http")) return new StdioClientTransport({ command, args, env: environment, stderr: "inherit" });
  const url = new URL(command);
  return command.endsWith("/sse") ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

// Each message when all that the one before it has set going is done.
function oneByOne(transport) {
  const waiting = [];
  const next = () => {
    waiting[0]();
    waiting.shift();
    if (waiting.length > 0) setImmediate(next);
  };
  const queued = (take) => (...message) => {
    waiting.push(() => take(...message));
    if (waiting.length === 1) setImmediate(next);
  };
  for (const event of ["onmessage", "onclose"]) {
    let taking;
    Object.defineProperty(transport, event, { get: () => taking, set: (take) => (taking = take && queued(take)) });
  }
  const send = transport.send.bind(transport);
  transport.send = (message, { onRequestStreamEnd: ended, ...options } = {}) =>
    send(message, { ...options, ...(ended && { onRequestStreamEnd: queued(ended) }) });
  return transport;
}

await client.connect(oneByOne(transport()));
log.push(["step", ["initialize"], { serverInfo: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() ?? null }]);
for (const step of steps) {
  const [what, ...given] = step;
  if (what === "seen") await seen(...given);
  else if (what === "refuse") state.refusing = true;
  else log.push(["step", step, await outcome(() => actions[what](...given))]);
}
state.isLeaving = true;
await client.close();
process.stdout.write(JSON.stringify(log, null, 1));
