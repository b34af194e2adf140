/** A body that came and cannot be used; `message` goes on from "The answer cannot be used:". */
export class UnusableBody extends Error {
  override readonly name = 'UnusableBody'
}

/**
 * Reads a body as UTF-8 text and stops at a limit, counted after decompression, so that neither a
 * large nor a highly compressed answer can fill the memory.
 *
 * @throws {UnusableBody} when there is more, and the rest is not read; or when it is not UTF-8.
 */
export async function readBounded(response: Response, limitBytes: number): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  // Replacing what is not UTF-8 would give another text than the one that was sent.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      // Not awaited: a peer that never ends must not be able to hold us here.
      reader.cancel().catch(() => undefined)
      throw new UnusableBody('it is not UTF-8', { cause })
    }
  }
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decode()
    size += value.byteLength
    if (size > limitBytes) {
      reader.cancel().catch(() => undefined)
      throw new UnusableBody(`it is larger than ${limitBytes} bytes`)
    }
    text += decode(value)
  }
}
