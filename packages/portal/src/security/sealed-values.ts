import type { z } from 'zod'
import type { PortalHost } from '../host/portal-host.ts'

/**
 * Values that a browser keeps, and can neither read nor change. All replicas with one key-encryption
 * key accept them.
 */
export class SealedValues {
  readonly #host: Pick<PortalHost, 'seal' | 'open'>

  constructor(host: Pick<PortalHost, 'seal' | 'open'>) {
    this.#host = host
  }

  /** @param purpose a value that is sealed for one purpose cannot be opened for another */
  seal(purpose: string, value: object): string {
    return this.#host.seal(purpose, JSON.stringify(value))
  }

  /** @returns the value, or undefined when this server did not seal it for this purpose */
  open<Value>(purpose: string, sealed: string, schema: z.ZodType<Value>): Value | undefined {
    const text = this.#host.open(purpose, sealed)
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data
  }
}
