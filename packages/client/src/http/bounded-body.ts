/** A response body that cannot be used. `message` continues the sentence "The response cannot be used:". */
export class UnusableBodyError extends Error {
  override readonly name = 'UnusableBodyError'
}

/**
 * Reads a body as UTF-8 text, up to a limit that is counted after decompression. So a large or
 * highly compressed response cannot fill the memory.
 *
 * @throws {UnusableBodyError} if the body is larger (the rest is not read) or is not UTF-8
 */
export async function readBoundedText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  // A replacement character would change the text.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      // Not awaited, because a peer may never end the stream.
      reader.cancel().catch(() => undefined)
      throw new UnusableBodyError('it is not UTF-8', { cause })
    }
  }
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decode()
    size += value.byteLength
    if (size > maxBytes) {
      reader.cancel().catch(() => undefined)
      throw new UnusableBodyError(`it is larger than ${maxBytes} bytes`)
    }
    text += decode(value)
  }
}
