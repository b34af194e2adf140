import type { Fetch, Listen } from '../../packages/http-service/src/index.ts'

/** The part of Bun's server that is used here. */
declare const Bun: {
  serve(options: {
    hostname: string
    port: number
    fetch: (request: Request) => Response | Promise<Response>
  }): { readonly port: number; stop(closeActiveConnections?: boolean): Promise<void> }
}

/** Listens with Bun's own server, which calls a `fetch` handler without anything between. */
export const listenOnBun: Listen = (host, port) => {
  const starting = () => new Response(null, { status: 503 })
  let answer: Fetch = starting
  const server = Bun.serve({ hostname: host, port, fetch: (request) => answer(request) })
  return Promise.resolve({
    url: `http://${host}:${server.port}`,
    answerWith: (fetch) => {
      answer = fetch
    },
    stop: () => server.stop(),
  })
}
