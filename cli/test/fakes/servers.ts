import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** What a test uses stays open until its end. */
export type Closing = { readonly after: (close: () => unknown) => void }

const closings: (() => unknown)[] = []
after(async () => {
  for (const close of closings) await close()
})

/** For what several tests share: it stays open until the last test of the process. */
export const allTests: Closing = { after: (close) => void closings.push(close) }

/** A server with these answers. It closes after the test. */
export async function serving(test: Closing, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const answering =
  (status: number, body: object | string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }

/** The answer of a token endpoint with a token. */
export const granting = (token: string): RequestListener =>
  answering(200, { token_type: 'Bearer', expires_in: 3599, access_token: token })

/** A URL at which no program listens. */
export async function unreachableUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}
