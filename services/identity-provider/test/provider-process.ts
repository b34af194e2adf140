import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '../src/main.ts')

/** Registrations for a directory that is empty. */
export const registrationsFile = join(import.meta.dirname, 'registrations/sample.json')

type Environment = Readonly<Record<string, string>>

/** An identity provider as a process of its own, at a port of its own. */
export type ProviderProcess = {
  readonly url: string
  readonly httpsUrl: string
  /** Sends a signal and waits for the end: the exit code, or null after a kill. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

function start(environment: Environment): ChildProcess {
  return spawn(process.execPath, [main], {
    env: { PORT: '0', REGISTRATIONS: registrationsFile, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Starts one and waits until it listens. */
export async function startProvider(environment: Environment): Promise<ProviderProcess> {
  const child = start(environment)
  const failure: string[] = []
  child.stderr?.on('data', (text) => failure.push(String(text)))
  const ended = once(child, 'close')
  for await (const line of createInterface({ input: child.stdout ?? ([] as never) })) {
    const { msg, url, httpsUrl } = JSON.parse(line)
    if (msg !== 'listening') continue
    child.stdout?.resume()
    return {
      url,
      httpsUrl,
      end: async (signal) => {
        child.kill(signal)
        const [code] = await ended
        return code
      },
    }
  }
  throw new Error(`The identity provider did not start: ${failure.join('')}`)
}

/** Starts one that is to fail: what it said on stderr, and its exit code. */
export async function failToStart(
  environment: Environment,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const child = start(environment)
  let stderr = ''
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  child.stdout?.resume()
  const [code] = await once(child, 'close')
  return { code, stderr }
}

/** What was seeded into a data folder. */
export const readSeeded = async (dataDir: string) =>
  JSON.parse(await readFile(join(dataDir, 'seeded.json'), 'utf8'))

/** The contract's token request for the first client that was seeded. */
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
