// What the two small TypeScript servers offer, whatever the SDK: one tool for each thing that stdio can carry.

const text = (words) => ({ content: [{ type: "text", text: words }] });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// `peer` makes, of what the SDK hands to a tool, what the tool wants of the client.
export function tools(server, { ResourceTemplate, completable, z }, peer) {
  let note = "nothing";
  const tool = (name, description, shape, run) =>
    server.registerTool(name, { description, inputSchema: z.object(shape) }, (given, sdk) => run(given, peer(sdk)));

  tool("add", "The sum of two numbers.", { a: z.number().int(), b: z.number().int() }, ({ a, b }) => text(`${a + b}`));
  tool("fail", "Fails.", {}, () => {
    throw new Error("this was to be expected");
  });
  tool("count", "Counts, with progress.", { steps: z.number().int() }, async ({ steps }, { token, notify }) => {
    for (let progress = 1; progress <= steps; progress++) {
      const params = { progressToken: token, progress, total: steps, message: `step ${progress}` };
      if (token !== undefined) await notify({ method: "notifications/progress", params });
      await pause(50);
    }
    return text(`counted to ${steps}`);
  });
  tool("chat", "Logs.", { lines: z.number().int() }, async ({ lines }, { log }) => {
    for (let number = 0; number < lines; number++) await log(`line ${number}`);
    return text("chatted");
  });
  tool("ask_model", "Asks the client's model.", { prompt: z.string() }, async ({ prompt }, { sample }) => {
    const messages = [{ role: "user", content: { type: "text", text: prompt } }];
    return text(`the model says ${JSON.stringify(await sample({ messages, maxTokens: 20 }))}`);
  });
  tool("ask_user", "Asks the client's user.", { question: z.string() }, async ({ question }, { elicit }) => {
    const properties = { name: { type: "string" }, check: { type: "boolean" } };
    const requestedSchema = { type: "object", properties, required: ["name"] };
    return text(`the user says ${(await elicit({ mode: "form", message: question, requestedSchema })).action}`);
  });
  tool("folders", "Asks for the client's roots.", {}, async (_, { roots }) =>
    text((await roots()).roots.map(({ uri }) => uri).join(", ")),
  );
  tool("write", "Writes the note.", { text: z.string() }, (given) => {
    note = given.text;
    return text("written");
  });
  const look = { description: "Reads the note.", inputSchema: z.object({}), annotations: { readOnlyHint: true } };
  server.registerTool("look", look, () => text(note));
  tool("grow", "Adds a tool.", {}, () => {
    tool("grown", "Is new.", {}, () => text("grown"));
    return text("one more");
  });

  const contents = (uri, words) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: words }] });
  server.registerResource("now", "note://now", { mimeType: "text/plain" }, (uri) => contents(uri, note));
  const template = new ResourceTemplate("note://old/{number}", { list: undefined });
  server.registerResource("old", template, { mimeType: "text/plain" }, (uri, { number }) => contents(uri, `note ${number}`));
  const names = (start) => ["Ann", "Anton", "Bob"].filter((name) => name.startsWith(start));
  const greet = { description: "Greets somebody.", argsSchema: z.object({ name: completable(z.string(), names) }) };
  server.registerPrompt("greet", greet, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Say hello to ${name}.` } }],
  }));
}
