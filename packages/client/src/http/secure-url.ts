import type { OptionRule } from '../option-rules.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Whether secrets and tokens may travel to this URL: https, or http that never leaves the machine.
 *
 * @see RFC 6750, section 5.3
 */
export function isSecure(url: URL): boolean {
  const encrypted = url.protocol === 'https:'
  const stays = url.protocol === 'http:' && loopback.test(url.hostname)
  return (encrypted || stays) && url.username === '' && url.password === ''
}

export const secureUrl: OptionRule = {
  expected: 'an https URL (http only for localhost), without user name, query or fragment',
  accepts: (value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    return url !== null && isSecure(url) && url.search === '' && url.hash === ''
  },
}
