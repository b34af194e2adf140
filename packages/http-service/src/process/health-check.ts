import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** The settings that contain the address of a service. */
export type HealthSettings = {
  readonly HOST: string
  /** null when the listener is off. */
  readonly PORT?: number | null
  readonly HTTPS_PORT?: number | null | undefined
}

type HealthPath = '/readyz' | '/healthz'

const paths: ReadonlyMap<string, HealthPath> = new Map([
  ['--healthcheck', '/readyz'],
  ['--healthcheck=readyz', '/readyz'],
  ['--healthcheck=healthz', '/healthz'],
])

/** Addresses at which a service listens on all interfaces, and one at which it can be reached. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const timeoutMs = 5000
const maxBodyBytes = 1024

/** The health check that the arguments of a process select; an unknown option is returned as text. */
export function healthCheckOf(
  argv: readonly string[],
): HealthPath | { unknown: string } | undefined {
  const option = argv.find((argument) => argument.startsWith('-'))
  return option === undefined ? undefined : (paths.get(option) ?? { unknown: option })
}

/**
 * Asks a running service for its state: for images that have no shell and no `curl`.
 *
 * @returns exit code 0 when the answer is 200 within 5 s, 1 for any other answer or none, 2 when the
 *   question cannot be asked; `text` is a sentence for the operator
 */
export async function checkHealth(
  check: HealthPath | { readonly unknown: string },
  { HOST, PORT, HTTPS_PORT }: HealthSettings,
): Promise<{ readonly exitCode: 0 | 1 | 2; readonly text: string }> {
  if (typeof check !== 'string') {
    const text = `${check.unknown} is not an option. Use --healthcheck or --healthcheck=healthz.`
    return { exitCode: 2, text }
  }
  const port = PORT ?? HTTPS_PORT
  if (!port) return { exitCode: 2, text: 'The health check needs a fixed port. Set PORT to one.' }
  const host = reachable[HOST] ?? HOST
  const isHttps = PORT === null
  const options = { host, port, path: check, timeout: timeoutMs, agent: false }
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: string }>()
  const failed = (reason: string) => resolve({ status: 0, body: reason })
  // The certificate may name only the public host. No secret is sent, and only a status is read.
  const request = isHttps
    ? requestHttps({ ...options, rejectUnauthorized: false })
    : requestHttp(options)
  request.on('response', (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (text: string) => {
      body = `${body}${text}`.slice(0, maxBodyBytes)
    })
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    response.on('error', (cause) => failed(cause.message))
  })
  request.on('error', (cause: NodeJS.ErrnoException) => failed(cause.code ?? cause.message))
  const timer = setTimeout(() => failed(`no response within ${timeoutMs} ms`), timeoutMs)
  request.end()
  const { status, body } = await promise
  clearTimeout(timer)
  request.destroy()
  if (status === 200) return { exitCode: 0, text: body }
  const answer = status === 0 ? body : `${status} ${body}`
  return { exitCode: 1, text: `The service at ${host}:${port} is not well: ${answer}` }
}
