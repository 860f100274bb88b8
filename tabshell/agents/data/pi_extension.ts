// tabshell's extension for Pi: tells the session what each tool showed, and passes on what tabshell answers.
// Every call is one run of the hook program with JSON on its stdin and {"text": …} on its stdout. Whatever goes
// wrong there, Pi goes on as if this file were not here.
import { spawn } from "node:child_process";

const HOOK: string[] = /*HOOK*/ [];
const LIMIT_MS = 30000;

function ask(event: Record<string, unknown>): Promise<string | undefined> {
  return new Promise((resolve) => {
    let told = "";
    try {
      const child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: LIMIT_MS });
      child.on("error", () => resolve(undefined));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (piece) => { told += piece; });
      child.on("close", () => {
        try {
          resolve(JSON.parse(told).text);
        } catch {
          resolve(undefined);
        }
      });
      child.stdin.end(JSON.stringify(event));
    } catch {
      resolve(undefined);
    }
  });
}

const textOf = (content: any[]) => content.filter((part) => part.type === "text").map((part) => part.text).join("\n");

export default function (pi: any) {
  let block: string | undefined;
  const where = (ctx: any) => ({ session: ctx.sessionManager?.getSessionId?.() ?? String(process.pid), cwd: ctx.cwd ?? process.cwd() });

  pi.on("session_start", async (event: any, ctx: any) => {
    block = await ask({ event: "session-start", source: event.reason, ...where(ctx) });
  });

  pi.on("before_agent_start", async (event: any) => {
    const told = block;
    block = undefined;
    if (told) return { message: { customType: "tabshell", content: told, display: false } };
  });

  pi.on("session_compact", async (_event: any, ctx: any) => {
    await ask({ event: "compaction", ...where(ctx) });
  });

  pi.on("tool_result", async (event: any, ctx: any) => {
    const text = await ask({
      event: "after-tool", tool: event.toolName, input: event.input, output: textOf(event.content ?? []),
      failed: event.isError === true, call: event.toolCallId, ...where(ctx),
    });
    if (text) return { content: [...event.content, { type: "text", text }] };
  });

  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    if (!process.env.TABSHELL_SESSION) await ask({ event: "session-end", ...where(ctx) });
  });

  pi.on("turn_end", async (event: any, ctx: any) => {
    const reason = event.message?.stopReason;
    if (event.toolResults?.length || reason === "aborted" || reason === "error") return;
    const text = await ask({ event: "stop", ...where(ctx) });
    if (text) pi.sendUserMessage(text, { deliverAs: "followUp" });
  });
}
