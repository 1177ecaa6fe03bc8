// The official TypeScript SDK as a client of the runtime. Arguments: what to do,
// then the runtime's command line. Prints one JSON object.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpError, ResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [task, command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, stderr: "ignore" });
const client = new Client({ name: "typescript", version: "1" });
const owner = { "dev.hydra-harness/owner": "typescript" };

async function failure(promise) {
  try {
    return { answered: await promise };
  } catch (error) {
    return { name: error.constructor.name, isMcpError: error instanceof McpError, code: error.code, message: error.message, data: error.data };
  }
}

const tasks = {
  async everything() {
    const { tools } = await client.listTools();
    // From here on the SDK holds each structured result against its schema.
    const glob = await client.callTool({ name: "glob", arguments: { pattern: "*.py" } });
    const grep = await client.callTool({ name: "grep", arguments: { pattern: "TODO", path: "README" } });
    const capped = await client.callTool({ name: "grep", arguments: { pattern: "line" }, _meta: owner });
    const saved = await client.request({ method: "hydra/spill/list", params: { _meta: owner } }, ResultSchema);
    const uri = "hydra-spill:///" + saved.results[0].id;
    return {
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      tools,
      glob,
      grep,
      capped,
      templates: (await client.listResourceTemplates()).resourceTemplates,
      resource: await client.readResource({ uri, _meta: owner }),
      part: await client.readResource({ uri: uri + "?offset=0&limit=5", _meta: owner }),
      stranger: await failure(client.readResource({ uri })),
      badPattern: await client.callTool({ name: "grep", arguments: { pattern: "foo(" } }),
      badArgument: await client.callTool({ name: "grep", arguments: { pattern: 7 } }),
      unknownTool: await failure(client.callTool({ name: "find", arguments: {} })),
      unknownMethod: await failure(client.request({ method: "hydra/none" }, ResultSchema)),
      badParams: await failure(client.request({ method: "hydra/search/glob", params: { pattern: 7 } }, ResultSchema)),
    };
  },
  // The sidecar hangs. The caller starts looking for it when "running" is
  // printed, and lets us go on with a line on standard input.
  async cancel() {
    const abort = new AbortController();
    const call = failure(client.callTool({ name: "grep", arguments: { pattern: "x" } }, undefined, { signal: abort.signal }));
    console.log("running");
    await new Promise((go) => process.stdin.once("data", go));
    abort.abort("no longer needed");
    const cancelled = await call;
    await client.ping();
    console.log("cancelled");
    await new Promise((go) => process.stdin.once("data", go));
    const timeout = await failure(client.callTool({ name: "grep", arguments: { pattern: "x" } }, undefined, { timeout: 1000 }));
    const deadline = await client.callTool(
      { name: "grep", arguments: { pattern: "x" }, _meta: { "dev.hydra-harness/deadlineMs": 1500 } },
      undefined,
      { timeout: 1500 },
    );
    let told = 0;
    const progress = failure(
      client.callTool({ name: "grep", arguments: { pattern: "x" } }, undefined, {
        timeout: 1500,
        maxTotalTimeout: 4000,
        resetTimeoutOnProgress: true,
        onprogress: () => (told += 1),
      }),
    );
    return { cancelled, timeout, deadline, progress: await progress, told };
  },
};

await client.connect(transport);
const pid = transport.pid;
const result = await tasks[task]();
const began = performance.now();
await client.close();
console.log(JSON.stringify({ ...result, pid, closedAfter: performance.now() - began }));
process.exit(0);
