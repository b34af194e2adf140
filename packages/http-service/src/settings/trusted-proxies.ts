import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { expected } from './setting-schemas.ts'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** A list of proxies, each of which is trusted for one field. */
export class TrustedProxies {
  readonly #list = new BlockList()

  /**
   * @param entries addresses such as `10.0.0.1`, and networks such as `10.0.0.0/8`
   * @throws {TypeError} when an entry is neither
   */
  constructor(entries: readonly string[] = []) {
    for (const entry of entries) {
      const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
      const maxPrefix = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
      if (Number(prefix ?? 0) > maxPrefix)
        throw new TypeError(`${entry} is neither an address nor a network`)
      if (prefix === undefined) this.#list.addAddress(address, familyOf(address))
      else this.#list.addSubnet(address, Number(prefix), familyOf(address))
    }
  }

  has(address: string): boolean {
    return isIP(address) !== 0 && this.#list.check(address, familyOf(address))
  }
}

/** Entries with commas between them, or an array. */
export const entryList = z
  .union([z.string(), z.array(z.string()).readonly()])
  .transform((entries) =>
    String(entries)
      .split(',')
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== ''),
  )

/** The setting of trusted proxies: addresses and networks with commas between them, or an array. */
export const proxyList = entryList.refine((entries) => {
  try {
    return new TrustedProxies(entries) !== undefined
  } catch {
    return false
  }
}, expected('addresses or networks such as 10.0.0.0/8, separated by commas'))
