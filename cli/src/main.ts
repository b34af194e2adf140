import { styleText } from 'node:util'
import { CommandFailure, exitCodes } from './exit-codes.ts'
import { runGreeting } from './program.ts'
import { watchParent } from './system/parent-watch.ts'
import { services } from './system/services.ts'

// A request to this machine can carry a secret, which a proxy of the environment must not receive.
const thisMachine = 'localhost,127.0.0.1,[::1]'
const noProxy = process.env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy'
const { [noProxy]: others } = process.env
process.env[noProxy] = others ? `${others},${thisMachine}` : thisMachine
// Node itself uses them only with NODE_USE_ENV_PROXY=1, which the services get too.
const proxyNames = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']
const proxies = proxyNames.filter((name) => process.env[name])
if (proxies.length > 0 && process.env.NODE_USE_ENV_PROXY !== '0') {
  const isUrl = (text = '') => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
  const wrong = proxies.find((name) => !isUrl(process.env[name]))
  if (wrong !== undefined) {
    process.stderr.write(`${wrong} must be the URL of a proxy, such as http://proxy.example:3128\n`)
    process.exit(exitCodes.bad_usage.code)
  }
  process.env.NODE_USE_ENV_PROXY = '1'
  process.getBuiltinModule('node:http').setGlobalProxyFromEnv?.(process.env)
}

const stop = new AbortController()
// Ctrl-C reaches this process from the terminal and from npm. Both count as one request.
const oneRequestMs = 500
let stoppedAtMs = 0
let reload: (() => void) | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A terminal that closes sends SIGHUP too.
    if (signal === 'SIGHUP' && reload !== undefined && !process.stdin.isTTY) return reload()
    if (!stop.signal.aborted) {
      stoppedAtMs = performance.now()
      const exit = signal === 'SIGINT' ? 'interrupted' : 'failed'
      stop.abort(new CommandFailure(exit, `Stopped by ${signal}.`))
      return
    }
    // A second request: do not wait for running work.
    if (performance.now() - stoppedAtMs > oneRequestMs)
      process.exit(exitCodes[signal === 'SIGINT' ? 'interrupted' : 'failed'].code)
  })
}
// A command started without npm may outlive its shell.
if (process.env.npm_lifecycle_event !== undefined) {
  const runtime = {
    parentId: () => process.ppid,
    repeat: (call: () => void, intervalMs: number) => {
      const timer = setInterval(call, intervalMs).unref()
      return () => clearInterval(timer)
    },
  }
  watchParent(runtime, () => stop.abort(new CommandFailure('failed', 'Stopped, because npm ended')))
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question, { signal: stop.signal })
  } finally {
    lines.close()
  }
}
// Clears the line, and writes no more than its width: a longer text would begin a new one.
function redraw(line: string): void {
  const columns = process.stderr.columns || 80
  process.stderr.write(`\r\u001b[K${line.slice(0, columns - 1)}`)
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the results may close the pipe, as `head` does.
  if (error.code === 'EPIPE') process.exit(exitCodes.done.code)
  // A result that is lost must not look like success, such as on a full disk.
  process.stderr.write(`The output cannot be written: ${error.message}\n`)
  process.exit(exitCodes.failed.code)
})
// No stream is left for this error. The exit code remains.
process.stderr.on('error', () => undefined)

process.exitCode = await runGreeting(
  process.argv.slice(2),
  {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    paint: (colour, text) => styleText(colour, text, { stream: process.stdout }),
    isInteractive: process.stderr.isTTY === true,
    ...(process.stderr.isTTY && { redraw }),
    isOutTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns,
    environment: process.env,
    stop: stop.signal,
    onReload: (callback) => {
      reload = callback
    },
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  },
  services,
)
// Node opens a tunnel again without end when a proxy closes it, also after the request has failed.
setInterval(() => {
  if (process.stdout.writableLength === 0) process.exit()
}, 1_000).unref()
