import type { FaultContext } from './fault-context.ts'

/** The server's response with another body. Its length follows the new body. */
export async function withBody(
  answer: Promise<Response>,
  change: (body: Uint8Array) => BodyInit,
): Promise<Response> {
  const response = await answer
  const { status } = response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  return new Response(change(new Uint8Array(await response.arrayBuffer())), { status, headers })
}

/** Sends the body in small parts, with a pause before each part. */
export const drip =
  ({ chunkBytes, pauseMs }: { chunkBytes: number; pauseMs: number }, { sleep }: FaultContext) =>
  (body: Uint8Array): ReadableStream<Uint8Array> => {
    let sent = 0
    return new ReadableStream({
      pull: async (controller) => {
        await sleep(pauseMs)
        if (sent >= body.byteLength) return controller.close()
        controller.enqueue(body.slice(sent, sent + chunkBytes))
        sent += chunkBytes
      },
    })
  }

/** Time for the first bytes to leave before the connection ends, in milliseconds. */
const flushMs = 10

/** Sends the first bytes of the body, and then closes the connection. */
export const cut =
  (afterBytes: number, { bindings, sleep }: FaultContext) =>
  (body: Uint8Array): ReadableStream<Uint8Array> => {
    let isSent = false
    return new ReadableStream({
      pull: async (controller) => {
        if (!isSent) {
          isSent = true
          return controller.enqueue(body.slice(0, Math.min(afterBytes, body.byteLength - 1)))
        }
        await sleep(flushMs)
        bindings?.incoming?.socket.destroy()
        controller.close()
      },
    })
  }

/** A JSON object that is larger than its reader should accept. */
export function oversized(bytes: number) {
  return (body: Uint8Array): string => {
    const text = new TextDecoder().decode(body)
    return `{"padding":"${'x'.repeat(bytes)}",${text.slice(text.indexOf('{') + 1)}`
  }
}
