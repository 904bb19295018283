// How the small TypeScript servers are reached over HTTP: on node:http, one server of the SDK for each session.
import http from "node:http";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";

// A listener for node:http that answers as `fetch` does: a function from a web request to a web response.
export const answering = (fetch) => async (request, response) => {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const { method, headers } = request;
  const body = method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {};
  const answer = await fetch(new Request(`http://${headers.host}${request.url}`, { method, headers, signal: left.signal, ...body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  if (answer.body) Readable.fromWeb(answer.body).on("error", () => response.destroy()).pipe(response);
  else response.end();
};

export const listen = (port, listener) => http.createServer(listener).listen(Number(port), "127.0.0.1");

// Streamable HTTP at every path: `Transport` is the SDK's, `handle` lets one of them answer what has come, whose session
// id is given. What names no session begins one, if it is an `initialize`; else the transport refuses it.
export function sessions(make, Transport) {
  const known = new Map();
  return async (id, handle) => {
    let transport = known.get(id);
    if (transport === undefined) {
      transport = new Transport({ sessionIdGenerator: randomUUID, onsessioninitialized: (name) => void known.set(name, transport) });
      await make().connect(transport);
    }
    return handle(transport);
  };
}
