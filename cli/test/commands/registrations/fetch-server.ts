import type { RequestListener } from 'node:http'

/** Serves a handler in the form of `fetch` on a socket. */
export function answeringAs(handle: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = 'GET', url: path = '/' } = incoming
    const headers = new Headers(incoming.headers as Record<string, string>)
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
    const url = new URL(path, `http://${incoming.headers.host}`)
    const response = await handle(new Request(url, { method, headers, ...body }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }
}
