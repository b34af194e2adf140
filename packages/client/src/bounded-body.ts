/** A body that is larger than anything an honest server would send. */
export class BodyTooLarge extends Error {
  constructor(limitBytes: number) {
    super(`the body is larger than ${limitBytes} bytes`)
    this.name = 'BodyTooLarge'
  }
}

/**
 * Reads a body as UTF-8 text and stops at a limit, counted after decompression, so that neither a
 * large nor a highly compressed answer can fill the memory.
 *
 * @throws {BodyTooLarge} when there is more; the rest is not read.
 */
export async function readBounded(response: Response, limitBytes: number): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > limitBytes) {
      // Not awaited: a peer that never ends must not be able to hold us here.
      reader.cancel().catch(() => undefined)
      throw new BodyTooLarge(limitBytes)
    }
    text += decoder.decode(value, { stream: true })
  }
}
