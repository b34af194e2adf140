import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const main = join(import.meta.dirname, '../src/main.ts')

/** Registrations for an empty directory. */
export const registrationsFile = join(import.meta.dirname, 'seed/sample.json')

type Environment = Readonly<Record<string, string>>

/** An identity provider in a separate process, on a free port. */
export type ProviderProcess = {
  readonly url: string
  readonly httpsUrl: string
  readonly metricsUrl: string | undefined
  readonly pid: number
  /** Sends a signal and waits for the end: the exit code, or null after a kill. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
  /** Closes the channel over which it was started, as a death of this process would. */
  readonly abandon: () => Promise<number | null>
}

/** How one is started, unless it is started plainly. */
type Manner = {
  /** A command that runs the command after it within limits, such as `setpriv` with its options. */
  readonly within?: readonly string[]
  /** Whether it is to end with the process that starts it. */
  readonly overChannel?: boolean
}

function start(environment: Environment, { within = [], overChannel }: Manner): ChildProcess {
  const [command = '', ...given] = [...within, process.execPath, main]
  const channel = overChannel ? (['ipc'] as const) : []
  return spawn(command, given, {
    env: {
      PORT: '0',
      REGISTRATIONS: registrationsFile,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...channel],
  })
}

/** Starts a provider process and waits until it listens. */
export async function startProvider(
  environment: Environment,
  manner: Manner = {},
): Promise<ProviderProcess> {
  const child = start(environment, manner)
  const failure: string[] = []
  child.stderr?.on('data', (text) => failure.push(String(text)))
  const ended = once(child, 'close')
  for await (const line of createInterface({ input: child.stdout ?? ([] as never) })) {
    const { msg, url, httpsUrl, metricsUrl } = JSON.parse(line)
    if (msg !== 'listening') continue
    child.stdout?.resume()
    return {
      url,
      httpsUrl,
      metricsUrl,
      pid: child.pid ?? 0,
      end: async (signal) => {
        child.kill(signal)
        const [code] = await ended
        return code
      },
      abandon: async () => {
        // A channel that is closed at this end leaves `close` waiting for it.
        const exited = once(child, 'exit')
        child.disconnect()
        const [code] = await exited
        return code
      },
    }
  }
  throw new Error(`The identity provider did not start: ${failure.join('')}`)
}

/** Starts a provider process that is expected to fail; returns its text on stderr and its exit code. */
export async function failToStart(
  environment: Environment,
  manner: Manner = {},
): Promise<{ readonly code: number; readonly stderr: string }> {
  const child = start(environment, manner)
  let stderr = ''
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  child.stdout?.resume()
  const [code] = await once(child, 'close')
  return { code, stderr }
}

/** Starts a provider process over a channel that closes as soon as it is open; returns its exit code. */
export async function abandonAtOnce(environment: Environment): Promise<number | null> {
  const child = start(environment, { overChannel: true })
  child.stdout?.resume()
  child.stderr?.resume()
  child.disconnect()
  const [code] = await once(child, 'exit')
  return code
}

/** Reads the registrations that were seeded in a data folder. */
export const readSeeded = async (dataDir: string) =>
  JSON.parse(await readFile(join(dataDir, 'seeded.json'), 'utf8'))

/** The token request of contract C49 to C56, for the first client that was seeded. */
export async function requestToken(url: string, dataDir: string): Promise<Response> {
  const { tenantId, apis, clients } = await readSeeded(dataDir)
  return fetch(`${url}/${tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clients[0].applicationId,
      client_secret: clients[0].clientSecret,
      scope: `${apis[0].identifierUri}/.default`,
    }),
  })
}

/** Requests a token and verifies it with the published keys. */
export async function verifiedToken(url: string, dataDir: string) {
  const response = await requestToken(url, dataDir)
  const { access_token } = await response.json()
  const { tenantId, apis } = await readSeeded(dataDir)
  const keys = createRemoteJWKSet(new URL(`${url}/${tenantId}/discovery/keys`))
  return jwtVerify(access_token, keys, { audience: apis[0].identifierUri })
}
