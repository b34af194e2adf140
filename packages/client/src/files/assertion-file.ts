import { readFile } from 'node:fs/promises'
import type { Credential } from '../credentials/credential.ts'
import { assertionAuthentication } from '../credentials/federated-assertion.ts'

/**
 * A federated assertion in a file, such as the service account token of Kubernetes. The file is read
 * before every token request, because Kubernetes replaces it before it expires.
 *
 * @param path of the file, such as the value of `AZURE_FEDERATED_TOKEN_FILE`
 * @throws {TypeError} if the path is empty; `token()` reports a file that cannot be read
 * @see RFC 7523 section 2.2
 * @example
 * const credential = federatedAssertionFile('/var/run/secrets/tokens/greeting')
 */
export function federatedAssertionFile(path: string): Credential {
  if (typeof path !== 'string' || path === '') throw new TypeError('the path must not be empty')
  return {
    kind: 'assertion',
    identity: () => `file:${path}`,
    authentications: async () => {
      const assertion = (await readFile(path, 'utf8')).trim()
      if (assertion === '') throw new Error(`the file ${path} is empty`)
      return [assertionAuthentication(assertion)]
    },
  }
}
