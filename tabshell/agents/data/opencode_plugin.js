// tabshell's plugin for opencode: tells the session what each tool showed, and passes on what tabshell answers.
// Every call is one run of the hook program with JSON on its stdin and {"text": …} on its stdout. Whatever goes
// wrong there, opencode goes on as if this file were not here.
import { spawn, spawnSync } from "node:child_process"

const HOOK = /*HOOK*/ []
const LIMIT_MS = 30000
// "opencode run" ends when the session is idle: nothing said then reaches the model, so nothing is asked
const LEAVES_AT_ONCE = process.argv.includes("run")

function ask(event) {
  return new Promise((resolve) => {
    let told = ""
    try {
      const child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: LIMIT_MS })
      child.on("error", () => resolve(undefined))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => { told += piece })
      child.on("close", () => {
        try { resolve(JSON.parse(told).text) } catch { resolve(undefined) }
      })
      child.stdin.end(JSON.stringify(event))
    } catch { resolve(undefined) }
  })
}

// The session ends with the program: at its exit nothing can be waited for, and the hook's work goes on without it.
// One that "tabshell run" began is ended there.
const sessions = new Map()
if (!process.env.TABSHELL_SESSION) {
  process.on("exit", () => {
    for (const [session, cwd] of sessions) {
      try {
        const input = JSON.stringify({ event: "session-end", session, cwd })
        spawnSync(HOOK[0], HOOK.slice(1), { input, stdio: ["pipe", "ignore", "ignore"], timeout: LIMIT_MS })
      } catch {}
    }
  })
}

export const Tabshell = async ({ client, directory }) => {
  const parents = new Map()
  const blocks = new Map()
  const parent = async (session) => {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined)
      parents.set(session, found?.data?.parentID)
    }
    return parents.get(session)
  }
  const root = async (session) => {
    const above = await parent(session)
    return above ? root(above) : session
  }

  return {
    // into the conversation, not the system prompt: that one also goes to the agent that finds titles
    "experimental.chat.messages.transform": async (_input, output) => {
      const first = output.messages.find((message) => message.info.role === "user")
      if (!first || (await parent(first.info.sessionID))) return
      const { id, sessionID } = first.info
      if (!blocks.has(sessionID)) {
        sessions.set(sessionID, directory)
        blocks.set(sessionID, await ask({ event: "session-start", session: sessionID, cwd: directory }))
      }
      const text = blocks.get(sessionID)
      if (text) first.parts.push({ id: "prt_tabshell", messageID: id, sessionID, type: "text", synthetic: true, text })
    },
    "experimental.session.compacting": async (input, output) => {
      const text = await ask({ event: "digest", session: await root(input.sessionID), cwd: directory })
      if (text) output.context.push(text)
    },
    "tool.execute.after": async (input, output) => {
      const above = await parent(input.sessionID)
      const text = await ask({
        event: "after-tool", tool: input.tool, input: input.args, output: output.output, title: output.title,
        exit: output.metadata?.exit, call: input.callID, session: await root(input.sessionID),
        subagent: above ? "subagent" : undefined, cwd: directory,
      })
      if (text) output.output += (output.output.endsWith("\n") || !output.output ? "" : "\n") + text
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle" || LEAVES_AT_ONCE) return
      const session = event.properties.sessionID
      if (await parent(session)) return
      const text = await ask({ event: "stop", session, cwd: directory })
      if (text) await client.session.prompt({ path: { id: session }, body: { parts: [{ type: "text", text }] } })
    },
  }
}
