// Runs npm's @pgflow/client against the database of LUAFLOW_CLIENT_CONNINFO and prints what it learned, as JSON. Only
// Supabase's transport is a stand-in: calls go through psql, and events are read from the table that realtime.send fills.
// The client is the one that tools/setup has put into LUAFLOW_CLIENT.
import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";

const { LUAFLOW_CLIENT, LUAFLOW_CLIENT_CONNINFO } = process.env;
const { PgflowClient } = await import(pathToFileURL(`${LUAFLOW_CLIENT}/node_modules/@pgflow/client/dist/index.js`));
console.log = console.error; // the client's own lines; standard output is for the answer

const literal = (value) => (value === null || value === undefined ? "null" : `'${String(value).replaceAll("'", "''")}'`);

// The one value of a query, which is JSON; an error has the server's code and message, as PostgREST gives them.
function ask(sql) {
  const argv = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", "-d", LUAFLOW_CLIENT_CONNINFO, "-c", sql];
  return new Promise((resolve) => {
    execFile("psql", argv, { maxBuffer: 1 << 26 }, (failed, out, err) => {
      const [, code, message] = /ERROR: +(\w{5}): (.*)/.exec(err) ?? [];
      if (failed) resolve({ data: null, error: Object.assign(new Error(message ?? err), { code }) });
      else resolve({ data: out.trim() === "" ? null : JSON.parse(out), error: null });
    });
  });
}

const TYPES = { input: "jsonb", run_id: "uuid", flow_slug: "text" };
const argument = ([name, value]) => `${name} => ${literal(name === "input" ? JSON.stringify(value) : value)}::${TYPES[name]}`;

// select(*).eq(column, value), with .single() or .order(column), as far as the client goes.
function table(name) {
  let filter;
  const self = {
    select: () => self,
    eq: (column, value) => ((filter = `x.${column} = ${literal(value)}`), self),
    order: (column) => ask(`select coalesce(jsonb_agg(x order by x.${column}), '[]') from pgflow.${name} x where ${filter}`),
    single: () => ask(`select to_jsonb(x) from pgflow.${name} x where ${filter}`),
  };
  return self;
}

const channels = new Map();
let seen = 0;
function channel(topic) {
  const self = {
    on: (kind, { event }, callback) => (kind === "broadcast" && event === "*" && channels.set(topic, callback), self),
    subscribe: (callback) => (setTimeout(() => callback?.("SUBSCRIBED")), self),
    unsubscribe: () => channels.delete(topic),
  };
  return self;
}
async function deliver() {
  const { data, error } = await ask(`select coalesce(jsonb_agg(m order by m.n), '[]') from realtime.messages m where m.n > ${seen}`);
  if (error) throw error;
  for (const { n, topic, event, payload } of data) {
    seen = n;
    channels.get(topic)?.({ event, payload });
  }
  delivery = setTimeout(deliver, 50);
}
let delivery = setTimeout(deliver, 0);

const schema = () => ({
  rpc: (name, values) => ask(`select pgflow.${name}(${Object.entries(values).map(argument).join(", ")})`),
  from: table,
});
const client = new PgflowClient({ schema, channel }, { realtimeStabilizationDelayMs: 0 });
const within = { timeoutMs: 60000 };
const answer = {};

// A run that ended and has no listener forgets its steps.
async function start(slug, input) {
  const run = await client.startFlow(slug, input);
  run.on("*", () => {});
  return run;
}

const definition = await client.fetchFlowDefinition("client_greet");
answer.definition = [definition.flow.flow_slug, ...definition.steps.map((step) => step.step_slug)];

const greet = await start("client_greet", { who: "ada" });
const steps = [];
for (const slug of ["hello", "shout"]) greet.step(slug).on("*", (event) => steps.push(`${slug} ${event.status}`));
await greet.step("shout").waitForStatus("completed", within);
await greet.waitForStatus("completed", within);
answer.greet = { output: greet.output, shout: greet.step("shout").output, events: steps, remaining: greet.remaining_steps };

const fails = await start("client_fails", {});
await fails.waitForStatus("failed", within);
answer.fails = { run: fails.error_message, step: fails.step("only").status, error: fails.step("only").error_message };

const typed = await start("client_typed", {});
await typed.waitForStatus("failed", within);
answer.typed = typed.step("list").error_message;

const slow = await start("client_slow", {});
await slow.step("nap").waitForStatus("started", within);
await ask(`select to_jsonb(r) from pgflow.cancel_run('${slow.run_id}', 'no longer needed') r`);
await slow.waitForStatus("failed", within);
answer.cancelled = slow.error_message;
client.dispose(slow.run_id);
const again = await client.getRun(slow.run_id);
answer.again = [again.status, again.step("nap").status];

answer.unknown = await client.startFlow("client_unknown", {}).then(() => "started", (error) => [error.code, error.message]);
answer.nobody = await client.getRun("00000000-0000-4000-8000-000000000000");

clearTimeout(delivery);
process.stdout.write(JSON.stringify(answer) + "\n", () => process.exit(0));
