import { readFile } from 'node:fs/promises'
import { type Credential, secretAuthentication } from '../credentials/credential.ts'

/**
 * A client secret in a file, read before every token request. A changed file takes effect
 * immediately. If the secret is refused, the file is read again and a new secret is tried.
 *
 * @param path of the file with the secret's value; a line break at its end is ignored
 * @throws {TypeError} if the path is empty; `token()` reports a file that cannot be read
 * @example
 * const credential = clientSecretFile('/var/run/secrets/greeting/client-secret')
 */
export function clientSecretFile(path: string): Credential {
  if (typeof path !== 'string' || path === '') throw new TypeError('the path must not be empty')
  return {
    kind: 'secret',
    identity: () => `file:${path}`,
    authentications: async () => {
      const secret = (await readFile(path, 'utf8')).replace(/\r?\n$/, '')
      if (secret === '') throw new Error(`the file ${path} is empty`)
      return [secretAuthentication(secret)]
    },
  }
}
